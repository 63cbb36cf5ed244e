"""Two who take turns, compiled: a layer of ``advice.winning.both``, a tile of differences at once.

The one who moves has a card i, the other a card j, and x is by how much the mover leads:

    W(i, j, x)  = E best over holds and boxes of  R(i after the box, j, x + points)
    R(i, j, x)  = 1 - W'(j, i, -x),   W' of the other's turn, which comes next

``table[i * others + j, x - low]`` is R of the layer that follows, and ``out`` is R of this one as
the layer before it reads it: that mover is the other one of this layer. A turn is that of
``dp.kernels``, with differences for lanes instead of upper totals.
"""

from typing import Any

import numpy as np

from solver.dp.compiled import inlined, kernel
from solver.dp.kernels import tiles_of
from solver.dp.space import TILE
from solver.dp.tiles import tile_copy, tile_max_plus, tile_set
from solver.dp.unrolled import all_bests, all_means, first_throw


@inlined
def ends_pass(
    slots: Any, table: Any, width: int, column: int, other: int, side: Any, i: int
) -> None:
    """A slot for every end of this card: R once the turn ended so."""
    for end in range(side.ends[side.row[i]]):
        at = (side.child[i, end] * side.others + other) * width + column + side.gain[i, end]
        tile_copy(slots, end * TILE, table, at)


@inlined
def rolls_pass(work: Any, slots: Any, side: Any, row: int, first_roll: int) -> None:
    """w_0: every roll into its best open box."""
    for roll in range(side.of.shape[2]):
        out = (first_roll + roll) * TILE
        tile_copy(work, out, slots, side.of[row, 0, roll] * TILE)
        for box in range(1, side.of.shape[1]):
            tile_max_plus(work, out, slots, side.of[row, box, roll] * TILE, 0.0)


@kernel
def layer(
    first: int, last: int, side: Any, spans: Any, table: Any, lows: Any, out: Any, moves: Any
) -> None:
    """The pairs from ``first`` up to ``last``: what is undecided and can be reached.

    ``spans[pair]`` are the first and last x. ``lows`` are the lowest x, and the width, of ``table``
    and of ``out``, and the throws of a turn.
    """
    low, width, low_out, width_out, throws = lows
    work = tiles_of(moves.bounds[-1] * TILE)
    nowhere = side.child.shape[1]
    slots = tiles_of((nowhere + 1) * TILE)
    tile_set(slots, nowhere * TILE, -np.inf)
    found = tiles_of(TILE)
    cards = side.row.shape[0]
    for pair in range(first, last):
        i, j = pair // side.others, pair % side.others
        to = (j * cards + i) * width_out - low_out
        for x in range(spans[pair, 0], spans[pair, 1] + 1, TILE):
            ends_pass(slots, table, width, x - low, j, side, i)
            rolls_pass(work, slots, side, side.row[i], moves.bounds[-2])
            for _ in range(throws - 1):
                all_means(work, moves.bounds)
                all_bests(work, moves.bounds)
            first_throw(found, 0, work, moves.bounds)
            for lane in range(min(TILE, spans[pair, 1] + 1 - x)):
                out[to - x - lane] = 1.0 - found[lane]
