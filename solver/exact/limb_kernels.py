"""The calculation of a turn in whole numbers of any length, compiled: ``dp.kernels``, not rounded.

A long number is split into limbs of LIMB bits. ``work[limb, place]`` has one number per place, the
lowest limb first, each limb in an int64. Even six dice have only 6^6 orders (15.6 bits), so a limb
of a sum over a roll stays below 2^62. Carries are therefore done once per roll for all numbers.

The first places are the values of holds, in the order of the holds. The next places are: a place
that is never the best, the value of each box at 0 points, the entries of ``whole.WholeEntries``,
and the boxes of jokers. ``at[hold]`` is the place of the best number within a hold, so that numbers
are compared but not copied. ``key`` has the top bits of each number, which decide most comparisons.
"""

from pathlib import Path
from typing import Any

import numpy as np
from numba import njit

from solver.dp.compiled import make_kernel_for
from solver.exact import LIMB

MASK = (1 << LIMB) - 1
KEY = 63 - LIMB  # number of bits of the second limb that are part of the key

kernel = make_kernel_for(Path(__file__).resolve().parent)
part: Any = njit(nogil=True)


@part
def store_key(work: Any, key: Any, place: int) -> None:
    top = work.shape[0] - 1
    key[place] = work[top, place] << KEY | work[top - 1, place] >> (LIMB - KEY)


@part
def is_larger(work: Any, first: int, other: int) -> Any:
    limb = work.shape[0] - 1
    while limb > 0 and work[limb, first] == work[limb, other]:
        limb -= 1
    return work[limb, first] > work[limb, other]


@part
def find_best(work: Any, key: Any, at: Any, start: int, lines: Any, line: int) -> int:
    """Return the index of the largest number: ``start``, or at[n] for an n in lines[line, 1:]."""
    top = key[start]
    for number in range(1, lines.shape[1]):
        place = at[lines[line, number]]
        here = key[place]
        if here == top and place != start:
            if is_larger(work, place, start):
                start = place
        else:
            start = place if here > top else start
            top = max(here, top)
    return start


@part
def store_score(
    work: Any, key: Any, place: int, before: Any, row: int, column: int, points: int
) -> None:
    """Set work[:, place] to these points plus the value of the next card, from ``before``."""
    column = min(max(column, before.alike_until[row]), before.values.shape[1] - 1)
    carry, index, worth = 0, before.place[row], before.values.shape[2]
    for limb in range(work.shape[0]):
        total = before.points[points, limb] + carry
        if limb < worth:
            total += before.values[index, column, limb]
        work[limb, place] = total & MASK
        carry = total >> LIMB
    store_key(work, key, place)


@part
def score_pass(
    work: Any, key: Any, at: Any, best: Any, row: int, column: int, before: Any, entries: Any
) -> None:
    """Calculate the value of each roll in its best open box."""
    boxes, nothing = entries.start.shape[0] - 1, entries.bounds[-1]
    zero = nothing
    for box in range(boxes):
        place = nothing + 1 + box
        if not row >> box & 1:
            store_score(work, key, place, before, row | 1 << box, column, 0)
            if is_larger(work, place, zero):
                zero = place
    best[:-1] = zero
    for box in range(boxes):
        if row >> box & 1:
            continue
        after = row | 1 << box
        if box == entries.joker_box:
            after |= entries.chips_row
        for entry in range(entries.start[box], entries.start[box + 1]):
            place, slot = nothing + 1 + boxes + entry, entries.slot[entry]
            step, points = entries.step[entry], entries.points[entry]
            store_score(work, key, place, before, after, column + step, points)
            if is_larger(work, place, best[slot]):
                best[slot] = place
    for line in range(entries.slots_of_roll.shape[0]):
        start = best[entries.slots_of_roll[line, 0]]
        roll = entries.bounds[-2] + line
        at[roll] = find_best(work, key, best, start, entries.slots_of_roll, line)


