"""The end of a finished game in words: a headline, three sentences, and the next step.

The sentences are about the turn that decided the game, the kind of decision that lost most points,
and the luck, compared with games of perfect play. Sentences without known facts are left out. No
database is used.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

from game.core.game_queries import Move
from game.core.words import phrases
from game.core.words.equation import Equation
from game.core.words.sentences import Event
from game.core.words.speech import LIMITS, TABLE, Speaker, say
from game.core.worth.severity import INACCURACY, Grade, find_severity
from game.pages.board.sharing import list_worst_of_turns
from solver.advice import Entry
from solver.exact.distribution import Distribution
from solver.rules import Hold, Ruleset

Judged = Sequence[tuple[Move, Entry]]

FEWEST, LATEST, BIN = 4, 60, 10  # fewest and most games in the drawing; points per column


@dataclass(frozen=True, slots=True)
class Dot:
    x: int
    y: int
    now: bool  # true for the dot of this game


@dataclass(frozen=True, slots=True)
class OwnGames:
    """The player's scores, as dots in columns of ten points. All sizes are units of the drawing."""

    games: int
    dots: tuple[Dot, ...]
    ticks: tuple[tuple[int, int], ...]  # the position of each label, and the score there
    width: int
    height: int


def list_sentences(
    judged: Judged, equation: Equation, perfect: Distribution | None, grade: Grade
) -> list[Event]:
    """Return up to three sentences. The ``facts`` of each are a title, and points lost or luck.
    The habit is one of mistakes that a player of this grade sees."""
    worst, habit = None, None
    costliest = max(judged, key=lambda pair: pair[1].regret)
    highest, sees = costliest[1].regret, TABLE["sees"][grade.id]
    if highest >= INACCURACY:
        facts = {"title": say("turn_title"), "figure": phrases.format_deduction(highest)}
        worst = Event("turn", say("turn", **_name_turn(costliest[0])), facts=facts)
    # The costs of mistakes except the costliest, by kind and number of the decision. The kinds are
    # the hold after each roll, and 0 for a box.
    kinds: dict[int, dict[int, float]] = defaultdict(dict)
    for number, (move, entry) in enumerate(judged, start=1):
        if entry.regret >= sees and (move, entry) != costliest:
            kind = move.state.throws_made if isinstance(move.action, Hold) else 0
            kinds[kind][number] = entry.regret
    throw, costs = max(kinds.items(), key=lambda pair: sum(pair[1].values()), default=(0, {}))
    cost, points_lost = sum(costs.values()), sum(entry.regret for _move, entry in judged)
    if len(costs) >= LIMITS["habit"] and cost >= LIMITS["habit_share"] * points_lost:
        example = max(costs, key=costs.__getitem__)
        named = SimpleNamespace(throw=throw, count=len(costs), **_name_turn(judged[example - 1][0]))
        facts = {"title": say("habit_title"), "figure": phrases.format_deduction(cost)}
        habit = Event("habit", Speaker(named).said("habit"), facts=facts | {"example": example})
    return list(filter(None, (worst, habit, _compare_luck(equation, perfect))))


def describe_score(group: str, equation: Equation) -> str:
    """Return a sentence about a score or "": as "headline" the rarest praise that this game
    deserves, as "points_lost" the cost of all mistakes."""
    cost, above = equation.printed_lost, equation.total - equation.start
    facts = SimpleNamespace(lost=cost, points=max(1, round(cost)), above=above)
    return phrases.keep_on_one_line(Speaker(facts).said(group))


def choose_way(judged: Judged, equation: Equation) -> str:
    """Return the next step to propose: retry the costliest move, review the game, or play again."""
    worst = max((entry.regret for _move, entry in judged), default=0.0)
    return Speaker(SimpleNamespace(worst=worst, lost=equation.printed_lost)).said("way")


def list_turn_severities(judged: Judged, rules: Ruleset) -> list[str]:
    """Return the severity of each turn's worst decision; empty if a decision was not judged."""
    decided = [(move.state.turn, entry.regret) for move, entry in judged]
    worst = list_worst_of_turns(decided, len(rules.categories))
    return ["" if regret is None else find_severity(regret).id for regret in worst]


def make_games_chart(scores: Sequence[int], now: int) -> OwnGames | None:
    """Return the chart of the latest games with this game on top, or None for too few games."""
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


def _name_turn(move: Move) -> dict[str, Any]:
    deed = phrases.describe_move(move.state, move.action)
    return {"turn": move.state.turn + 1, "deed": deed}


def _compare_luck(equation: Equation, perfect: Distribution | None) -> Event | None:
    """Describe the luck, compared with games of perfect play; None if it was ordinary."""
    if perfect is None:
        return None
    below = perfect.below(equation.start + equation.printed_luck)
    share = max(below, 1 - below)
    if share <= LIMITS["rare_luck"]:
        return None
    out_of = 1000 if share > LIMITS["rarest_luck"] else 100
    games = min(out_of - 1, round(out_of * share))
    text = say("unluckier" if below < 0.5 else "luckier", games=games, among=out_of)
    return Event("luck", text, facts={"title": say("luck_title"), "figure": equation.luck_words})
