"""Whole passes over a work array as straight lines of vector instructions.

Which holds a hold is made of is known when the kernel is compiled. Written out with constant
places, a pass has no index to load, and two loads a cycle are all that it waits for: three times
as fast as the loops of ``dp.kernels``, for more machine code and a longer compilation.
"""

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types

from solver.dp import arrays
from solver.dp.slots import MOST_SLOTS
from solver.dp.tiles import _Tiles, dice_of, intrinsic
from solver.rules.dice import cup_of, probability

# A fence makes no instruction. It keeps LLVM from holding each of thousands of accesses against
# all the others, which took longer than everything else.
HOLDS_BETWEEN_FENCES = 60
_INDEX = ir.IntType(64)


class _Holds:
    """The tiles of a work array by the numbers of the holds; what is known is not loaded again."""

    def __init__(self, tiles: _Tiles, kind: Any, work: Any) -> None:
        self.builder = tiles.builder
        self._base = tiles.pointer(kind, work, _INDEX(0))
        self._places: dict[int, Any] = {}
        self._known: dict[int, Any] = {}
        self._stores = 0

    def _place(self, hold: int) -> Any:
        if hold not in self._places:
            self._places[hold] = self.builder.gep(self._base, [_INDEX(hold)])
        return self._places[hold]

    def load(self, hold: int) -> Any:
        if hold not in self._known:
            self._known[hold] = self.builder.load(self._place(hold), align=8)
        return self._known[hold]

    def store(self, value: Any, hold: int) -> None:
        self.builder.store(value, self._place(hold), align=8)
        self._known[hold] = value
        self._stores += 1
        if self._stores % HOLDS_BETWEEN_FENCES == 0:
            self.builder.fence("acq_rel", "singlethread")
            self._known.clear()


@intrinsic
def all_means(typing: Any, work: Any, bounds: Any) -> Any:
    """e(hold) from e(hold + face), for the holds of all dice but one down to none."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        tiles = _Tiles(context, builder)
        holds = _Holds(tiles, signature.args[0], args[0])
        for hold, *sources in arrays.one_more(dice_of(bounds)):
            holds.store(tiles.mean([holds.load(source) for source in sources]), hold)
        return context.get_dummy_value()

    return types.void(work, bounds), generate


@intrinsic
def all_bests(typing: Any, work: Any, bounds: Any) -> Any:
    """From e(hold) to the best e within the hold, for one die up to all."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        tiles = _Tiles(context, builder)
        holds = _Holds(tiles, signature.args[0], args[0])
        for hold, *sources in arrays.one_less(dice_of(bounds)):
            best = holds.load(hold)
            for source in sources:
                best = tiles.larger(best, holds.load(source))
            holds.store(best, hold)
        return context.get_dummy_value()

    return types.void(work, bounds), generate


@intrinsic
def all_rolls(typing: Any, work: Any, slots: Any, rolls: Any, ends: Any) -> Any:
    """work[roll] = the largest of its slots; see ``dp.slots.Slots``."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        tiles = _Tiles(context, builder)
        work_kind, kind, roll_kind, end_kind = signature.args
        array, source, edges, ends = args
        first = _INDEX(0)
        for number in range(1, MOST_SLOTS + 1):
            end = tiles.edge(end_kind, ends, _INDEX(0), number)
            with cgutils.for_range_slice(builder, first, end, _INDEX(number + 1)) as (at, _):
                best = tiles.load(kind, source, tiles.edge(roll_kind, edges, at, 1))
                for other in range(2, number + 1):
                    slot = tiles.edge(roll_kind, edges, at, other)
                    best = tiles.larger(best, tiles.load(kind, source, slot))
                tiles.store(best, work_kind, array, tiles.edge(roll_kind, edges, at, 0))
            first = end
        return context.get_dummy_value()

    return types.void(work, slots, rolls, ends), generate


@intrinsic
def first_throw(typing: Any, values: Any, at: Any, work: Any, bounds: Any) -> Any:
    """values[at] = the mean of work[roll] over the first throw; as likely rolls are added first."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        tiles, (kind, _, work_kind, _) = _Tiles(context, builder), signature.args
        cup = cup_of(dice_of(bounds))
        holds = _Holds(tiles, work_kind, args[2])
        sums: dict[float, Any] = {}
        for number, roll in enumerate(cup.rolls, start=cup.first_roll):
            best, chance = holds.load(number), probability(roll)
            sums[chance] = builder.fadd(sums[chance], best) if chance in sums else best
        parts = [builder.fmul(sum_, tiles.constant(chance)) for chance, sum_ in sums.items()]
        tiles.store(tiles.sum(parts), kind, args[0], args[1])
        return context.get_dummy_value()

    return types.void(values, at, work, bounds), generate
