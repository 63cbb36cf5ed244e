"""The compiled sweep of ``dp.kernels``, with more quantities than the value; see ``dp.outlook``.

An entry of ``work`` (a hold) or of ``slots`` has a tile for the value, followed by a tile for each
carried quantity. In each lane the larger value wins and brings its quantities with it. The number
of quantities is the length of the tuple ``quadratic``, which is known when the kernel is compiled.
The offsets of callers count tiles of values; ``_Wide`` multiplies them by its ``width``.
"""

from functools import reduce
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils

from solver.dp.compiled import inlined, kernel
from solver.dp.kernels import fill_alike, find_row_start, make_tiles
from solver.dp.space import PREFER_DIE, PREFER_LOWER_BOX, ROUNDING, TILE
from solver.dp.tiles import (
    INDEX,
    Number,
    Offset,
    TileArray,
    Tiles,
    count_dice,
    instruction,
    set_tile,
)
from solver.rules.dice import make_cup

_variable: Any = cgutils.alloca_once_value


class _Wide:
    """An array whose entries have a tile for the value and one for each carried quantity."""

    def __init__(self, tiles: Tiles, places: TileArray, carried: list[Any]) -> None:
        self.tiles, self.places, self.width = tiles, places, len(carried) + 1

    def _list_pointers(self, offset: Any) -> list[Any]:
        builder = self.tiles.builder
        first = self.places.find_pointer(builder.mul(offset, offset.type(self.width)))
        return [builder.gep(first, [INDEX(number)]) for number in range(self.width)]

    def __getitem__(self, offset: Any) -> list[Any]:
        return [self.tiles.builder.load(place, align=8) for place in self._list_pointers(offset)]

    def __setitem__(self, offset: Any, parts: list[Any]) -> None:
        for part, place in zip(parts, self._list_pointers(offset), strict=True):
            self.tiles.builder.store(part, place, align=8)

    def better(self, first: list[Any], other: list[Any]) -> list[Any]:
        """Return ``other`` in each lane (upper total) where its value exceeds the value of
        ``first`` by more than ROUNDING; in all other lanes, return ``first``."""
        builder = self.tiles.builder
        least = builder.fadd(first[0], self.tiles.make_constant(ROUNDING))
        wins = builder.fcmp_ordered(">", other[0], least)
        return [builder.select(wins, b, a) for a, b in zip(first, other, strict=True)]


@instruction
def average_places(
    tiles: Tiles, work: Any, edges: Any, at: Offset, like: Number, carried: Any
) -> None:
    """Set work[target] to the mean of the holds with one more die; add ``like`` to the value."""
    wide, (target, *sources) = _Wide(tiles, work, carried), edges.numbers(at, 7)
    parts = [tiles.mean(list(six)) for six in zip(*(wide[n] for n in sources), strict=True)]
    wide[target] = [tiles.add_number(parts[0], like), *parts[1:]]


@instruction
def set_best_places(tiles: Tiles, work: Any, edges: Any, bounds: Any, carried: Any) -> None:
    """Set each hold's entry to the entry with the best value of all holds within it. This adds the
    preference to rolls (holds of all dice); ``average_places`` has added it to smaller holds."""
    dice, wide = count_dice(bounds), _Wide(tiles, work, carried)
    first_roll = INDEX(make_cup(dice).first_roll * TILE)
    none, whole = ir.DoubleType()(0.0), ir.DoubleType()(dice * PREFER_DIE)
    for target, *sources in tiles.iter_holds(edges, bounds):
        value, *others = wide[target]
        is_roll = tiles.builder.icmp_signed(">=", target, first_roll)
        liked = tiles.add_number(value, tiles.builder.select(is_roll, whole, none))
        wide[target] = reduce(wide.better, [wide[n] for n in sources], [liked, *others])


@instruction
def copy_place(tiles: Tiles, work: Any, out: Offset, source: Any, at: Offset, carried: Any) -> None:
    _Wide(tiles, work, carried)[out] = _Wide(tiles, source, carried)[at]


@instruction
def set_roll_places(
    tiles: Tiles, work: Any, slots: Any, rolls: Any, ends: Any, carried: Any
) -> None:
    """Set work[roll] of every roll to the best of its slots, as ``kernels.fill_rolls`` does."""
    wide, of_slots = _Wide(tiles, work, carried), _Wide(tiles, slots, carried)
    for roll, *some in tiles.iter_rolls(rolls, ends):
        wide[roll] = reduce(wide.better, [of_slots[slot] for slot in some])


