"""The chance to reach a total from a running game, as one number for display after each roll.

Late in a game the chance is exact, under the best play for the total (``Endgame``). Earlier, the
best play within the turn maximises an approximate value of the next cards, which assumes perfect
play for points. The mean, the second moment and the chances of lumps (the bonus, boxes with fixed
points, chips) are exact. Lumps count as independent, all other points as normally distributed.
"""

from collections.abc import Iterator
from math import erfc, factorial, sqrt

import numpy as np

from solver.advice.advisor import Advisor
from solver.advice.winning.chances import MOST_OPEN, TooEarly, build_winning_turn
from solver.advice.winning.endgame import list_ends, make_target_payoff
from solver.dp.arrays import Floats, Ints, calculate_scale
from solver.dp.turn import Turn
from solver.rules.game import Hold, State

# A factor of the bonus points, because games with the bonus also score more in upper boxes. This
# factor minimises the mean error over early cards.
WITH_BONUS = 1.2
NARROWEST = 1.0  # smallest variance of the normal part, in points squared
MOST_CHIPS = 3
SELDOM = 1e-9  # smallest chance that may be a divisor

Ways = list[tuple[Floats, float]]  # pairs: chances[card], points

_erfc = np.frompyfunc(erfc, 1, 1)


def calculate_chance(coach: Advisor, state: State, total: int) -> float:
    """Return the chance that the best play reaches the total. Raise TooEarly early in a game."""
    open_boxes = len(coach.rules.open(state.filled))
    if open_boxes > MOST_OPEN:
        raise TooEarly(open_boxes, MOST_OPEN)
    if not open_boxes:
        return float(state.total >= total)
    column = coach.space.find_column(state.upper)
    worth = make_target_payoff(total - state.points).worth.tobytes()
    return _calculate_current_chance(
        build_winning_turn(coach.rules, state.filled, column, state.chips_won, worth), state
    )


def estimate_chance(coach: Advisor, state: State, total: int) -> float | None:
    """Return an estimated chance to reach the total, or None if a required table is missing."""
    if coach.outlook is None or coach.explain is None:
        return None
    column = coach.space.find_column(state.upper)
    turn = Turn(coach.space, state.filled, column, state.chips_won, coach.values.rows)
    needed = total - state.points
    row = coach.space.find_row(turn.filled, chips_won=turn.chips_won)
    scores = []
    for ends in list_ends(coach.rules, row):
        columns = np.minimum(turn.upper + ends.step, coach.space.columns - 1)
        chances = np.full(len(ends.row) + 1, -np.inf)  # of each end; the last forbids a box
        for after in np.unique(ends.row).tolist():
            these = np.flatnonzero(ends.row == after)
            chances[these] = _estimate_chance_of_rest(
                coach, after, columns[these], needed - ends.gain[these]
            )
        scores.append(chances[ends.by_roll])
    turn.scores = np.array(scores)
    return _calculate_current_chance(turn, state)


def _calculate_current_chance(turn: Turn, state: State) -> float:
    """Return the chance to win with the rolled dice. Before a roll, return it for the held dice."""
    cup = turn.rules.cup
    if state.deciding:
        return float(turn.best(state.throws_left)[cup.roll_index[tuple(sorted(state.dice))]])
    kept = Hold(state.held).kept(state.dice) if state.dice else ()
    return float(turn.holds(state.throws_left)[cup.hold_index[kept]])


def _estimate_chance_of_rest(coach: Advisor, row: int, columns: Ints, needed: Ints) -> Floats:
    """Return, for each n, the chance of at least needed[n] more points on the card with the filled
    boxes ``row`` and the upper column columns[n]."""
    rules = coach.rules
    if row & rules.full == rules.full:
        bonus = np.array([rules.bonus(column) for column in columns.tolist()])
        return (bonus >= needed).astype(np.float64)
    mean = coach.values.read_row(row)[columns]
    second = coach.outlook.read_row(row)[columns, 1].astype(np.float64)  # type: ignore[union-attr]
    left, variance = mean.copy(), second - mean * mean
    ways: Ways = [(np.ones(len(mean)), 0.0)]
    for lump in _list_lumps(coach, row, columns):
        expected = sum((chance * points for chance, points in lump), np.zeros(len(mean)))
        squares = sum((chance * points**2 for chance, points in lump), np.zeros(len(mean)))
        left -= expected
        variance -= squares - expected * expected
        ways = [(chance * more, at + points) for chance, at in ways for more, points in lump]
    deviation = np.sqrt(np.maximum(variance, NARROWEST))
    short, total = needed - 0.5 - left, np.zeros(len(mean))
    for chance, at in ways:
        tail = np.asarray(_erfc((short - at) / (sqrt(2.0) * deviation)), dtype=np.float64)
        total = total + chance * (0.5 * tail)
    return total


def _list_lumps(coach: Advisor, row: int, columns: Ints) -> Iterator[Ways]:
    """Yield (chances, points) of each lump: a part of the score with no normal distribution."""
    rules, joker = coach.rules, coach.rules.joker
    bonus = coach.outlook.read_row(row)[columns, 0].astype(np.float64)  # type: ignore[union-attr]
    yield _make_two_point_lump(bonus, WITH_BONUS * rules.bonus_points)
    expected = coach.explain.read_row(row)[columns] * calculate_scale(rules)  # type: ignore[union-attr]
    for box in rules.open(row & rules.full):
        category = rules.categories[box]
        if category.points and not (joker and category.id == joker.box):
            yield _make_two_point_lump(expected[:, box] / category.points, category.points)
    if joker:
        chips = (coach.values.read_row(row)[columns] - expected.sum(axis=1)) / joker.chip
        box = rules.index[joker.box]
        if row > rules.full:
            yield _make_poisson_lump(np.ones(len(chips)), chips, 0, joker.chip)
        elif not row >> box & 1:
            points = rules.categories[box].points or 0
            likely = np.clip(expected[:, box] / points, SELDOM, 1.0)
            lump = _make_poisson_lump(likely, chips / likely, points, joker.chip)
            yield [(1.0 - likely, 0.0), *lump]


def _make_two_point_lump(chance: Floats, points: float) -> Ways:
    likely = np.clip(chance, 0.0, 1.0)
    return [(1.0 - likely, 0.0), (likely, points)]


def _make_poisson_lump(likely: Floats, each: Floats, points: int, chip: int) -> Ways:
    """Return (chances, points) for 0, 1, 2 ... chips from the box for jokers. Their mean number is
    ``each``. The last pair includes all higher numbers of chips."""
    mean = np.maximum(each, 0.0)
    chances = [np.exp(-mean) * mean**many / factorial(many) for many in range(MOST_CHIPS)]
    chances.append(1.0 - sum(chances))
    return [(likely * chance, points + many * chip) for many, chance in enumerate(chances)]
