"""Chances of states from the empty card to the full cards, level by level.

A state is (row, upper column). The row says which boxes are filled and whether chips are won. The
state's vector has the chance of each number of points so far. It counts only points that the column
does not determine:

    extra = points in lower boxes + chips             below the threshold, where upper is exact
    extra = the same + upper - threshold              in the last column

One step is, for an outcome k of box c with chance q,

    vector(row + c, min(upper + step_k, threshold))[extra'] += q * vector(row, upper)[extra]

If only the mean is needed, a vector has three numbers: the chance, and its first and second moments
of all points so far. Each state reads from earlier states and writes only its own vector, so
threads never write to the same place.
"""

from typing import Any

import numpy as np

from solver.dp.compiled import inlined, kernel


@kernel
def mark_next(
    rows: Any, index: Any, chance_start: Any, chance: Any, outcomes: Any, reached: Any
) -> None:
    """Set reached[row, column] for all states to which a turn from these rows can lead."""
    last = index.shape[1] - 1
    for row in rows:
        for column in range(index.shape[1]):
            state = index[row, column]
            if state < 0:
                continue
            at = chance_start[state]
            for box in range(outcomes.start.shape[0] - 1):
                if row >> box & 1:
                    continue
                for k in range(outcomes.start[box], outcomes.start[box + 1]):
                    if chance[at] > 0.0:
                        reached[row | outcomes.row[k], min(column + outcomes.step[k], last)] = True
                    at += 1


@inlined
def _find_row_before(row: int, box: int, outcomes: Any) -> Any:
    """Return the row before this box was filled, without flags that filling it may set."""
    return row & ~outcomes.row[outcomes.start[box + 1] - 1]


@inlined
def _count_skipped(before: int, box: int, outcomes: Any) -> Any:
    """Return what to add to the number of an outcome of this box to get its index in a state's
    chances, which omit the outcomes of filled boxes."""
    skipped = -outcomes.start[box]
    for other in range(box):
        if not before >> other & 1:
            skipped += outcomes.start[other + 1] - outcomes.start[other]
    return skipped


@inlined
def _add_vector(out: Any, to: int, source: Any, at: int, length: int, weight: float) -> None:
    into = out[to : to + length]
    part = source[at : at + length]
    for n in range(length):
        into[n] += weight * part[n]


@inlined
def _add_moments(into: Any, moments: Any, points: float, weight: float) -> None:
    mass, first, second = moments
    into[0] += weight * mass
    into[1] += weight * (first + points * mass)
    into[2] += weight * (second + points * (2.0 * first + points * mass))


@kernel
def pull(
    rows: Any,
    index: Any,
    chance_start: Any,
    chance: Any,
    start: Any,
    states: Any,
    next_index: Any,
    next_start: Any,
    next_states: Any,
    outcomes: Any,
) -> None:
    """Calculate the vectors (see the module) of the states in these rows from the level before. A
    state has the vector states[start[state]:], or the moments states[state, 0 to 2]. The compiler
    knows which of the two."""
    last = index.shape[1] - 1
    for row in rows:
        for box in range(outcomes.start.shape[0] - 1):
            if not row >> box & 1:
                continue
            before = _find_row_before(row, box, outcomes)
            skipped = _count_skipped(before, box, outcomes)
            for column in range(index.shape[1]):
                state = index[before, column]
                if state < 0:
                    continue
                at = chance_start[state] + skipped
                for k in range(outcomes.start[box], outcomes.start[box + 1]):
                    weight = chance[at + k]
                    if weight > 0.0 and before | outcomes.row[k] == row:
                        reached, points = column + outcomes.step[k], outcomes.points[k]
                        after = next_index[row, min(reached, last)]
                        if states.ndim == 1:
                            first, length = start[state], start[state + 1] - start[state]
                            extra = points - outcomes.step[k] + max(0, reached - last)
                            to = next_start[after] + extra
                            _add_vector(next_states, to, states, first, length, weight)
                        else:
                            gain = np.float64(points)
                            _add_moments(next_states[after], states[state], gain, weight)
