"""The Bellman equations of Yatzy, compiled.

For a position between turns, (filled, upper), and r rolls left, w_r(roll) is the best expected
number of points still to come:

    w_0(roll)  = max over open boxes c of  points(c, roll) + V(filled + c, upper + upper points)
    e_r(hold)  = mean over the six faces of e_r(hold + face),   e_r(all dice) = w_{r-1}(those dice)
    w_r(roll)  = max over the holds h within the roll of e_r(h)
    V(filled, upper) = e(no dice) with all rolls left,   V(full card, upper) = the upper bonus

The mean over one more die replaces the sum over all outcomes. The best hold within a multiset is
either the multiset itself or the best hold within the multiset less one die. Both calculations use
the same pairs of holds, 1,260 with five dice. The last e, of no dice, is the mean of w over the
first rolls. ``work[hold, lane]`` (holds x TILE, flat float64) stores e and w in the same place.
``values`` (flat float64) has V in the lines of ``packing.Lines``. A tile has TILE neighbouring
lanes of a line.
"""

from functools import reduce
from typing import Any

import numpy as np
from llvmlite import ir

from solver.dp.compiled import inlined, kernel
from solver.dp.space import NEVER, PREFER_LOWER_BOX, TILE
from solver.dp.tiles import (
    INDEX,
    Number,
    Offset,
    Places,
    Tiles,
    average_tiles,
    average_weighted,
    copy_tile,
    count_dice,
    instruction,
    set_tile,
)
from solver.rules.dice import find_probability, make_cup


@instruction
def fill_rolls(tiles: Tiles, work: Any, slots: Any, rolls: Any, ends: Any, carried: Any) -> None:
    """Set work[roll], the value of every roll, to the best value among the roll's slots."""
    places, of_slots = Places(tiles, work, carried), Places(tiles, slots, carried)
    for edges in tiles.iter_rolls(rolls, ends):
        roll = next(edges)
        # Load slots one at a time, because the registers have no room for all.
        places[roll] = reduce(places.choose_better, (of_slots[slot] for slot in edges))


@instruction
def raise_rolls(tiles: Tiles, work: Any, slots: Any, rolls: Any, ends: Any, carried: Any) -> None:
    """Raise work[roll], the value of every roll, to the best of its slots if this is higher."""
    places, of_slots = Places(tiles, work, carried), Places(tiles, slots, carried)
    for roll, *some in tiles.iter_rolls(rolls, ends):
        places[roll] = reduce(places.choose_better, (of_slots[slot] for slot in some), places[roll])


@instruction
def raise_place(
    tiles: Tiles,
    work: Any,
    out: Offset,
    values: Any,
    row: Offset,
    lanes: Any,
    at: Offset,
    points: Number,
    box: Number,
    number: Offset,
    carried: Any,
) -> None:
    """Raise the entry work[out] to the value of this score in the lanes (columns) in which it is
    higher. ``Tiles.load_tile`` defines the lanes of the next card. If quantities are carried, the
    lower box wins ties, and ``number`` is the place of the factors a of ``dp.outlook``."""
    builder, places = tiles.builder, Places(tiles, work, carried)
    value = tiles.load_tile(values, row, lanes, at)
    parts = [tiles.add_number(value, points)]
    if carried:
        after, linear, quadratic = carried
        like = builder.fmul(box, ir.DoubleType()(-PREFER_LOWER_BOX))
        parts = [tiles.add_number(value, builder.fadd(points, like))]
        first = builder.mul(number, INDEX(len(quadratic)))
        factors = zip(linear.numbers(first, len(quadratic)), quadratic, strict=True)
        for plane, (times, factor) in enumerate(factors):
            square = builder.fmul(factor, points)
            plus = builder.fmul(builder.fadd(times, square), points)
            twice = tiles.fill_lanes(builder.fadd(square, square))
            plane_row = find_in_plane(builder, plane, values.length, row)
            later = tiles.load_tile(after, plane_row, lanes, at)
            parts.append(builder.fadd(tiles.add_number(later, plus), builder.fmul(twice, value)))
    places[out] = places.choose_better(places[out], parts)


def find_in_plane(builder: Any, number: int, size: Any, at: Any) -> Any:
    return builder.add(at, builder.mul(size, size.type(number)))


