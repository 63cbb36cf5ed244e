"""Vector instructions for numba: one call works on a tile of neighbouring upper totals.

numba has no vector type, and its loop vectoriser leaves such short loops scalar. These intrinsics
write the vector operations into the LLVM code themselves; LLVM then takes the widest registers
the processor has. Arrays are flat float64; an offset counts elements and must leave room for a
tile. ``edges[at:]`` names the tiles of one operation: the target first, then the sources.
"""

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import extending
from numba.core import cgutils, types

from solver.dp import arrays
from solver.dp.space import TILE

_VECTOR = ir.VectorType(ir.DoubleType(), TILE)
_OFFSET = types.intp
_MAXIMUM = f"llvm.maxnum.v{TILE}f64"  # without NaN it is one instruction

_declared: Any = cgutils.get_or_insert_function
intrinsic: Any = extending.intrinsic  # callers leave out the typing context


class _Tiles:
    """Loads and stores tiles at offsets into the arrays that an intrinsic was called with."""

    def __init__(self, context: Any, builder: Any) -> None:
        self.context = context
        self.builder = builder

    def element(self, kind: Any, array: Any, offset: Any) -> Any:
        data = self.context.make_array(kind)(self.context, self.builder, array).data
        return self.builder.gep(data, [offset])

    def pointer(self, kind: Any, array: Any, offset: Any) -> Any:
        return self.builder.bitcast(self.element(kind, array, offset), _VECTOR.as_pointer())

    def load(self, kind: Any, array: Any, offset: Any) -> Any:
        return self.builder.load(self.pointer(kind, array, offset), align=8)

    def store(self, value: Any, kind: Any, array: Any, offset: Any) -> None:
        self.builder.store(value, self.pointer(kind, array, offset), align=8)

    def edge(self, kind: Any, edges: Any, at: Any, number: int) -> Any:
        return self.builder.load(self.element(kind, edges, self.builder.add(at, at.type(number))))

    def every_lane(self, value: Any) -> Any:
        lane = ir.IntType(32)
        none = ir.Constant(ir.VectorType(value.type, TILE), ir.Undefined)
        one = self.builder.insert_element(none, value, lane(0))
        same = ir.Constant(ir.VectorType(lane, TILE), [0] * TILE)
        return self.builder.shuffle_vector(one, one, same)

    def lanes_past(self, number: Any) -> Any:
        lanes = ir.Constant(ir.VectorType(number.type, TILE), list(range(TILE)))
        return self.builder.icmp_signed(">", lanes, self.every_lane(number))

    def greater(self, a: Any, b: Any) -> Any:
        return self.builder.fcmp_ordered(">", a, b)

    def larger(self, a: Any, b: Any) -> Any:
        kind = ir.FunctionType(_VECTOR, [_VECTOR, _VECTOR])
        maximum = _declared(self.builder.module, kind, _MAXIMUM)
        return self.builder.call(maximum, [a, b], fastmath=("nnan",))

    def constant(self, number: float) -> Any:
        return ir.Constant(_VECTOR, [number] * TILE)

    def sum(self, parts: list[Any]) -> Any:
        while len(parts) > 1:
            pairs = zip(parts[::2], parts[1::2], strict=False)
            parts = [self.builder.fadd(a, b) for a, b in pairs] + parts[len(parts) & ~1 :]
        return parts[0]

    def mean(self, six: list[Any]) -> Any:
        return self.builder.fmul(self.sum(six), self.constant(1.0 / 6.0))

    def each_hold(self, bounds: Any, work: Callable[[Any, int], None], down: bool = False) -> None:
        """A loop for each group of ``arrays.groups``, whose holds have as many sources.

        ``work`` is given where the edges of a hold begin, and how many sources they have, a number
        known now: so each of them is loaded and stored once.
        """
        end, loops = 0, []
        for group in arrays.groups(dice_of(bounds)):
            start, length = end, len(group[0])
            end += length * len(group)
            loops.append((start, end, length))
        for loop in reversed(loops) if down else loops:
            first, last, step = map(ir.IntType(64), loop)
            with cgutils.for_range_slice(self.builder, first, last, step) as (at, _):
                work(at, loop[2] - 1)


def dice_of(bounds: Any) -> int:
    """How many dice there are, of the type of ``Moves.bounds``."""
    return int(bounds.count) - 2


