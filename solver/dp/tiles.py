"""Vector instructions for numba: a call works on a tile, which is TILE neighbouring lanes of a
line.

Numba has no vector type, and its loop vectoriser does not vectorise such short loops. These
instructions write vector operations directly into the LLVM code. LLVM then uses the widest
registers of the processor. Arrays are flat float64. An offset counts elements and must leave room
for a tile. ``edges[at:]`` lists the tiles of an operation: the target first, then the sources.

An instruction is a function that receives ``Tiles`` and the arguments of its call, and emits code
for them. Arrays arrive as a ``TileArray``, tuples as lists of known length, None as None, and every
other argument as a value of LLVM.
"""

from collections.abc import Callable, Iterator
from functools import wraps
from inspect import signature
from typing import Annotated, Any

from llvmlite import ir
from numba import extending
from numba.core import cgutils, types

from solver.dp import arrays
from solver.dp.slots import MOST_SLOTS
from solver.dp.space import ROUNDING, TILE

Offset = Annotated[Any, types.intp]
Number = Annotated[Any, types.float64]

INDEX = ir.IntType(64)
_VECTOR = ir.VectorType(ir.DoubleType(), TILE)
_MAXIMUM = f"llvm.maxnum.v{TILE}f64"  # this is a single machine instruction if no value is NaN

_TUPLE: Any = types.BaseTuple
_declared: Any = cgutils.get_or_insert_function


class Tiles:
    def __init__(self, context: Any, builder: Any) -> None:
        self.context = context
        self.builder = builder

    def as_operand(self, kind: Any, value: Any) -> Any:
        """Convert an argument of a call to the form that this module's instructions receive."""
        if isinstance(kind, types.Array):
            return TileArray(self, kind, value)
        if isinstance(kind, _TUPLE):
            parts = (self.builder.extract_value(value, number) for number in range(len(kind)))
            return [self.as_operand(*part) for part in zip(kind, parts, strict=True)]
        return None if isinstance(kind, types.NoneType) else value

    def fill_lanes(self, value: Any) -> Any:
        lane = ir.IntType(32)
        none = ir.Constant(ir.VectorType(value.type, TILE), ir.Undefined)
        single = self.builder.insert_element(none, value, lane(0))
        same = ir.Constant(ir.VectorType(lane, TILE), [0] * TILE)
        return self.builder.shuffle_vector(single, single, same)

    def add_number(self, tile: Any, number: Any) -> Any:
        return self.builder.fadd(tile, self.fill_lanes(number))

    def load_tile(self, values: "TileArray", row: Any, places: "TileArray | None", at: Any) -> Any:
        """Return TILE numbers of the line that begins at ``row``: those from ``at`` on or, if
        ``places`` is not None, those at places[at], places[at + 1], ..."""
        if places is None:
            return values[self.builder.add(row, at)]
        tile = ir.Constant(_VECTOR, ir.Undefined)
        for lane, place in enumerate(places.numbers(at, TILE)):
            number = values.number(self.builder.add(row, place))
            tile = self.builder.insert_element(tile, number, ir.IntType(32)(lane))
        return tile

    def choose_larger(self, a: Any, b: Any) -> Any:
        kind = ir.FunctionType(_VECTOR, [_VECTOR, _VECTOR])
        maximum = _declared(self.builder.module, kind, _MAXIMUM)
        return self.builder.call(maximum, [a, b], fastmath=("nnan",))

    def make_constant(self, number: float) -> Any:
        return ir.Constant(_VECTOR, [number] * TILE)

    def sum(self, parts: list[Any]) -> Any:
        while len(parts) > 1:
            pairs = zip(parts[::2], parts[1::2], strict=False)
            parts = [self.builder.fadd(a, b) for a, b in pairs] + parts[len(parts) & ~1 :]
        return parts[0]

    def mean(self, six: list[Any]) -> Any:
        return self.builder.fmul(self.sum(six), self.make_constant(1.0 / 6.0))

    def iter_holds(
        self, edges: "TileArray", bounds: list[Any], down: bool = False
    ) -> Iterator[Iterator[Any]]:
        """Yield each hold with its smaller holds, in one loop per group of ``arrays.group_holds``.
        In each loop the compiler knows the number of smaller holds, and loads and stores each tile
        only once."""
        end, loops = 0, []
        for group in arrays.group_holds(count_dice(bounds)):
            start, length = end, len(group[0])
            end += length * len(group)
            loops.append((start, end, length))
        for loop in reversed(loops) if down else loops:
            first, last, step = map(INDEX, loop)
            yield from self.iter_edges(edges, first, last, step, loop[2])

    def iter_rolls(self, rolls: "TileArray", ends: "TileArray") -> Iterator[Iterator[Any]]:
        """Yield every roll and its slots (``dp.slots.Slots``), in one loop per number of slots."""
        first = INDEX(0)
        for number in range(1, MOST_SLOTS + 1):
            end = ends.number(INDEX(number))
            yield from self.iter_edges(rolls, first, end, INDEX(number + 1), number + 1)
            first = end

    def iter_edges(
        self, edges: "TileArray", first: Any, end: Any, step: Any, length: int
    ) -> Iterator[Iterator[Any]]:
        with cgutils.for_range_slice(self.builder, first, end, step) as (at, _):
            yield edges.numbers(at, length)


