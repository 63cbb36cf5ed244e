"""The backward sweep for dice whose faces are not equally likely.

The equations are those of ``dp.kernels`` with weights in the mean over one more die, which the
straight lines of ``dp.unrolled`` do not have: plain loops, and nothing of it is ever written to a
table, so that no advice can come from another die than a fair one.
"""

from typing import Any

from solver.dp import arrays
from solver.dp.arrays import Floats, Ints
from solver.dp.compiled import inlined, kernel
from solver.dp.kernels import best_pass, joker_pass, score_pass, tiles_of
from solver.dp.space import TILE
from solver.dp.sweep import Sweep, in_levels
from solver.dp.tiles import tile_copy, tile_weighted
from solver.rules.rulesets import Ruleset


@inlined
def weighted_pass(work: Any, moves: Any, chances: Any) -> None:
    """``mean_pass`` with a weight for every face."""
    for hold in range(moves.bounds[-2]):
        tile_weighted(work, moves.mean, 7 * hold, chances)


@kernel
def sweep_loaded(
    rows: Any,
    values: Any,
    columns: Any,
    throws: int,
    moves: Any,
    scores: Any,
    jokers: Any,
    chances: Any,
) -> None:
    """``sweep_rows``; the first throw of a turn is what becomes of no dice, hold 0."""
    work = tiles_of(moves.bounds[-1] * TILE)
    slots = tiles_of((scores.number + 1) * TILE)
    stride, end = columns.stride, columns.end
    for row in rows:
        for column in range(columns.first[row], columns.last[row] + 1, TILE):
            score_pass(work, slots, values, row, column, stride, end, scores)
            joker_pass(work, values, row, column, stride, end, jokers)
            for _ in range(throws - 1):
                weighted_pass(work, moves, chances)
                best_pass(work, moves)
            weighted_pass(work, moves, chances)
            tile_copy(values, row * stride + column, work, 0)
        for column in range(columns.alike_until[row]):
            values[row * stride + column] = values[row * stride + columns.alike_until[row]]


class LoadedSweep(Sweep):
    """``chances[n]`` is how likely the face n + 1 is."""

    def __init__(self, rules: Ruleset, chances: Floats) -> None:
        super().__init__(rules)
        columns, throws, _, slots, jokers = self.fixed
        self._told = columns, throws, arrays.moves(rules.dice), slots, jokers, chances

    def rows(self, rows: Ints) -> None:
        sweep_loaded(rows, self.flat, *self._told)


def value_start(rules: Ruleset, chances: Floats, *, threads: int | None = None) -> float:
    """V(start) of who plays perfectly and knows the die."""
    sweep = LoadedSweep(rules, chances)
    in_levels(sweep.space, sweep.rows, threads=threads)
    return float(sweep.values[0, 0])