@part
def update_jokers(
    work: Any, key: Any, at: Any, row: int, column: int, before: Any, entries: Any, jokers: Any
) -> None:
    """Recalculate the value in the best box for the rolls that are jokers on this card."""
    if jokers.start.shape[0] <= 1:
        return
    nothing = entries.bounds[-1]
    place = nothing + entries.start.shape[0] + entries.slot.shape[0]
    moves = range(jokers.start[row], jokers.start[row + 1])
    for move in moves:
        at[jokers.roll[move]] = nothing
    for move in moves:
        roll, step, points = jokers.roll[move], jokers.step[move], jokers.points[move]
        store_score(work, key, place, before, jokers.row[move], column + step, points)
        if is_larger(work, place, at[roll]):
            at[roll] = place
        place += 1


@part
def sum_pass(work: Any, at: Any, sums: Any, entries: Any) -> None:
    """Set sums[:, hold] to the best value if the hold has all dice. Otherwise set it to the sum of
    the best values over all rolls of the other dice. ``hold_pass`` does the carries."""
    first_roll, limbs = entries.bounds[-2], work.shape[0]
    for limb in range(limbs):
        for roll in range(first_roll, entries.bounds[-1]):
            sums[limb, roll] = work[limb, at[roll]]
    more = entries.more
    for n in range(more.shape[0]):
        hold, a, b, c = more[n, 0], more[n, 1], more[n, 2], more[n, 3]
        d, e, f = more[n, 4], more[n, 5], more[n, 6]
        for limb in range(limbs):
            low = sums[limb, a] + sums[limb, b] + sums[limb, c]
            sums[limb, hold] = low + sums[limb, d] + sums[limb, e] + sums[limb, f]


@part
def hold_pass(work: Any, key: Any, sums: Any, carry: Any, entries: Any) -> None:
    """Set work[:, hold] to sums[:, hold] * times[hold], with carries. If ``thrown`` is not empty,
    divide the result by thrown[hold] and round down."""
    limbs, holds = work.shape[0], entries.bounds[-1]
    times = entries.times
    carry[:] = 0
    for limb in range(limbs):
        for hold in range(holds):
            total = sums[limb, hold] * times[hold] + carry[hold]
            work[limb, hold] = total & MASK
            carry[hold] = total >> LIMB
    if entries.thrown.shape[0]:  # the last limb needs no carry
        for limb in range(limbs - 1, -1, -1):
            for hold in range(holds):
                total = work[limb, hold] + (carry[hold] << LIMB)
                work[limb, hold] = total // entries.thrown[hold]
                carry[hold] = total % entries.thrown[hold]
    for hold in range(holds):
        top = work[limbs - 1, hold] << KEY
        key[hold] = top | work[limbs - 2, hold] >> (LIMB - KEY)


@part
def find_best_holds(work: Any, key: Any, at: Any, entries: Any) -> None:
    """Set at[hold] to the place of the best number within the hold, from one die to all dice."""
    for line in range(entries.less.shape[0]):
        hold = entries.less[line, 0]
        at[hold] = find_best(work, key, at, hold, entries.less, line)


@kernel
def calculate_rows(
    rows: Any,
    reached: Any,
    throws: int,
    before: Any,
    index: Any,
    values: Any,
    entries: Any,
    jokers: Any,
) -> None:
    """Calculate values[index[row], column] of these rows from ``before``, the fuller level."""
    limbs, holds = values.shape[2], entries.bounds[-1]
    work = np.zeros((limbs, holds + entries.places), np.int64)
    key, at = np.zeros(work.shape[1], np.int64), np.zeros(holds + 1, np.int64)
    sums, carry = np.zeros((limbs, holds), np.int64), np.zeros(holds, np.int64)
    best = np.zeros(entries.slots + 1, np.int64)
    work[limbs - 1, holds] = key[holds] = -1
    at[holds] = best[entries.slots] = holds
    for row in rows:
        for column in range(before.alike_until[row], values.shape[1]):
            if not reached[row, column]:
                continue
            score_pass(work, key, at, best, row, column, before, entries)
            update_jokers(work, key, at, row, column, before, entries, jokers)
            for left in range(throws):
                sum_pass(work, at, sums, entries)
                hold_pass(work, key, sums, carry, entries)
                if left < throws - 1:
                    find_best_holds(work, key, at, entries)
            for limb in range(limbs):
                values[index[row], column, limb] = work[limb, 0]
