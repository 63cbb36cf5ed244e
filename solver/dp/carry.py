"""The sweep of ``dp.kernels`` with quantities carried along, compiled; see ``dp.outlook``.

A place of ``work`` (a hold) or of ``slots`` has the tile of the value, and after it a tile for
each carried quantity. The larger value wins, lane by lane, and brings its quantities with it.
How many there are is the length of the tuple ``quadratic``, known when the kernel is compiled.
Offsets that come from outside count tiles of values alone, and are multiplied by ``width``.
"""

from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types

from solver.dp.compiled import inlined, kernel
from solver.dp.kernels import tiles_of
from solver.dp.slots import MOST_SLOTS
from solver.dp.space import PREFER_DIE, PREFER_LOWER_BOX, TILE
from solver.dp.tiles import _OFFSET, _Tiles, dice_of, intrinsic, tile_set
from solver.rules.dice import cup_of

_INDEX = ir.IntType(64)
_zero: Any = cgutils.alloca_once_value


class _Places(_Tiles):
    """Loads and stores all tiles of a place at once."""

    def __init__(self, context: Any, builder: Any, carried: Any) -> None:
        super().__init__(context, builder)
        self.width = carried.count + 1

    def length(self, kind: Any, array: Any) -> Any:
        shape = self.context.make_array(kind)(self.context, self.builder, array).shape
        return self.builder.extract_value(shape, 0)

    def place(self, offset: Any) -> Any:
        return self.builder.mul(offset, offset.type(self.width))

    def load_all(self, kind: Any, array: Any, offset: Any) -> list[Any]:
        first = self.pointer(kind, array, self.place(offset))
        return [
            self.builder.load(self.builder.gep(first, [_INDEX(number)]), align=8)
            for number in range(self.width)
        ]

    def store_all(self, parts: list[Any], kind: Any, array: Any, offset: Any) -> None:
        first = self.pointer(kind, array, self.place(offset))
        for number, part in enumerate(parts):
            self.builder.store(part, self.builder.gep(first, [_INDEX(number)]), align=8)

    def better(self, one: list[Any], other: list[Any]) -> list[Any]:
        """The other where its value is greater."""
        wins = self.greater(other[0], one[0])
        return [self.builder.select(wins, b, a) for a, b in zip(one, other, strict=True)]


@intrinsic
def place_mean(typing: Any, work: Any, edges: Any, at: Any, like: Any, carried: Any) -> Any:
    """work[target] = the mean of the six sources; the value is liked so much better."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind, edge_kind, *_ = signature.args
        array, edges, first, like, _ = args
        places = _Places(context, builder, carried)
        numbers = [places.edge(edge_kind, edges, first, number) for number in range(7)]
        sources = [places.load_all(kind, array, number) for number in numbers[1:]]
        parts = [places.mean(list(six)) for six in zip(*sources, strict=True)]
        parts[0] = builder.fadd(parts[0], places.every_lane(like))
        places.store_all(parts, kind, array, numbers[0])
        return context.get_dummy_value()

    return types.void(work, edges, _OFFSET, types.float64, carried), generate


@intrinsic
def place_bests(typing: Any, work: Any, edges: Any, bounds: Any, carried: Any) -> Any:
    """From e(hold) to the best e within the hold; ``mean_pass`` has liked the smaller ones, here
    the rolls are, which are kept whole."""
    dice = dice_of(bounds)
    first_roll = _INDEX(cup_of(dice).first_roll * TILE)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        places = _Places(context, builder, carried)
        kind, edge_kind, *_ = signature.args
        array, edge_array, *_ = args
        none, whole = ir.DoubleType()(0.0), ir.DoubleType()(dice * PREFER_DIE)

        def one(at: Any, sources: int) -> None:
            numbers = [places.edge(edge_kind, edge_array, at, n) for n in range(sources + 1)]
            best = places.load_all(kind, array, numbers[0])
            is_roll = builder.icmp_signed(">=", numbers[0], first_roll)
            like = builder.select(is_roll, whole, none)
            best[0] = builder.fadd(best[0], places.every_lane(like))
            for number in numbers[1:]:
                best = places.better(best, places.load_all(kind, array, number))
            places.store_all(best, kind, array, numbers[0])

        places.each_hold(bounds, one)
        return context.get_dummy_value()

    return types.void(work, edges, bounds, carried), generate


@intrinsic
def place_copy(typing: Any, work: Any, out: Any, source: Any, at: Any, carried: Any) -> Any:
    """work[out] = source[at]"""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        places = _Places(context, builder, carried)
        kind, _, source_kind, *_ = signature.args
        parts = places.load_all(source_kind, args[2], args[3])
        places.store_all(parts, kind, args[0], args[1])
        return context.get_dummy_value()

    return types.void(work, _OFFSET, source, _OFFSET, carried), generate


@intrinsic
def place_rolls(typing: Any, work: Any, slots: Any, rolls: Any, ends: Any, carried: Any) -> Any:
    """work[roll] = the best of its slots; see ``unrolled.all_rolls``."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        places = _Places(context, builder, carried)
        work_kind, kind, roll_kind, end_kind, _ = signature.args
        array, source, edges, ends, _ = args
        first = _INDEX(0)
        for number in range(1, MOST_SLOTS + 1):
            end = places.edge(end_kind, ends, _INDEX(0), number)
            with cgutils.for_range_slice(builder, first, end, _INDEX(number + 1)) as (at, _):
                numbers = [
                    builder.sext(places.edge(roll_kind, edges, at, other), _INDEX)
                    for other in range(number + 1)
                ]
                best = places.load_all(kind, source, numbers[1])
                for slot in numbers[2:]:
                    best = places.better(best, places.load_all(kind, source, slot))
                places.store_all(best, work_kind, array, numbers[0])
            first = end
        return context.get_dummy_value()

    return types.void(work, slots, rolls, ends, carried), generate


