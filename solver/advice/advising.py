"""Advice on many positions at once, for programs that send thousands of positions.

The advice equals that of ``Advisor.advise``, but ``ManyTurns`` calculates it for whole arrays. If
the caller wants only the best options, no objects are created for other options.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from solver.advice.advisor import Advisor
from solver.advice.options import Advice, Option, Outlook
from solver.dp.arrays import Floats, Ints
from solver.dp.outcomes import build_outcomes
from solver.dp.space import TIE
from solver.dp.turn import (
    Bools,
    ManyTurns,
    Rows,
    StartCards,
    list_roll_holds,
    pad_roll_holds,
)
from solver.rules.position import Position

NEVER = 1e300  # points; more than any option costs
TOGETHER = 128  # number of positions in a batch, whose arrays fit into the cache of a core


def advise_many(
    advisor: Advisor,
    positions: Sequence[Position],
    *,
    top: int | None = None,
    outlook: bool = False,
) -> list[Advice]:
    """Return the advice for each position: its ``top`` best options, or all. The caller must check
    the positions. If the rules save rolls, calculate one position at a time."""
    if advisor.rules.stock:
        advised = map(advisor.advise, positions)
        return [Advice(advice.value, advice.options[:top]) for advice in advised]
    advised_by_place: dict[int, Advice] = {}
    moments = advisor.outlook.rows if outlook and advisor.outlook else None
    for throws in range(advisor.rules.throws):
        numbers = [n for n, position in enumerate(positions) if position.rolls_left == throws]
        for first in range(0, len(numbers), TOGETHER):
            some = numbers[first : first + TOGETHER]
            these = [positions[n] for n in some]
            advised_by_place.update(
                zip(some, _advise_alike(advisor, these, top, moments), strict=True)
            )
    return [advised_by_place[number] for number in range(len(positions))]


def _advise_alike(
    advisor: Advisor, positions: Sequence[Position], top: int | None, moments: Rows | None
) -> Iterator[Advice]:
    """Yield the advice for positions that have the same number of rolls left. Arrays are [option,
    position]: first the holds, then the boxes. If a position has fewer holds than others, its
    unused entries have the value minus infinity. If ``top`` is 1, only the best options get an
    outlook."""
    throws, cards, cup = positions[0].rolls_left, np.arange(len(positions)), advisor.cup
    facts = [(position.filled, position.upper, position.chips_won) for position in positions]
    filled, upper, chips_won = np.array(facts, dtype=np.int64).T
    turns = ManyTurns(
        advisor.space, StartCards(filled, upper, chips_won.astype(np.bool_)), advisor.values.rows
    )
    rolls = np.array([cup.roll_index[tuple(sorted(position.dice))] for position in positions])
    outcomes = turns.find_outcomes(rolls)
    points = build_outcomes(advisor.rules).points[outcomes]
    number = np.repeat(np.arange(len(outcomes))[:, None], len(positions), axis=1)
    value, holds = turns.evaluate_outcomes(outcomes), np.empty((0, len(positions)), dtype=np.int64)
    if throws:
        holds = pad_roll_holds(advisor.rules.dice)[:, rolls]
        held = turns.holds(throws)[holds, cards]
        many = np.array([len(roll) for roll in list_roll_holds(advisor.rules.dice)])[rolls]
        held[np.arange(len(holds))[:, None] >= many] = -np.inf
        number, value = np.concatenate((holds, number)), np.concatenate((held, value))
        points = np.concatenate((np.zeros_like(holds), points))
    best = value.max(axis=0)
    # Sort the options of each position as ``sort_by_cost`` does.
    order = (best - value).argsort(axis=0, kind="stable")
    costs = np.take_along_axis(best - value, order, axis=0).clip(max=NEVER)
    groups = np.pad((np.diff(costs, axis=0) > TIE).cumsum(axis=0), ((1, 0), (0, 0)))
    tied = (groups * len(order) + order).argsort(axis=0)
    order = np.take_along_axis(order, tied, axis=0)[:top]
    number, value, points = number[order, cards], value[order, cards], points[order, cards]
    if moments is None:
        seen = np.empty((*order.shape, 0))
    else:
        if top == 1:
            carried = _carry_options(
                turns, throws, order[0] < len(holds), number[0], outcomes, moments
            )
        else:
            carried = turns.calculate_moments(outcomes, cards, moments)
            if throws:
                held = turns.calculate_hold_moments(throws, moments)[holds, cards]
                carried = np.concatenate((held, carried))
            carried = carried[order, cards]
        worth = np.where(np.isfinite(value), value, 0.0)
        deviation = np.sqrt(np.maximum(0.0, carried[..., 1] - worth * worth))
        chance = np.clip(carried[..., 0], 0.0, 1.0)
        seen = np.stack((chance, worth - points, deviation), axis=-1)  # fields of ``Outlook``
    columns = (order, number, points, value, best - value)
    kept = [column.T.tolist() for column in columns]
    rows = zip(positions, best.tolist(), *kept, seen.swapaxes(0, 1).tolist(), strict=True)
    for position, most, *columns_of_position in rows:
        options, dice = [], tuple(sorted(position.dice))
        boxes = advisor.rules.categories
        for at, which, gain, worth_of, regret, fields in zip(*columns_of_position, strict=True):
            if worth_of == -np.inf:
                break  # unused entries, which are last, have the value minus infinity
            outlook = Outlook(*fields) if fields else None
            if at < len(holds):
                option = Option("hold", cup.holds[which], "", 0, worth_of, regret, outlook)
            else:
                option = Option("score", dice, boxes[which].id, gain, worth_of, regret, outlook)
            options.append(option)
        yield Advice(most, tuple(options))


def _carry_options(
    turns: ManyTurns, throws: int, is_hold: Bools, number: Ints, outcomes: Ints, moments: Rows
) -> Floats:
    """Return an array [0, position, quantity]: the bonus chance and the mean square of the points
    still to come, after one option per position. number[position] is the number of a hold if
    is_hold[position], otherwise of a box."""
    boxes, holds = np.flatnonzero(~is_hold), np.flatnonzero(is_hold)
    ends = turns.calculate_moments(outcomes[number[boxes], boxes], boxes, moments)
    carried = np.empty((1, len(number), 2))
    carried[0, boxes] = ends
    if len(holds):
        ways = turns.list_ways(throws, number[holds], holds)
        ends = turns.calculate_moments(ways.outcome, ways.card, moments) * ways.chance[:, None]
        for quantity in range(2):
            sums = np.bincount(ways.card, ends[:, quantity], len(number))
            carried[0, holds, quantity] = sums[holds]
    return carried
