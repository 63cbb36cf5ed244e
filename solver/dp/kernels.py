"""The Bellman equations of Yatzy, compiled.

For a position between turns, (filled, upper), and r rolls left, w_r(roll) is the best expected
number of points still to come:

    w_0(roll)  = max over open boxes c of  points(c, roll) + V(filled + c, upper + upper points)
    e_r(hold)  = mean over the six faces of e_r(hold + face),   e_r(all dice) = w_{r-1}(those dice)
    w_r(roll)  = max over the holds h within the roll of e_r(h)
    V(filled, upper) = e(no dice) with all rolls left,   V(full card, upper) = the upper bonus

The mean over one more die replaces the sum over all outcomes, and the best hold within a multiset
is the better of the multiset itself and the best within it less one die: both walk the same pairs
of holds, 1,260 with five dice. The last e, of no dice, is the mean of w over the first rolls.
``work[hold, lane]`` (holds x TILE, flat float64) carries e and w in place; its lanes are
neighbouring upper totals. ``values[row, column]`` (rows x stride, flat float64) is V. Its last
column stands for every total that secures the bonus, so columns past it are read as the last. Up to
the column ``alike_until`` the bonus is lost, so one of these columns is calculated for all.
"""

from functools import reduce
from typing import Any

import numpy as np
from numba.core import types
from numba.extending import overload

from solver.dp.compiled import inlined, kernel
from solver.dp.space import TILE
from solver.dp.tiles import (
    INDEX,
    Offset,
    Tiles,
    average_tiles,
    average_weighted,
    copy_tile,
    count_dice,
    instruction,
    prefetch_tile,
    raise_from_row,
    raise_from_tile,
    set_tile,
)
from solver.rules.dice import find_probability, make_cup


@instruction
def fill_rolls(tiles: Tiles, work: Any, slots: Any, rolls: Any, ends: Any) -> None:
    """Set work[roll], the roll's value, to the largest of its slots; see ``dp.slots.Slots``."""
    for edges in tiles.iter_rolls(rolls, ends):
        roll = next(edges)
        # Slots are loaded one by one, because all of them would not fit into the registers.
        work[roll] = reduce(tiles.choose_larger, (slots[slot] for slot in edges))


@instruction
def raise_rolls(tiles: Tiles, work: Any, slots: Any, rolls: Any, ends: Any) -> None:
    """Set work[roll] of every roll to the largest of its slots, if that is larger."""
    for edges in tiles.iter_rolls(rolls, ends):
        roll = next(edges)
        work[roll] = reduce(tiles.choose_larger, (slots[slot] for slot in edges), work[roll])


@instruction
def average_first_roll(tiles: Tiles, values: Any, at: Offset, work: Any, bounds: Any) -> None:
    """Set values[at] to the mean of work[roll] over the first roll; sum equal chances first."""
    builder, cup = tiles.builder, make_cup(count_dice(bounds))
    sums: dict[float, Any] = {}
    for number, roll in enumerate(cup.rolls, start=cup.first_roll):
        best, chance = work[INDEX(number * TILE)], find_probability(roll)
        sums[chance] = builder.fadd(sums[chance], best) if chance in sums else best
    values[at] = tiles.sum([builder.fmul(all_, tiles.make_constant(p)) for p, all_ in sums.items()])


_TILE_BYTES = 8 * TILE


def find_row_start(rows_at: Any, row: int) -> Any:
    """Return the index of column 0 of a row; see ``space.WorkColumns``."""


@overload(find_row_start, inline="always", strict=False)
def _row_start(rows_at: Any, row: int) -> Any:
    if isinstance(rows_at, types.Array):
        return lambda rows_at, row: rows_at[row]
    return lambda rows_at, row: rows_at * row


@inlined
def make_tiles(size: int) -> Any:
    """Return an empty array of this size, aligned in memory; unaligned arrays are half as fast."""
    room = np.empty(size + TILE)
    start = (-room.ctypes.data % _TILE_BYTES) // 8
    return room[start : start + size]


def make_work_tiles(moves: Any, scores: Any) -> list[Any]:
    """Return the work arrays of ``sweep_rows``; kernels that allocate take longer to compile."""
    sizes = moves.bounds[-1] * TILE, (scores.number + 1) * TILE
    return [make_tiles.py_func(size) for size in sizes]