@intrinsic
def place_raise(
    typing: Any,
    work: Any,
    out: Any,
    values: Any,
    after: Any,
    at: Any,
    points: Any,
    like: Any,
    linear: Any,
    first_linear: Any,
    quadratic: Any,
) -> Any:
    """work[out] is what scoring so many points brings, if that is better.

    ``after`` are the planes of the carried quantities, each as long as ``values``; ``linear`` is
    flat, and those of the box begin at ``first_linear``.
    """

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kinds = signature.args
        array, target, values, after, at, points, like, linear, first_linear, squares = args
        places = _Places(context, builder, quadratic)
        value = places.load(kinds[2], values, at)
        size = places.length(kinds[2], values)
        parts = [builder.fadd(value, places.every_lane(builder.fadd(points, like)))]
        for number in range(quadratic.count):
            plane = builder.add(at, builder.mul(size, size.type(number)))
            times = places.edge(kinds[7], linear, first_linear, number)
            square = builder.fmul(builder.extract_value(squares, number), points)
            plus = builder.fmul(builder.fadd(times, square), points)
            twice = builder.fadd(square, square)
            part = builder.fadd(places.load(kinds[3], after, plane), places.every_lane(plus))
            parts.append(builder.fadd(part, builder.fmul(places.every_lane(twice), value)))
        best = places.better(places.load_all(kinds[0], array, target), parts)
        places.store_all(best, kinds[0], array, target)
        return context.get_dummy_value()

    number = types.float64
    return (
        types.void(
            work, _OFFSET, values, after, _OFFSET, number, number, linear, _OFFSET, quadratic
        ),
        generate,
    )


@intrinsic
def place_first_throw(
    typing: Any, after: Any, size: Any, at: Any, work: Any, chances: Any, bounds: Any, carried: Any
) -> Any:
    """after[plane, at] = the mean of the carried quantities over the first throw"""
    first_roll = cup_of(dice_of(bounds)).first_roll

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind, _, _, work_kind, chance_kind, *_ = signature.args
        array, size, at, work, chances, *_ = args
        places = _Places(context, builder, carried)
        sums = [_zero(builder, places.constant(0.0)) for _ in range(carried.count)]
        with cgutils.for_range(builder, places.length(chance_kind, chances)) as loop:
            chance = places.every_lane(places.edge(chance_kind, chances, loop.index, 0))
            roll = builder.mul(builder.add(loop.index, _INDEX(first_roll)), _INDEX(TILE))
            parts = places.load_all(work_kind, work, roll)[1:]
            for sum_, part in zip(sums, parts, strict=True):
                more = builder.fadd(builder.load(sum_), builder.fmul(chance, part))
                builder.store(more, sum_)
        for number, sum_ in enumerate(sums):
            place = builder.add(at, builder.mul(size, size.type(number)))
            places.store(builder.load(sum_), kind, array, place)
        return context.get_dummy_value()

    return types.void(after, _OFFSET, _OFFSET, work, chances, bounds, carried), generate


