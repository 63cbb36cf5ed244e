"""Probability pushed forward, one level of the card after the other.

A state is (filled, upper column). Its vector holds, for every number of points so far that the
column does not tell by itself, the chance to be there with so many:

    extra = points in lower boxes                    below the threshold, where upper is exact
    extra = points in lower boxes + upper - threshold     in the last column

and one step is, for an outcome k of box c with chance q,

    vector(filled + c, min(upper + step_k, threshold))[extra'] += q * vector(filled, upper)[extra]

Every state pulls from the states before it, so that threads never write to the same place.
"""

from typing import Any

from solver.dp.compiled import inlined, kernel


@kernel
def mark_next(
    rows: Any, index: Any, chance_start: Any, chance: Any, outcomes: Any, reached: Any
) -> None:
    """reached[row, column] of the states that the states of these rows lead to."""
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
                        reached[row | 1 << box, min(column + outcomes.step[k], last)] = True
                    at += 1


@inlined
def _add(out: Any, to: int, source: Any, at: int, length: int, weight: float) -> None:
    into = out[to : to + length]
    part = source[at : at + length]
    for n in range(length):
        into[n] += weight * part[n]


@kernel
def pull(
    rows: Any,
    index: Any,
    chance_start: Any,
    chance: Any,
    vector_start: Any,
    vectors: Any,
    next_index: Any,
    next_start: Any,
    next_vectors: Any,
    outcomes: Any,
) -> None:
    """The vectors of the states of these rows, out of those with one box less."""
    last = index.shape[1] - 1
    boxes = outcomes.start.shape[0] - 1
    for row in rows:
        for box in range(boxes):
            if not row >> box & 1:
                continue
            before = row ^ 1 << box
            skipped = 0
            for other in range(box):
                if not before >> other & 1:
                    skipped += outcomes.start[other + 1] - outcomes.start[other]
            for column in range(index.shape[1]):
                state = index[before, column]
                if state < 0:
                    continue
                at = chance_start[state] + skipped - outcomes.start[box]
                length = vector_start[state + 1] - vector_start[state]
                for k in range(outcomes.start[box], outcomes.start[box + 1]):
                    weight = chance[at + k]
                    if weight > 0.0:
                        reached = column + outcomes.step[k]
                        extra = outcomes.points[k] - outcomes.step[k] + max(0, reached - last)
                        after = next_index[row, min(reached, last)]
                        to = next_start[after] + extra
                        _add(next_vectors, to, vectors, vector_start[state], length, weight)