@instruction
def raise_to_best(tiles: Tiles, work: Any, edges: Any, bounds: Any) -> None:
    """Replace e(hold) by the best e of the holds within the hold, from one die up to all."""
    for target, *smaller in tiles.iter_holds(edges, bounds):
        work[target] = reduce(tiles.choose_larger, [work[hold] for hold in (target, *smaller)])


@inlined
def fill_slots(
    slots: Any, values: Any, row: int, column: int, rows_at: Any, last: int, scores: Any
) -> None:
    """Set every slot to the best value that an open box gives it.

    Points are never worse than 0 points, so the best box at 0 points is a lower bound for every
    roll: all slots begin with it and are raised by the open boxes.
    """
    boxes = scores.start.shape[0] - 1
    zero = scores.number * TILE
    set_tile(slots, zero, -np.inf)
    for box in range(boxes):
        if not row >> box & 1:
            raise_from_tile(
                slots, zero, values, find_row_start(rows_at, row | 1 << box) + column, 0.0
            )
    for slot in range(0, zero, TILE):
        copy_tile(slots, slot, slots, zero)
    for box in range(boxes):
        if row >> box & 1:
            continue
        after = row | 1 << box
        if box == scores.joker_box:
            after |= scores.chips_row
        for entry in range(scores.start[box], scores.start[box + 1]):
            raise_from_row(
                slots,
                scores.slot[entry],
                values,
                find_row_start(rows_at, after),
                column + scores.step[entry],
                last,
                scores.points[entry],
            )


@inlined
def score_pass(
    work: Any, slots: Any, values: Any, row: int, column: int, rows_at: Any, last: int, scores: Any
) -> None:
    """Calculate w_0: the value of every roll in its best open box."""
    fill_slots(slots, values, row, column, rows_at, last, scores)
    fill_rolls(work, slots, scores.rolls, scores.ends)


@inlined
def update_jokers(
    work: Any, values: Any, row: int, column: int, rows_at: Any, last: int, jokers: Any
) -> None:
    """Recalculate w_0, the value in the best box, of the rolls that are jokers on this card."""
    entries = range(jokers.start[row], jokers.start[row + 1])
    for entry in entries:
        set_tile(work, jokers.target[entry], -np.inf)
    for entry in entries:
        raise_from_row(
            work,
            jokers.target[entry],
            values,
            find_row_start(rows_at, jokers.row[entry]),
            column + jokers.step[entry],
            last,
            jokers.points[entry],
        )


@inlined
def fetch_pass(values: Any, row: int, first: int, last: int, rows_at: Any, boxes: int) -> None:
    """Prefetch what ``score_pass`` will read: V of the cards with one more filled box."""
    for box in range(boxes):
        if not row >> box & 1:
            for column in range(first, last + TILE, TILE):
                prefetch_tile(values, find_row_start(rows_at, row | 1 << box) + column)


@inlined
def fill_alike(values: Any, start: int, columns: Any, row: int) -> None:
    for column in range(columns.lowest[row], columns.alike_until[row]):
        values[start + column] = values[start + columns.alike_until[row]]


@kernel
def sweep_rows(
    rows: Any,
    work: Any,
    slots: Any,
    values: Any,
    columns: Any,
    throws: int,
    moves: Any,
    scores: Any,
    jokers: Any,
    chances: Any,
) -> None:
    """Calculate V of these rows, all with N filled boxes, from the rows with N + 1 filled boxes.

    ``chances`` has the chance of each face, or is None for fair dice; ``jokers`` is None for rules
    without jokers. Numba compiles only what the arguments need. With unfair dice, the mean over the
    first roll of a turn is e of no dice, hold 0. ``make_work_tiles`` makes ``work`` and ``slots``.
    """
    boxes = scores.start.shape[0] - 1
    rows_at, end = columns.rows_at, columns.end
    for number, row in enumerate(rows):
        start = find_row_start(rows_at, row)
        if number + 1 < rows.shape[0]:
            after = rows[number + 1]
            fetch_pass(values, after, columns.first[after], columns.last[after], rows_at, boxes)
        for column in range(columns.first[row], columns.last[row] + 1, TILE):
            score_pass(work, slots, values, row, column, rows_at, end, scores)
            if jokers is not None:
                update_jokers(work, values, row, column, rows_at, end, jokers)
            if chances is None:
                for _ in range(throws - 1):
                    average_tiles(work, moves.mean)
                    raise_to_best(work, moves.best, moves.bounds)
                average_first_roll(values, start + column, work, moves.bounds)
            else:
                for _ in range(throws - 1):
                    average_weighted(work, moves.mean, chances)
                    raise_to_best(work, moves.best, moves.bounds)
                average_weighted(work, moves.mean, chances)
                copy_tile(values, start + column, work, 0)
        fill_alike(values, start, columns, row)