@instruction
def clear_place(tiles: Tiles, work: Any, out: Offset, carried: Any) -> None:
    places = Places(tiles, work, carried)
    places[out] = [tiles.make_constant(NEVER)] * places.width


@instruction
def copy_place(tiles: Tiles, work: Any, out: Offset, source: Any, at: Offset, carried: Any) -> None:
    Places(tiles, work, carried)[out] = Places(tiles, source, carried)[at]


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


@inlined
def make_tiles(size: int) -> Any:
    """Return an empty array of this size in aligned memory; other arrays are half as fast."""
    room = np.empty(size + TILE)
    start = (-room.ctypes.data % _TILE_BYTES) // 8
    return room[start : start + size]


def make_work_tiles(moves: Any, scores: Any) -> list[Any]:
    """Return working memory for ``sweep_rows``; kernels that allocate memory compile longer."""
    sizes = moves.bounds[-1] * TILE, (scores.number + 1) * TILE
    return [make_tiles.py_func(size) for size in sizes]


@instruction
def raise_to_best(tiles: Tiles, work: Any, edges: Any, bounds: Any) -> None:
    """Replace the value of each hold by the highest value of all holds within the hold."""
    for target, *smaller in tiles.iter_holds(edges, bounds):
        work[target] = reduce(tiles.choose_larger, [work[hold] for hold in (target, *smaller)])


@inlined
def fill_slots(
    slots: Any,
    values: Any,
    row: int,
    place: int,
    tile: int,
    lines: Any,
    saved: int,
    scores: Any,
    carried: Any,
) -> None:
    """Set every slot to the best result that an open box gives it, with this number of saved rolls.
    A box is worth least when it scores 0. Every slot therefore starts at the value of the best box
    with 0 points, and open boxes then raise the slot."""
    boxes, filled, lanes = scores.start.shape[0] - 1, row | lines.upper, lines.places
    scored, zero, group = lines.ends[2 * tile + 1], scores.number * TILE, lines.group[row]
    lower, upper = saved * lines.width[group], saved * lines.width[group + 1]
    clear_place(slots, zero, carried)
    for entry in range(lines.ends[2 * tile], scored):
        at, box = upper + lines.starts[row ^ lines.change[entry]], lines.box[entry]
        raise_place(slots, zero, values, at, lanes, entry * TILE, 0.0, box, box, carried)
    for box in range(boxes):
        if not filled >> box & 1:
            at = lower + lines.starts[row | 1 << box]
            raise_place(slots, zero, values, at, None, place, 0.0, box, box, carried)
    for slot in range(0, zero, TILE):
        copy_place(slots, slot, slots, zero, carried)
    for entry in range(scored, lines.ends[2 * tile + 2]):
        at, box = upper + lines.starts[row ^ lines.change[entry]], lines.box[entry]
        slot, points = lines.slot[entry], lines.points[entry]
        raise_place(slots, slot, values, at, lanes, entry * TILE, points, box, box, carried)
    for box in range(boxes):
        if filled >> box & 1:
            continue
        after = row | 1 << box
        if box == scores.joker_box:
            after |= scores.chips_row
        at = lower + lines.starts[after]
        for entry in range(scores.start[box], scores.start[box + 1]):
            slot, points = scores.slot[entry], scores.points[entry]
            raise_place(slots, slot, values, at, None, place, points, box, box, carried)


@inlined
def update_jokers(
    work: Any, values: Any, row: int, place: int, tile: int, lines: Any, jokers: Any, carried: Any
) -> None:
    """Recalculate the value in the best box for the rolls that are jokers on this card. The factors
    a (``dp.outlook``) in ``carried`` are those of the joker entries."""
    entries = range(jokers.start[row], jokers.start[row + 1])
    for entry in entries:
        clear_place(work, jokers.target[entry], carried)
    for entry in entries:
        at, number = lines.starts[jokers.row[entry]], lines.of_jokers[entry]
        out, points, box = jokers.target[entry], jokers.points[entry], jokers.box[entry]
        if number < 0:
            raise_place(work, out, values, at, None, place, points, box, entry, carried)
        else:
            to = (lines.ends[2 * tile] + number) * TILE
            raise_place(work, out, values, at, lines.places, to, points, box, entry, carried)