@instruction
def raise_roll_places(
    tiles: Tiles, work: Any, slots: Any, rolls: Any, ends: Any, carried: Any
) -> None:
    """Set work[roll] of every roll to the best of its slots, if that is better."""
    wide, of_slots = _Wide(tiles, work, carried), _Wide(tiles, slots, carried)
    for roll, *some in tiles.iter_rolls(rolls, ends):
        wide[roll] = reduce(wide.better, [of_slots[slot] for slot in some], wide[roll])


@instruction
def raise_place(
    tiles: Tiles,
    work: Any,
    out: Offset,
    values: Any,
    after: Any,
    row: Offset,
    column: Offset,
    last: Offset,
    points: Number,
    like: Number,
    linear: Any,
    first_linear: Offset,
    quadratic: Any,
) -> None:
    """Replace the value and quantities in work[out] if scoring these points has a higher value.

    The next card's row starts at ``row``; its last column is ``last``. ``after`` has an array as
    long as ``values`` for each carried quantity, one after the other. The factors of the box begin
    at ``first_linear`` in the flat array ``linear``.
    """
    builder, wide = tiles.builder, _Wide(tiles, work, quadratic)
    value = tiles.load_tile(values, row, column, last)
    parts = [tiles.add_number(value, builder.fadd(points, like))]
    factors = zip(linear.numbers(first_linear, len(quadratic)), quadratic, strict=True)
    for number, (times, factor) in enumerate(factors):
        square = builder.fmul(factor, points)
        plus = builder.fmul(builder.fadd(times, square), points)
        twice = tiles.fill_lanes(builder.fadd(square, square))
        later = tiles.load_tile(
            after, _find_in_plane(builder, number, values.length, row), column, last
        )
        parts.append(builder.fadd(tiles.add_number(later, plus), builder.fmul(twice, value)))
    wide[out] = wide.better(wide[out], parts)


@instruction
def average_first_places(
    tiles: Tiles,
    after: Any,
    size: Offset,
    at: Offset,
    work: Any,
    chances: Any,
    bounds: Any,
    carried: Any,
) -> None:
    """Store each quantity's mean over the first roll in ``after``, from index ``at`` on."""
    builder, wide = tiles.builder, _Wide(tiles, work, carried)
    first_roll = INDEX(make_cup(count_dice(bounds)).first_roll)
    sums = [_variable(builder, tiles.make_constant(0.0)) for _ in carried]
    with cgutils.for_range(builder, chances.length) as loop:
        chance = tiles.fill_lanes(chances.number(loop.index))
        roll = builder.mul(builder.add(loop.index, first_roll), INDEX(TILE))
        for sum_, part in zip(sums, wide[roll][1:], strict=True):
            builder.store(builder.fadd(builder.load(sum_), builder.fmul(chance, part)), sum_)
    for number, sum_ in enumerate(sums):
        after[_find_in_plane(builder, number, size, at)] = builder.load(sum_)


def _find_in_plane(builder: Any, number: int, size: Any, at: Any) -> Any:
    return builder.add(at, builder.mul(size, size.type(number)))


@inlined
def fill_slots(
    slots: Any,
    values: Any,
    after: Any,
    row: int,
    column: int,
    columns: Any,
    plane: int,
    scores: Any,
    quantities: Any,
) -> None:
    """Set every slot to the best result that an open box gives it, as ``kernels.fill_slots`` does.
    If boxes tie, the first box wins.

    The values of the next cards begin at index ``plane`` of ``values``.
    """
    linear, quadratic = quantities.linear, quantities.quadratic
    planes, rows_at, last = len(quadratic), columns.rows_at, columns.end
    boxes = scores.start.shape[0] - 1
    zero = scores.number * TILE
    set_tile(slots, zero * (planes + 1), -np.inf)
    for box in range(boxes):
        if not row >> box & 1:
            at, like = plane + find_row_start(rows_at, row | 1 << box), -PREFER_LOWER_BOX * box
            first = box * planes
            raise_place(
                slots, zero, values, after, at, column, last, 0.0, like, linear, first, quadratic
            )
    for slot in range(0, zero, TILE):
        copy_place(slots, slot, slots, zero, quadratic)
    for box in range(boxes):
        if row >> box & 1:
            continue
        after_row, like, first = row | 1 << box, -PREFER_LOWER_BOX * box, box * planes
        if box == scores.joker_box:
            after_row |= scores.chips_row
        at = plane + find_row_start(rows_at, after_row)
        for entry in range(scores.start[box], scores.start[box + 1]):
            slot, points = scores.slot[entry], scores.points[entry]
            to = column + scores.step[entry]
            raise_place(
                slots, slot, values, after, at, to, last, points, like, linear, first, quadratic
            )


