"""A result as a text to be sent to friends."""

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from game.models import Game
from game.selectors.games import Rank
from game.words import labels


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
