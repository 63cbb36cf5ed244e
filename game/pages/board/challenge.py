"""Challenges: the players who accepted a challenge, and the comparison of two games on its dice."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from game.core.access import hides_advice_from
from game.core.counting import format_help_note, is_unaided
from game.core.game_queries import Played, game_find
from game.core.kind import find_kind
from game.core.words import labels, phrases
from game.core.words.equation import Equation, ScoreDifference
from game.core.worth.severity import sum_mistakes
from game.models import Game
from game.pages.board.sharing import make_challenge_url, read_challenge_id
from solver.advice import is_mistake
from solver.rules import Score

SHOWN = 3  # number of best tries that the end of a game shows


@dataclass(frozen=True, slots=True)
class Try:
    name: str
    points: int
    ahead: bool  # true if the try beat the score without the coach's help
    helped: str


@dataclass(frozen=True, slots=True)
class Rivals:
    """The other players on the same dice, shown at the end of a game. ``people`` is their number,
    ``best`` their best tries, ``address`` the page of all tries. ``against`` names the challenger;
    ``both`` is the address of the page that compares the challenger's game with this one."""

    people: int
    best: tuple[Try, ...]
    address: str
    against: str
    both: str


def find_challenged_game(signed: str) -> Game | None:
    """Return the game that a challenge link names; None if the link or the challenge is invalid."""
    pk = read_challenge_id(signed)
    game = game_find(pk) if pk else None
    return game if game is not None and find_kind(game).challengeable else None


def list_tries(game: Game) -> list[Try]:
    """Return other players' finished tries, the best first. Tries with help come last."""
    others = Game.objects.filter(rematch_of=game, finished_at__isnull=False)
    others = others.exclude(player=game.player_id).select_related("player")
    ranked, tries = others.order_by("-final_score", "finished_at"), []
    for other in sorted(ranked, key=lambda other: not is_unaided(other)):
        name, points = labels.format_nickname(other.player), other.final_score or 0
        ahead = is_unaided(other) and points > (game.final_score or 0)
        tries.append(Try(name, points, ahead, format_help_note(other)))
    return tries


def find_rivals(game: Game) -> Rivals | None:
    """Return the other players on these dice; None if there are none, or a trial hides them."""
    if hides_advice_from(game.player):
        return None
    others, original = list_tries(game) if find_kind(game).challengeable else [], game.rematch_of
    if original is not None and (
        original.player_id == game.player_id or not find_kind(original).challengeable
    ):
        original = None
    if not others and original is None:
        return None
    return Rivals(
        people=len(others),
        best=tuple(others[:SHOWN]),
        address=make_challenge_url(game),
        against=labels.format_nickname(original.player) if original else "",
        both=make_challenge_url(original) if original else "",
    )


@dataclass(frozen=True, slots=True)
class Decided:
    """A decision and its cost, which is empty if it is unknown or hidden."""

    deed: str
    cost: str
    costs: bool
    fills: bool  # true if a box was filled, which ends the turn


@dataclass(frozen=True, slots=True)
class Side:
    name: str
    points: int
    help_note: str
    equation: Equation | None
    turns: tuple[tuple[Decided, ...], ...]


@dataclass(frozen=True, slots=True)
class TwoGames:
    """Two games to compare. ``difference`` is None if costs are unknown or hidden."""

    mine: Side
    theirs: Side
    difference: ScoreDifference | None

    @property
    def turns(self) -> Iterator[tuple[int, Sequence[Decided], Sequence[Decided]]]:
        both = zip(self.mine.turns, self.theirs.turns, strict=True)
        return ((number, mine, theirs) for number, (mine, theirs) in enumerate(both, start=1))


def compare_games(mine: Played, theirs: Played, *, with_worth: bool) -> TwoGames:
    first, second = (
        _make_side(mine, with_worth=with_worth),
        _make_side(theirs, with_worth=with_worth),
    )
    if first.equation is None or second.equation is None:
        return TwoGames(first, second, None)
    return TwoGames(first, second, ScoreDifference(first.equation, second.equation))


def _make_side(played: Played, *, with_worth: bool) -> Side:
    equation = calculate_equation(played) if with_worth else None
    turns = []
    for _turn, moves in groupby(played.moves, key=lambda move: move.state.turn):
        turn = []
        for move in moves:
            entry = move.entry if equation is not None else None
            deed = phrases.describe_move(move.state, move.action)
            cost = phrases.format_deduction(entry.regret) if entry else ""
            costs = entry is not None and is_mistake(entry.regret)
            turn.append(Decided(deed, cost, costs, fills=isinstance(move.action, Score)))
        turns.append(tuple(turn))
    return Side(
        name=labels.format_nickname(played.game.player),
        points=played.state.total,
        help_note=format_help_note(played.game),
        equation=equation,
        turns=tuple(turns),
    )


def calculate_equation(played: Played) -> Equation | None:
    """Return the equation of the game's score, or None if a decision was not judged."""
    judged = [move.entry for move in played.moves if move.entry is not None]
    if len(judged) < len(played.moves):
        return None
    loss = sum_mistakes(entry.regret for entry in judged)
    return Equation.from_game(played.state.total, sum(entry.luck for entry in judged), loss)