@inlined
def update_jokers(
    work: Any,
    values: Any,
    after: Any,
    row: int,
    column: int,
    columns: Any,
    jokers: Any,
    quantities: Any,
) -> None:
    """Recalculate the rolls that are jokers on this card. ``of_jokers`` has the factor by which the
    points of each joker entry count for a quantity."""
    linear, quadratic = quantities.of_jokers, quantities.quadratic
    planes, last = len(quadratic), columns.end
    if jokers.start.shape[0] <= 1:
        return
    entries = range(jokers.start[row], jokers.start[row + 1])
    for entry in entries:
        set_tile(work, jokers.target[entry] * (planes + 1), -np.inf)
    for entry in entries:
        box, points, target = jokers.box[entry], jokers.points[entry], jokers.target[entry]
        at, to = find_row_start(columns.rows_at, jokers.row[entry]), column + jokers.step[entry]
        like, first = -PREFER_LOWER_BOX * box, entry * planes
        raise_place(
            work, target, values, after, at, to, last, points, like, linear, first, quadratic
        )


@inlined
def hold_pass(work: Any, moves: Any, likes: Any, carried: Any) -> None:
    """Replace the value and quantities of every roll by those with one more roll left."""
    for hold in range(moves.bounds[-2]):
        average_places(work, moves.mean, 7 * hold, likes[hold], carried)
    set_best_places(work, moves.best, moves.bounds, carried)


@kernel
def carry_rows(
    rows: Any, values: Any, after: Any, columns: Any, throws: int, game: Any, quantities: Any
) -> None:
    planes, size = len(quantities.quadratic), values.shape[0]
    moves, scores, quadratic = game.moves, game.slots, quantities.quadratic
    work = make_tiles((planes + 1) * moves.bounds[-1] * TILE)
    slots = make_tiles((planes + 1) * (scores.number + 1) * TILE)
    for row in rows:
        start = find_row_start(columns.rows_at, row)
        for column in range(columns.first[row], columns.last[row] + 1, TILE):
            fill_slots(slots, values, after, row, column, columns, 0, scores, quantities)
            set_roll_places(work, slots, scores.rolls, scores.ends, quadratic)
            update_jokers(work, values, after, row, column, columns, game.jokers, quantities)
            for _ in range(throws - 1):
                hold_pass(work, moves, quantities.likes, quadratic)
            chances, at = quantities.first_throw, start + column
            average_first_places(after, size, at, work, chances, moves.bounds, quadratic)
        for plane in range(planes):
            fill_alike(after, plane * size + start, columns, row)


@kernel
def carry_saved(
    rows: Any,
    values: Any,
    after: Any,
    columns: Any,
    throws: int,
    game: Any,
    quantities: Any,
    here: Any,
    following: Any,
) -> None:
    """Do what ``carry_rows`` does, for rulesets that save rolls (see ``kernels.sweep_saved``); a
    box replaces a hold only if its value is greater."""
    planes, size = len(quantities.quadratic), values.shape[0]
    moves, scores, quadratic = game.moves, game.slots, quantities.quadratic
    work = make_tiles((planes + 1) * moves.bounds[-1] * TILE)
    slots = make_tiles((planes + 1) * (scores.number + 1) * TILE)
    for row in rows:
        start = find_row_start(columns.rows_at, row)
        for column in range(columns.first[row], columns.last[row] + 1, TILE):
            for left in range(here.most + throws):
                plane = min(left, following.most) * following.plane
                fill_slots(slots, values, after, row, column, columns, plane, scores, quantities)
                if left:
                    hold_pass(work, moves, quantities.likes, quadratic)
                    raise_roll_places(work, slots, scores.rolls, scores.ends, quadratic)
                else:
                    set_roll_places(work, slots, scores.rolls, scores.ends, quadratic)
                saved = left + 1 - throws  # saved rolls before the turn; the first roll uses one
                if saved >= 0:
                    at, chances = saved * here.plane + start + column, quantities.first_throw
                    average_first_places(after, size, at, work, chances, moves.bounds, quadratic)
        for plane in range(planes):
            for saved in range(here.most + 1):
                fill_alike(after, plane * size + saved * here.plane + start, columns, row)