class TileArray:
    """An array argument. ``array[offset]`` is a tile; ``array.number(at)`` is a single number."""

    def __init__(self, tiles: Tiles, kind: Any, array: Any) -> None:
        self.builder = tiles.builder
        self.array = tiles.context.make_array(kind)(tiles.context, tiles.builder, array)

    @property
    def length(self) -> Any:
        return self.builder.extract_value(self.array.shape, 0)

    def find_element(self, offset: Any) -> Any:
        return self.builder.gep(self.array.data, [offset])

    def find_pointer(self, offset: Any) -> Any:
        return self.builder.bitcast(self.find_element(offset), _VECTOR.as_pointer())

    def number(self, at: Any) -> Any:
        number = self.builder.load(self.find_element(at))
        return self.builder.sext(number, INDEX) if isinstance(number.type, ir.IntType) else number

    def numbers(self, at: Any, length: int) -> Iterator[Any]:
        """Return an iterator over numbers. Each is loaded only when it is read."""
        return (self.number(self.builder.add(at, at.type(number))) for number in range(length))

    def __getitem__(self, offset: Any) -> Any:
        return self.builder.load(self.find_pointer(offset), align=8)

    def __setitem__(self, offset: Any, tile: Any) -> None:
        self.builder.store(tile, self.find_pointer(offset), align=8)


class Places:
    """An array whose entries have a tile for the value and a tile for each carried quantity.
    ``carried`` is None or a tuple of three: the quantities of the next cards (for each quantity, an
    array as long as the array of values, one after another), the factors a of ``dp.outlook``
    (flat), and the factor b of each quantity. In each lane the larger value brings its quantities
    with it."""

    def __init__(self, tiles: Tiles, array: TileArray, carried: list[Any] | None) -> None:
        self.tiles, self.array = tiles, array
        self.width = 1 + len(carried[2]) if carried else 1

    def _list_pointers(self, offset: Any) -> list[Any]:
        builder = self.tiles.builder
        first = self.array.find_pointer(builder.mul(offset, offset.type(self.width)))
        return [builder.gep(first, [INDEX(number)]) for number in range(self.width)]

    def __getitem__(self, offset: Any) -> list[Any]:
        return [self.tiles.builder.load(place, align=8) for place in self._list_pointers(offset)]

    def __setitem__(self, offset: Any, parts: list[Any]) -> None:
        for part, place in zip(parts, self._list_pointers(offset), strict=True):
            self.tiles.builder.store(part, place, align=8)

    def choose_better(self, first: list[Any], other: list[Any]) -> list[Any]:
        """Return the larger of two entries, lane by lane. If quantities are carried, ``other`` must
        exceed ``first`` by more than ROUNDING."""
        if self.width == 1:
            return [self.tiles.choose_larger(first[0], other[0])]
        builder = self.tiles.builder
        least = builder.fadd(first[0], self.tiles.make_constant(ROUNDING))
        wins = builder.fcmp_ordered(">", other[0], least)
        return [builder.select(wins, b, a) for a, b in zip(first, other, strict=True)]


def instruction(written: Callable[..., None]) -> Any:
    """Return a numba intrinsic that inserts the LLVM code that this function emits."""
    _, *parameters = signature(written).parameters.values()
    fixed = [getattr(parameter.annotation, "__metadata__", (None,))[0] for parameter in parameters]

    @wraps(written)
    def type_call(typing: Any, *kinds: Any) -> Any:
        def generate(context: Any, builder: Any, call: Any, values: Any) -> Any:
            tiles = Tiles(context, builder)
            written(tiles, *map(tiles.as_operand, call.args, values))
            return context.get_dummy_value()

        return types.void(
            *(given or kind for given, kind in zip(fixed, kinds, strict=True))
        ), generate

    return extending.intrinsic(type_call)


def count_dice(bounds: list[Any]) -> int:
    """Return the number of dice, from the length of ``Moves.bounds``."""
    return len(bounds) - 2


@instruction
def average_tiles(tiles: Tiles, work: Any, edges: Any) -> None:
    """Set each target in ``work`` to the mean of six tiles. ``edges`` lists the targets, each with
    its six sources."""
    for target, *sources in tiles.iter_edges(edges, INDEX(0), edges.length, INDEX(7), 7):
        work[target] = tiles.mean([work[source] for source in sources])


@instruction
def average_weighted(tiles: Tiles, work: Any, edges: Any, weights: Any) -> None:
    """Set each target in ``work`` to a weighted sum of six tiles. ``edges`` lists the targets, each
    with its six sources."""
    factors = [tiles.fill_lanes(weight) for weight in weights.numbers(INDEX(0), 6)]
    for target, *sources in tiles.iter_edges(edges, INDEX(0), edges.length, INDEX(7), 7):
        pairs = zip(sources, factors, strict=True)
        work[target] = tiles.sum([tiles.builder.fmul(work[at], factor) for at, factor in pairs])


@instruction
def copy_tile(tiles: Tiles, work: Any, out: Offset, source: Any, at: Offset) -> None:
    work[out] = source[at]


@instruction
def set_tile(tiles: Tiles, work: Any, out: Offset, value: Number) -> None:
    work[out] = tiles.fill_lanes(value)
