"""A result as a text to be sent to friends."""

from dataclasses import dataclass

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from game.board import choices
from game.models import Game
from game.selectors.games import Rank
from game.words import labels


@dataclass(frozen=True, slots=True)
class Shared:
    """What a finished game is shared as; the address is this server's own."""

    text: str
    address: str


def shared(game: Game, rank: Rank | None) -> Shared | None:
    """None for a trial's. A game on a day's dice leads to the day: its card gives them away."""
    if game.participant is not None:
        return None
    if game.mode == Game.Mode.DAILY:
        return Shared(share(game, rank, "").strip(), choices.daily_url(game.rules, game.day))
    facts = {"game": labels.ruleset_name(game.rules), "points": game.final_score}
    text = _("%(game)s: %(points)s points.") % facts
    if game.day is not None:
        return Shared(text, choices.daily_url(game.rules, game.day))
    return Shared(text, reverse("review_shared", args=[game.share_token]))


def share(game: Game, rank: Rank | None, address: str) -> str:
    """The result of a daily game, to be sent to friends; it gives no die away."""
    facts: dict[str, object] = {
        "game": labels.ruleset_name(game.rules),
        "day": game.day.isoformat() if game.day else "",
        "points": game.final_score,
        "address": address,
    }
    if rank is None:
        return _("%(game)s %(day)s: %(points)s points. %(address)s") % facts
    facts |= {"place": rank.place, "players": rank.players}
    text = ngettext(
        "%(game)s %(day)s: %(points)s points, place %(place)s of %(players)s player. %(address)s",
        "%(game)s %(day)s: %(points)s points, place %(place)s of %(players)s players. %(address)s",
        rank.players,
    )
    return text % facts
