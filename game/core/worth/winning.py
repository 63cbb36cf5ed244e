"""Playing to win a game that stands like this: chances instead of points; no database.

What wins is said by a payoff over final totals: to reach a target, or to end above somebody else,
a tie being half a win. Somebody who still plays is taken to play perfectly for points.
"""

from dataclasses import dataclass
from functools import partial

import numpy as np

from game.core.worth.severity import Severity, severity
from game.core.worth.tables import advisor, asked
from solver.advice import Advisor, BadPosition, position_of
from solver.advice.winning import (
    MOST_OPEN,
    Chances,
    Payoff,
    WinOption,
    against,
    at_least,
    chance_about,
    chance_to_reach,
    chances,
    totals_of,
)
from solver.dp.arrays import Floats
from solver.dp.space import TIE
from solver.rules import Action, Score, State

BEHIND = 1  # boxes that somebody else may have open beyond those of the one who asks


AT_ONCE = 4  # open boxes: 7 ms at most, and three times as long with each one more

# One game in a hundred is judged as half a point is: an inaccuracy. A blunder is one in ten.
POINTS_A_GAME = 50.0


def as_points(regret: float) -> float:
    """Return a chance given away, in the points by which mistakes are named and drills are
    scheduled."""
    return regret * POINTS_A_GAME if regret >= TIE else 0.0


def chance_severity(regret: float) -> Severity:
    return severity(as_points(regret))


def to_reach(total: int) -> Payoff:
    return at_least(total)


def to_beat(*others: State) -> Payoff | None:
    """To end above somebody else, or above the best of several; None where it is too early.

    Against several a tie with the best of them is half a win, however many share it.
    """
    worth = None
    for other in others:
        coach = advisor(other.rules)
        if coach is None or _open(other) > MOST_OPEN + BEHIND:
            return None
        totals = totals_of(coach, other)
        worth = totals if worth is None else _highest(worth, totals)
    return None if worth is None else against(worth)


@dataclass(frozen=True, slots=True)
class Reach:
    """The chance to reach a total. ``later``: it can be calculated exactly, given more time.
    ``chance`` is None if nothing is known yet."""

    chance: float | None
    exact: bool
    later: bool = False


def reach(state: State, total: int, *, at_once: bool) -> Reach | None:
    """Return the chance that best play reaches the total; approximate early in a game. None
    without tables, or for rules of which only values are calculated. ``at_once`` leaves out what
    takes longer than an action may."""
    if state.total >= total:
        return Reach(1.0, exact=True)
    if not state.rules.studied:
        return None
    return asked(state.rules, partial(_reach, state=state, total=total, at_once=at_once))


def _reach(coach: Advisor, *, state: State, total: int, at_once: bool) -> Reach | None:
    knowable = _open(state) <= MOST_OPEN
    if knowable and (_open(state) <= AT_ONCE or not at_once):
        return Reach(chance_to_reach(coach, state, total), exact=True)
    return Reach(chance_about(coach, state, total), exact=False, later=knowable)


def win_chances(state: State, payoff: Payoff) -> Chances | None:
    """Return the chances of all options; None without a table, without dice, or too early in the
    game."""
    coach = advisor(state.rules)
    if coach is None or not state.deciding or _open(state) > MOST_OPEN:
        return None
    return chances(coach, position_of(state), payoff.after(state.points))


def chosen_chance(chances: Chances, state: State, action: Action) -> WinOption:
    kept = () if isinstance(action, Score) else action.kept(state.dice)
    category = action.category if isinstance(action, Score) else ""
    for choice in chances.choices:
        option = choice.option
        if option.category == category and (category or option.dice == kept):
            return choice
    raise BadPosition("there is no such option", "action")


def _open(state: State) -> int:
    return len(state.rules.open(state.filled))


def _highest(first: Floats, second: Floats) -> Floats:
    """Return the chances of the higher of two totals."""
    longest = max(len(first), len(second))
    below = [np.pad(chances, (0, longest - len(chances))).cumsum() for chances in (first, second)]
    return np.diff(below[0] * below[1], prepend=0.0)
