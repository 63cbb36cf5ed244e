"""Turns of players that go by values, compiled: many games at once, grouped by card.

Games on neighbouring cards share one tile: its best values are worked out once, as in
``dp.flow``, and then each game follows its own dice through them. ``liked`` is w_0, ``best1`` and
``best2`` the best e_1 and e_2 within every hold, all 462 x TILE, flat float64.
"""

from typing import Any

import numpy as np

from solver.dp.flow import hold_pass, liking_pass
from solver.dp.kernels import WORK_SIZE
from solver.dp.space import TILE
from solver.players.compiled import kernel
from solver.players.kernels import thrown
from solver.players.tables import POINTS, ROLL_OF, STOP


@kernel
def best_holds(
    row: int,
    at: int,
    values: Any,
    stride: int,
    moves: Any,
    entries: Any,
    zeros: Any,
    sizes: Any,
    best1: Any,
    best2: Any,
) -> None:
    """best1 and best2 of the tile of cards from column ``at`` on."""
    liking_pass(best2, values, row, at, stride, entries, zeros)
    hold_pass(best2, moves, sizes)
    best1[:] = best2
    hold_pass(best2, moves, sizes)


@kernel
def hold_of(best: Any, lane: int, roll: int, less: Any) -> int:
    """The hold that reaches the best value of a roll."""
    at = (STOP + roll) * TILE
    going = True
    while going:
        going = False
        for n in range(5):
            fewer = less[at // TILE, n]
            if fewer >= 0 and best[fewer + lane] == best[at + lane]:
                at, going = fewer, True
                break
    return at // TILE


@kernel
def box_of(
    filled: int, column: int, roll: int, values: Any, stride: int, liking: Any, steps: Any
) -> int:
    best, most = -1, -np.inf
    for box in range(liking.shape[0]):
        if not filled >> box & 1:
            after = (filled | 1 << box) * stride + column + steps[box, roll]
            worth = values[after] + liking[box, roll]
            if worth > most:
                best, most = box, worth
    return best


@kernel
def fill_card(
    filled: int,
    upper: int,
    values: Any,
    stride: int,
    moves: Any,
    entries: Any,
    zeros: Any,
    less: Any,
    liking: Any,
    steps: Any,
    sizes: Any,
    holds: Any,
    boxes: Any,
) -> None:
    """holds[rolls left - 1, roll] and boxes[roll] of one card."""
    best1, best2 = np.empty(WORK_SIZE), np.empty(WORK_SIZE)
    lane = upper % TILE
    best_holds(filled, upper - lane, values, stride, moves, entries, zeros, sizes, best1, best2)
    for roll in range(boxes.shape[0]):
        holds[0, roll] = hold_of(best1, lane, roll, less)
        holds[1, roll] = hold_of(best2, lane, roll, less)
        boxes[roll] = box_of(filled, upper, roll, values, stride, liking, steps)


@kernel
def grouped(filled: Any, upper: Any, points: Any, by_upper: bool, cards: int, out: Any) -> None:
    """out[0], out[1] and out[2]: the three, with the games of a tile side by side."""
    tiles = 1
    if by_upper:
        tiles = 64 // TILE
    start = np.zeros(cards * tiles + 1, dtype=np.int32)
    for game in range(filled.shape[0]):
        start[filled[game] * tiles + (upper[game] // TILE if by_upper else 0) + 1] += 1
    for key in range(cards * tiles):
        start[key + 1] += start[key]
    for game in range(filled.shape[0]):
        key = filled[game] * tiles + (upper[game] // TILE if by_upper else 0)
        at = start[key]
        start[key] += 1
        out[0, at] = filled[game]
        out[1, at] = upper[game]
        out[2, at] = points[game]


@kernel
def value_turns(
    filled: Any,
    upper: Any,
    points: Any,
    throws: Any,
    by_upper: bool,
    last: int,
    values: Any,
    stride: int,
    moves: Any,
    entries: Any,
    zeros: Any,
    less: Any,
    liking: Any,
    steps: Any,
    sizes: Any,
) -> None:
    """One turn of these games, those of a tile side by side."""
    best1, best2 = np.empty(WORK_SIZE), np.empty(WORK_SIZE)
    known, known_at = -1, -1
    for game in range(filled.shape[0]):
        card = filled[game]
        column = upper[game] if by_upper else 0
        lane = column % TILE
        if card != known or column - lane != known_at:
            known, known_at = card, column - lane
            best_holds(card, known_at, values, stride, moves, entries, zeros, sizes, best1, best2)
        roll = ROLL_OF[throws[0, game]]
        hold = hold_of(best2, lane, roll, less)
        if hold < STOP:
            roll = thrown(hold, throws[1, game])
            hold = hold_of(best1, lane, roll, less)
            if hold < STOP:
                roll = thrown(hold, throws[2, game])
        box = box_of(card, column, roll, values, stride, liking, steps)
        gained = POINTS[box, roll]
        points[game] += gained
        filled[game] = card | 1 << box
        if box < 6:
            upper[game] = min(upper[game] + gained, last)