@kernel
def sweep_saved(
    rows: Any,
    values: Any,
    columns: Any,
    throws: int,
    moves: Any,
    scores: Any,
    here: Any,
    following: Any,
) -> None:
    """Calculate V of these rows for every stock of saved rolls, otherwise as ``sweep_rows`` does.

    A level has a plane for every stock: ``here`` and ``following`` are the largest stocks on this
    level and the next, and the lengths of their planes. While rolls can be saved, w(roll) is the
    best of all holds and of each box with the remaining stock; one recursion over the rolls left
    therefore covers all stocks.
    """
    work = make_tiles(moves.bounds[-1] * TILE)
    slots = make_tiles((scores.number + 1) * TILE)
    rows_at, end = columns.rows_at, columns.end
    for row in rows:
        start = find_row_start(rows_at, row)
        for column in range(columns.first[row], columns.last[row] + 1, TILE):
            for place in range(moves.bounds[-2], moves.bounds[-1]):
                set_tile(work, place * TILE, -np.inf)
            for left in range(here.most + throws):
                if left:
                    average_tiles(work, moves.mean)
                    raise_to_best(work, moves.best, moves.bounds)
                after = values[min(left, following.most) * following.plane :]
                fill_slots(slots, after, row, column, rows_at, end, scores)
                raise_rolls(work, slots, scores.rolls, scores.ends)
                saved = left + 1 - throws  # saved rolls before the turn; the first roll uses one
                if saved >= 0:
                    average_first_roll(
                        values, saved * here.plane + start + column, work, moves.bounds
                    )
        for saved in range(here.most + 1):
            fill_alike(values, saved * here.plane + start, columns, row)


@inlined
def fill_boxes(values: Any, row: int, column: int, stride: int, game: Any, boxes: Any) -> None:
    """Set boxes[c, roll] to the value of the roll in box c; minus infinity if it is forbidden."""
    boxes[:] = -np.inf
    scores, jokers, first_roll = game.scores, game.jokers, game.moves.bounds[-2]
    for box in range(scores.start.shape[0] - 1):
        if row >> box & 1:
            continue
        after = row | 1 << box
        boxes[box] = values[after * stride + column]
        if box == scores.joker_box:
            after |= scores.chips_row
        at = after * stride + column
        for entry in range(np.uint64(scores.start[box]), np.uint64(scores.start[box + 1])):
            roll = np.uint64(scores.target[entry]) // np.uint64(TILE) - np.uint64(first_roll)
            gain = scores.points[entry]
            boxes[box, roll] = values[np.uint64(at + scores.step[entry])] + gain
    if jokers.start.shape[0] > 1:
        entries = range(jokers.start[row], jokers.start[row + 1])
        for entry in entries:
            boxes[:, jokers.target[entry] // TILE - first_roll] = -np.inf
        for entry in entries:
            at = jokers.row[entry] * stride + column + jokers.step[entry]
            roll = jokers.target[entry] // TILE - first_roll
            boxes[jokers.box[entry], roll] = values[at] + jokers.points[entry]


@kernel
def calculate_turn(
    values: Any, row: int, column: int, stride: int, game: Any, boxes: Any, best: Any, holds: Any
) -> None:
    """Calculate a card's turn: ``fill_boxes``, and w_r and e_r as best[r, hold] and holds[r, hold].
    The length of ``holds`` is the number of r; if ``best`` is shorter, it lacks the last w_r."""
    slots = game.slots
    work = make_tiles(game.moves.bounds[-1] * TILE)
    slots_work = make_tiles((slots.number + 1) * TILE)
    fill_boxes(values, row, column, stride, game, boxes)
    score_pass(work, slots_work, values, row, column, stride, stride - 1, slots)
    if game.jokers.start.shape[0] > 1:
        update_jokers(work, values, row, column, stride, stride - 1, game.jokers)
    best[0] = work[::TILE]
    for rolls_left in range(1, holds.shape[0]):
        average_tiles(work, game.moves.mean)
        holds[rolls_left] = work[::TILE]
        if rolls_left < best.shape[0]:
            raise_to_best(work, game.moves.best, game.moves.bounds)
            best[rolls_left] = work[::TILE]