@intrinsic
def tile_mean(typing: Any, work: Any, edges: Any, at: Any) -> Any:
    """work[target] = the mean of the six sources"""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        tiles, (kind, edge_kind, _) = _Tiles(context, builder), signature.args
        array, edge_array, first = args
        parts = [
            tiles.load(kind, array, tiles.edge(edge_kind, edge_array, first, number))
            for number in range(1, 7)
        ]
        target = tiles.edge(edge_kind, edge_array, first, 0)
        tiles.store(tiles.mean(parts), kind, array, target)
        return context.get_dummy_value()

    return types.void(work, edges, _OFFSET), generate


@intrinsic
def tile_weighted(typing: Any, work: Any, edges: Any, at: Any, weights: Any) -> Any:
    """work[target] = the sum of the six sources, each with its weight"""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        tiles, (kind, edge_kind, _, weight_kind) = _Tiles(context, builder), signature.args
        array, edge_array, first, factors = args
        parts = []
        for number in range(6):
            source = tiles.edge(edge_kind, edge_array, first, number + 1)
            place = tiles.element(weight_kind, factors, ir.Constant(ir.IntType(64), number))
            weight = tiles.every_lane(builder.load(place))
            parts.append(builder.fmul(tiles.load(kind, array, source), weight))
        target = tiles.edge(edge_kind, edge_array, first, 0)
        tiles.store(tiles.sum(parts), kind, array, target)
        return context.get_dummy_value()

    return types.void(work, edges, _OFFSET, weights), generate


@intrinsic
def tile_max_plus(typing: Any, work: Any, out: Any, source: Any, at: Any, points: Any) -> Any:
    """work[out] = max(work[out], source[at] + points)"""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        tiles = _Tiles(context, builder)
        kind, _, source_kind, _, _ = signature.args
        array, target, other, offset, gain = args
        sum_ = builder.fadd(tiles.load(source_kind, other, offset), tiles.every_lane(gain))
        best = tiles.larger(tiles.load(kind, array, target), sum_)
        tiles.store(best, kind, array, target)
        return context.get_dummy_value()

    return types.void(work, _OFFSET, source, _OFFSET, types.float64), generate


@intrinsic
def tile_raise(
    typing: Any, work: Any, out: Any, values: Any, row: Any, column: Any, last: Any, points: Any
) -> Any:
    """work[out] = max(work[out], V + points) with V of the row in these columns, none past last.

    ``row`` is where the row starts in ``values``.
    """

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        tiles = _Tiles(context, builder)
        kind, _, value_kind, *_ = signature.args
        array, target, source, start, first, final, gain = args
        value = tiles.load(value_kind, source, builder.add(start, first))
        past = tiles.lanes_past(builder.sub(final, first))
        highest = builder.load(tiles.element(value_kind, source, builder.add(start, final)))
        value = builder.select(past, tiles.every_lane(highest), value)
        reached = builder.fadd(value, tiles.every_lane(gain))
        best = tiles.larger(tiles.load(kind, array, target), reached)
        tiles.store(best, kind, array, target)
        return context.get_dummy_value()

    return (
        types.void(work, _OFFSET, values, _OFFSET, _OFFSET, _OFFSET, types.float64),
        generate,
    )


@intrinsic
def tile_fetch(typing: Any, values: Any, at: Any) -> Any:
    """Asks for values[at] to be brought near."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        place = _Tiles(context, builder).element(signature.args[0], *args)
        byte, flag = ir.IntType(8).as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [byte, flag, flag, flag])
        fetch = _declared(builder.module, kind, "llvm.prefetch.p0")
        builder.call(fetch, [builder.bitcast(place, byte), flag(0), flag(3), flag(1)])
        return context.get_dummy_value()

    return types.void(values, _OFFSET), generate


@intrinsic
def tile_copy(typing: Any, work: Any, out: Any, source: Any, at: Any) -> Any:
    """work[out] = source[at]"""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        tiles = _Tiles(context, builder)
        kind, _, source_kind, _ = signature.args
        array, target, other, offset = args
        tiles.store(tiles.load(source_kind, other, offset), kind, array, target)
        return context.get_dummy_value()

    return types.void(work, _OFFSET, source, _OFFSET), generate


@intrinsic
def tile_set(typing: Any, work: Any, out: Any, value: Any) -> Any:
    """work[out] = the value, in every lane"""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        tiles = _Tiles(context, builder)
        array, target, number = args
        tiles.store(tiles.every_lane(number), signature.args[0], array, target)
        return context.get_dummy_value()

    return types.void(work, _OFFSET, types.float64), generate
