"""A shared result: a row of squares, a text, and a signed link."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.core import signing
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from game.core.counting import format_help_note
from game.core.game_queries import Move, Rank
from game.core.kind import find_kind
from game.core.words import labels
from game.core.worth.severity import find_severity
from game.models import Game

SQUARES = {
    "best": "🟩",
    "good": "🟨",
    "small": "🟨",
    "inaccuracy": "🟨",
    "mistake": "🟧",
    "blunder": "🟥",
}
UNKNOWN = "⬜"
# The red share of a square in a picture. Readers must not depend on the colour alone.
LOST = {"🟩": 0.0, "🟨": 1 / 3, "🟧": 2 / 3, "🟥": 1.0, UNKNOWN: None}


def choose_square(regret: float | None) -> str:
    return UNKNOWN if regret is None else SQUARES[find_severity(regret).id]


def format_squares(regrets: Iterable[float | None]) -> str:
    return "".join(map(choose_square, regrets))


def list_worst_of_turns(
    decided: Iterable[tuple[int, float | None]], turns: int
) -> Sequence[float | None]:
    """Return the highest cost in each turn, or None for a turn with an unjudged decision."""
    costs: list[list[float | None]] = [[] for _turn in range(turns)]
    for turn, regret in decided:
        costs[turn].append(regret)
    return [
        max((regret for regret in regrets if regret is not None), default=None)
        if None not in regrets
        else None
        for regrets in costs
    ]


SALT = "game.board.sharing"
CHALLENGE = "game.board.challenge"


@dataclass(frozen=True, slots=True)
class Shared:
    text: str
    address: str


def make_shared(
    game: Game, rank: Rank | None, moves: Sequence[Move] = (), *, owner: bool = False
) -> Shared | None:
    """Return the text and the link with which a player shares a game; None if that is forbidden."""
    kind = find_kind(game)
    facts: dict[str, object] = {
        "game": labels.find_ruleset_name(game.rules),
        "points": game.final_score,
    }
    if owner and kind.challengeable:
        text = _("%(game)s: %(points)s points on these dice. Beat that score.") % facts
        return Shared(_append_squares(text, game, moves), make_challenge_url(game))
    address = kind.make_share_url(owner=owner)
    if not address:
        return None
    if not kind.ranked:
        text = _("%(game)s: %(points)s points.") % facts
        return Shared(_append_squares(text, game, moves), address)
    facts |= {"day": date_format(game.day) if game.day else "", "address": ""}
    text = _("%(game)s %(day)s: %(points)s points. %(address)s")
    if rank is not None and not game.among_guests:  # guests have no rank among the players
        facts |= {"place": rank.place, "players": rank.players}
        text = ngettext(
            "%(game)s %(day)s: %(points)s points, rank %(place)s of %(players)s player. "
            "%(address)s",
            "%(game)s %(day)s: %(points)s points, rank %(place)s of %(players)s players. "
            "%(address)s",
            rank.players,
        )
    return Shared(_append_squares((text % facts).strip(), game, moves), address)


def make_challenge_url(game: Game) -> str:
    """Return the address that invites others to play the game's dice. The spectators' link would
    show the card, so this address has a separate signature."""
    return reverse("beat", args=[signing.Signer(salt=CHALLENGE).sign(game.pk)])


def read_challenge_id(signed: str) -> str | None:
    try:
        return signing.Signer(salt=CHALLENGE).unsign(signed)
    except signing.BadSignature:
        return None


def make_result_url(game: Game) -> str:
    """Return the address of the public result. That page does not show the card."""
    return reverse("day_result", args=[signing.Signer(salt=SALT).sign(game.pk)])


def format_game_squares(game: Game, moves: Sequence[Move]) -> str:
    """Return a coloured square per turn, or "" if no move was judged or the coach helped."""
    decided = [(move.state.turn, move.entry.regret if move.entry else None) for move in moves]
    if format_help_note(game) or all(regret is None for _turn, regret in decided):
        return ""
    return format_squares(list_worst_of_turns(decided, len(game.rules.categories)))


def _append_squares(text: str, game: Game, moves: Sequence[Move]) -> str:
    return "\n".join(
        filter(None, (text, format_help_note(game) or format_game_squares(game, moves)))
    )
