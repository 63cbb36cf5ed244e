"""The end of a finished game in words: a headline, three sentences, and the next step.

The sentences are about the turn that decided the game, the kind of decision that cost most, and the
luck and how rare it is in perfect play. Unknown facts are left out. The module uses no database.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Literal

from game.core.game_queries import Move
from game.core.words import phrases
from game.core.words.equation import Equation
from game.core.words.speech import LIMITS, Speaker, say
from game.core.worth.severity import INACCURACY, find_severity
from game.pages.board.sharing import list_worst_of_turns
from solver.advice import Entry
from solver.exact.distribution import Distribution
from solver.rules import Hold, Ruleset

Judged = Sequence[tuple[Move, Entry]]
Way = Literal["learn", "review", "again"]

FEWEST, LATEST, BIN = 4, 60, 10  # fewest and most games in the drawing, points per column


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence with a figure; ``lost`` is true if the figure is points lost by decisions."""

    figure: str
    title: str
    text: str
    lost: bool
    example: int = 0  # the number of the costliest decision of a habit


@dataclass(frozen=True, slots=True)
class Dot:
    x: int
    y: int
    now: bool  # the dot of this game


@dataclass(frozen=True, slots=True)
class OwnGames:
    """The player's scores as dots in columns of ten points; all sizes are units of the drawing."""

    games: int
    dots: tuple[Dot, ...]
    ticks: tuple[tuple[int, int], ...]  # the position of each label, and the score there
    width: int
    height: int


def list_sentences(
    judged: Judged, equation: Equation, perfect: Distribution | None
) -> list[Sentence]:
    said_of = (
        _describe_worst_turn(judged),
        _describe_habit(judged),
        _compare_luck(equation, perfect),
    )
    return [sentence for sentence in said_of if sentence is not None]


def choose_headline(equation: Equation) -> str:
    """Return the rarest praise that this game deserves, or an empty text."""
    above = equation.total - equation.start
    facts = SimpleNamespace(lost=equation.printed_lost, above=above)
    return Speaker(facts, {}).said("headline")


def format_points_lost(equation: Equation) -> str:
    """Return the cost of all mistakes; empty without a mistake."""
    points = max(1, round(equation.printed_lost))
    facts = SimpleNamespace(lost=equation.printed_lost, points=points)
    return phrases.keep_on_one_line(Speaker(facts, {"number": str}).said("points_lost"))


def choose_way(judged: Judged, equation: Equation) -> Way:
    """Return the next step: retry the costliest decision, review the game, or play again."""
    worst = max((entry.regret for _move, entry in judged), default=0.0)
    if worst >= LIMITS["replayed"]:
        return "learn"
    return "review" if equation.printed_lost >= LIMITS["replayed"] else "again"


def list_turn_severities(judged: Judged, rules: Ruleset) -> list[str]:
    """Return the severity of each turn's worst decision; empty if not judged."""
    worst = list_worst_of_turns(
        [(move.state.turn, entry.regret) for move, entry in judged], len(rules.categories)
    )
    return ["" if regret is None else find_severity(regret).id for regret in worst]


def make_games_chart(scores: Sequence[int], now: int) -> OwnGames | None:
    """Return the chart of the latest games, with this game on top; None for few games."""
    if len(scores) < FEWEST:
        return None
    latest = scores[-LATEST:]
    low = min(latest) // BIN
    high = max(latest) // BIN
    columns: dict[int, int] = defaultdict(int)
    for score in latest:
        columns[score // BIN] += 1
    columns[now // BIN] -= 1 if now in latest else 0
    highest = max(*columns.values(), columns[now // BIN] + 1)
    place = {column: 12 + 24 * (column - low) for column in range(low, high + 1)}
    dots = [
        Dot(place[column], 24 * (highest - level) - 12, now=False)
        for column, count in sorted(columns.items())
        for level in range(count)
    ]
    if now // BIN in place:
        dots.append(Dot(place[now // BIN], 24 * (highest - columns[now // BIN]) - 12, now=True))
    step = max(1, -(-(high - low + 1) // 5))
    ticks = [(place[column], BIN * column) for column in range(low, high + 1, step)]
    return OwnGames(len(latest), tuple(dots), tuple(ticks), 24 * (high - low + 1), 24 * highest)


def _describe_worst_turn(judged: Judged) -> Sentence | None:
    move, entry = max(judged, key=lambda pair: pair[1].regret)
    if entry.regret < INACCURACY:
        return None
    facts = {
        "turn": move.state.turn + 1,
        "deed": phrases.describe_move(move.state, move.action),
    }
    return Sentence(
        phrases.format_deduction(entry.regret),
        say("turn_title"),
        say("turn", **facts),
        lost=True,
    )


def _describe_habit(judged: Judged) -> Sentence | None:
    """Describe the kind of decision that cost most, without the costliest decision. A kind is a
    box, or the hold after some roll. Return None if no kind stands out."""
    costliest = max(judged, key=lambda pair: pair[1].regret)
    kinds: dict[tuple[str, int], dict[int, float]] = defaultdict(dict)
    for number, (move, entry) in enumerate(judged, start=1):
        if entry.regret >= INACCURACY and (move, entry) != costliest:
            throw = move.state.throws_made
            kind = ("hold", throw) if isinstance(move.action, Hold) else ("box", 0)
            kinds[kind][number] = entry.regret
    if not kinds:
        return None
    (what, throw), costs = max(kinds.items(), key=lambda pair: sum(pair[1].values()))
    cost = sum(costs.values())
    points_lost = sum(entry.regret for _move, entry in judged)
    if len(costs) < LIMITS["habit"] or cost < LIMITS["habit_share"] * points_lost:
        return None
    example = max(costs, key=costs.__getitem__)
    move = judged[example - 1][0]
    name = "habit_boxes" if what == "box" else "habit_holds"
    texts = (
        say(name, len(costs), count=len(costs), throw=throw),
        say("turn", turn=move.state.turn + 1, deed=phrases.describe_move(move.state, move.action)),
    )
    title = say("habit_title")
    return Sentence(
        phrases.format_deduction(cost), title, " ".join(texts), lost=True, example=example
    )


def _compare_luck(equation: Equation, perfect: Distribution | None) -> Sentence | None:
    """Compare the luck with the luck of perfect games; return None for ordinary luck."""
    if perfect is None:
        return None
    below = perfect.below(equation.start + equation.printed_luck)
    share = max(below, 1 - below)
    if share <= LIMITS["rare_luck"]:
        return None
    out_of = 1000 if share > LIMITS["rarest_luck"] else 100
    games = min(out_of - 1, round(out_of * share))
    text = say("unluckier" if below < 0.5 else "luckier", games=games, among=out_of)
    return Sentence(equation.luck_words, say("luck_title"), text, lost=False)