@kernel
def sweep_rows(
    rows: Any,
    work: Any,
    slots: Any,
    values: Any,
    lines: Any,
    throws: int,
    moves: Any,
    scores: Any,
    jokers: Any,
    chances: Any,
) -> None:
    """Calculate the values V in the lines (groups of cards) of these rows, which have N filled
    boxes, from rows with N + 1. ``chances`` is the chance of each face, or None for fair dice.
    ``jokers`` is None without jokers. Numba compiles only the parts that these arguments need. With
    unfair dice, the mean over the first roll of a turn is the value of hold 0 (no dice).
    ``make_work_tiles`` makes ``work`` and ``slots``."""
    for row in rows:
        start, group = lines.starts[row], lines.group[row]
        for tile in range(lines.tiles[group], lines.tiles[group + 1]):
            place = (tile - lines.tiles[group]) * TILE
            fill_slots(slots, values, row, place, tile, lines, 0, scores, None)
            fill_rolls(work, slots, scores.rolls, scores.ends, None)
            if jokers is not None:
                update_jokers(work, values, row, place, tile, lines, jokers, None)
            if chances is None:
                for _ in range(throws - 1):
                    average_tiles(work, moves.mean)
                    raise_to_best(work, moves.best, moves.bounds)
                average_first_roll(values, start + place, work, moves.bounds)
            else:
                for _ in range(throws - 1):
                    average_weighted(work, moves.mean, chances)
                    raise_to_best(work, moves.best, moves.bounds)
                average_weighted(work, moves.mean, chances)
                copy_tile(values, start + place, work, 0)


@kernel
def sweep_saved(
    rows: Any,
    values: Any,
    lines: Any,
    throws: int,
    moves: Any,
    scores: Any,
    most: int,
    following: int,
) -> None:
    """Calculate V of these lines for every number of saved rolls, otherwise as ``sweep_rows`` does.
    Each line is repeated for every number of saved rolls, up to ``most`` on this level and
    ``following`` on the next level. While rolls can be saved, the value of a roll is the best of
    all holds and of each box with the rolls that remain. A single recursion over the rolls left
    therefore covers all numbers of saved rolls."""
    work = make_tiles(moves.bounds[-1] * TILE)
    slots = make_tiles((scores.number + 1) * TILE)
    for row in rows:
        start, group = lines.starts[row], lines.group[row]
        for tile in range(lines.tiles[group], lines.tiles[group + 1]):
            place = (tile - lines.tiles[group]) * TILE
            for roll in range(moves.bounds[-2], moves.bounds[-1]):
                set_tile(work, roll * TILE, -np.inf)
            for left in range(most + throws):
                if left:
                    average_tiles(work, moves.mean)
                    raise_to_best(work, moves.best, moves.bounds)
                after = min(left, following)
                fill_slots(slots, values, row, place, tile, lines, after, scores, None)
                raise_rolls(work, slots, scores.rolls, scores.ends, None)
                saved = left + 1 - throws  # saved rolls before the turn, whose first roll costs one
                if saved >= 0:
                    at = start + saved * lines.width[group] + place
                    average_first_roll(values, at, work, moves.bounds)


@inlined
def fill_boxes(values: Any, row: int, column: int, stride: int, game: Any, boxes: Any) -> None:
    """Set boxes[c, roll] to the value of the roll in box c, or minus infinity if forbidden."""
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
    """Calculate a card's turn: ``fill_boxes``; best[r, hold], the best values with r rolls left;
    and holds[r, hold], the means after rolling. ``best`` may lack the last r."""
    work, first_roll = make_tiles(game.moves.bounds[-1] * TILE), game.moves.bounds[-2]
    fill_boxes(values, row, column, stride, game, boxes)
    for roll in range(boxes.shape[1]):
        set_tile(work, (first_roll + roll) * TILE, boxes[:, roll].max())
    best[0] = work[::TILE]
    for rolls_left in range(1, holds.shape[0]):
        average_tiles(work, game.moves.mean)
        holds[rolls_left] = work[::TILE]
        if rolls_left < best.shape[0]:
            raise_to_best(work, game.moves.best, game.moves.bounds)
            best[rolls_left] = work[::TILE]