@inlined
def score_pass(
    slots: Any,
    work: Any,
    values: Any,
    after: Any,
    row: int,
    column: int,
    stride: int,
    scores: Any,
    quantities: Any,
) -> None:
    """w_0 as in ``kernels.score_pass``, lower boxes preferred."""
    linear, quadratic = quantities.linear, quantities.quadratic
    planes = len(quadratic)
    boxes = scores.start.shape[0] - 1
    zero = scores.number * TILE
    tile_set(slots, zero * (planes + 1), -np.inf)
    for box in range(boxes):
        if not row >> box & 1:
            at, like = (row | 1 << box) * stride + column, -PREFER_LOWER_BOX * box
            first = box * planes
            place_raise(slots, zero, values, after, at, 0.0, like, linear, first, quadratic)
    for slot in range(0, zero, TILE):
        place_copy(slots, slot, slots, zero, quadratic)
    for box in range(boxes):
        if row >> box & 1:
            continue
        after_row, like, first = row | 1 << box, -PREFER_LOWER_BOX * box, box * planes
        if box == scores.joker_box:
            after_row |= scores.chips_row
        for entry in range(scores.start[box], scores.start[box + 1]):
            slot, points = scores.slot[entry], scores.points[entry]
            at = after_row * stride + column + scores.step[entry]
            place_raise(slots, slot, values, after, at, points, like, linear, first, quadratic)
    place_rolls(work, slots, scores.rolls, scores.ends, quadratic)


@inlined
def joker_pass(
    work: Any,
    values: Any,
    after: Any,
    row: int,
    column: int,
    stride: int,
    jokers: Any,
    quantities: Any,
) -> None:
    """Here ``linear`` is that of each entry: what of its points belongs to the box."""
    linear, quadratic = quantities.of_jokers, quantities.quadratic
    planes = len(quadratic)
    if jokers.start.shape[0] <= 1:
        return
    entries = range(jokers.start[row], jokers.start[row + 1])
    for entry in entries:
        tile_set(work, jokers.target[entry] * (planes + 1), -np.inf)
    for entry in entries:
        box, points, target = jokers.box[entry], jokers.points[entry], jokers.target[entry]
        at = jokers.row[entry] * stride + column + jokers.step[entry]
        like, first = -PREFER_LOWER_BOX * box, entry * planes
        place_raise(work, target, values, after, at, points, like, linear, first, quadratic)


@inlined
def mean_pass(work: Any, moves: Any, likes: Any, carried: Any) -> None:
    for hold in range(moves.bounds[-2]):
        place_mean(work, moves.mean, 7 * hold, likes[hold], carried)


@kernel
def carry_rows(
    rows: Any, values: Any, after: Any, columns: Any, throws: int, game: Any, quantities: Any
) -> None:
    planes, size, stride = len(quantities.quadratic), values.shape[0], columns.stride
    moves, scores, quadratic = game.moves, game.slots, quantities.quadratic
    work = tiles_of((planes + 1) * moves.bounds[-1] * TILE)
    slots = tiles_of((planes + 1) * (scores.number + 1) * TILE)
    for row in rows:
        start = row * stride
        for column in range(columns.first[row], columns.last[row] + 1, TILE):
            score_pass(slots, work, values, after, row, column, stride, scores, quantities)
            joker_pass(work, values, after, row, column, stride, game.jokers, quantities)
            for _ in range(throws - 1):
                mean_pass(work, moves, quantities.likes, quadratic)
                place_bests(work, moves.best, moves.bounds, quadratic)
            chances, at = quantities.first_throw, start + column
            place_first_throw(after, size, at, work, chances, moves.bounds, quadratic)
        for plane in range(planes):
            here, alike = plane * size + start, columns.alike_until[row]
            for column in range(alike):
                after[here + column] = after[here + alike]
            for column in range(columns.end + 1, stride):
                after[here + column] = after[here + columns.end]
