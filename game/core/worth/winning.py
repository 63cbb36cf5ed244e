"""Playing to win: moves are valued by the chance to win, not by points. The database is not used.

A player wins by reaching the target, a total at the end.
"""

from dataclasses import dataclass
from functools import partial

from game.core.worth.tables import ask_advisor
from solver.advice import Advisor, BadPosition
from solver.advice.winning import (
    MOST_OPEN,
    Chances,
    WinOption,
    calculate_chance,
    estimate_chance,
)
from solver.dp.space import TIE
from solver.rules import Action, Score, State

AT_ONCE = 4  # most open boxes; a probability takes up to 7 ms, and each further box triples it

# One game lost in a hundred counts as half a point, an inaccuracy; one in ten as a blunder.
POINTS_A_GAME = 50.0


def convert_to_points(regret: float) -> float:
    return regret * POINTS_A_GAME if regret >= TIE else 0.0


@dataclass(frozen=True, slots=True)
class Reach:
    """The chance to reach a total, or None. ``later``: a longer calculation makes it exact."""

    chance: float | None
    exact: bool
    later: bool = False


def find_reach(state: State, total: int, *, at_once: bool) -> Reach | None:
    """Return the chance that best play reaches the total; None if a required table is missing. The
    chance is approximate early in a game and, with ``at_once``, if the exact one takes too long."""
    if state.total >= total:
        return Reach(1.0, exact=True)
    if not state.rules.studied:
        return None
    return ask_advisor(
        state.rules, partial(_calculate_reach, state=state, total=total, at_once=at_once)
    )


def _calculate_reach(coach: Advisor, *, state: State, total: int, at_once: bool) -> Reach | None:
    open_boxes = len(state.rules.open(state.filled))
    knowable = open_boxes <= MOST_OPEN
    if knowable and (open_boxes <= AT_ONCE or not at_once):
        return Reach(calculate_chance(coach, state, total), exact=True)
    return Reach(estimate_chance(coach, state, total), exact=False, later=knowable)


def find_chosen_chance(chances: Chances, state: State, action: Action) -> WinOption:
    kept = () if isinstance(action, Score) else action.kept(state.dice)
    category = action.category if isinstance(action, Score) else ""
    for choice in chances.choices:
        option = choice.option
        if option.category == category and (category or option.dice == kept):
            return choice
    raise BadPosition("there is no such option", "action")
