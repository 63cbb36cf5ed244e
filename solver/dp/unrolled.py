"""Whole passes over a work array as straight lines of vector instructions.

Which holds a hold is made of is known when the kernel is compiled. Written out with constant
places, a pass has no index to load, and two loads a cycle are all that it waits for: three times
as fast as the loops of ``dp.kernels``, for more machine code and a longer compilation.
"""

from functools import reduce
from typing import Any

from solver.dp import arrays
from solver.dp.tiles import INDEX, Offset, TileArray, Tiles, dice_of, instruction
from solver.rules.dice import cup_of, probability

# A fence makes no instruction. It keeps LLVM from holding each of thousands of accesses against
# all the others, which took longer than everything else.
HOLDS_BETWEEN_FENCES = 60


class _Holds:
    """The tiles of a work array by the numbers of the holds; what is known is not loaded again."""

    def __init__(self, work: TileArray) -> None:
        self.builder = work.builder
        self._base = work.pointer(INDEX(0))
        self._places: dict[int, Any] = {}
        self._known: dict[int, Any] = {}
        self._stores = 0

    def _place(self, hold: int) -> Any:
        if hold not in self._places:
            self._places[hold] = self.builder.gep(self._base, [INDEX(hold)])
        return self._places[hold]

    def __getitem__(self, hold: int) -> Any:
        if hold not in self._known:
            self._known[hold] = self.builder.load(self._place(hold), align=8)
        return self._known[hold]

    def __setitem__(self, hold: int, tile: Any) -> None:
        self.builder.store(tile, self._place(hold), align=8)
        self._known[hold] = tile
        self._stores += 1
        if self._stores % HOLDS_BETWEEN_FENCES == 0:
            self.builder.fence("acq_rel", "singlethread")
            self._known.clear()


@instruction
def all_means(tiles: Tiles, work: Any, bounds: Any) -> None:
    """e(hold) from e(hold + face), for the holds of all dice but one down to none."""
    holds = _Holds(work)
    for hold, *sources in arrays.one_more(dice_of(bounds)):
        holds[hold] = tiles.mean([holds[source] for source in sources])


@instruction
def all_bests(tiles: Tiles, work: Any, bounds: Any) -> None:
    """From e(hold) to the best e within the hold, for one die up to all."""
    holds = _Holds(work)
    for edges in arrays.one_less(dice_of(bounds)):
        holds[edges[0]] = reduce(tiles.larger, [holds[hold] for hold in edges])


@instruction
def all_rolls(tiles: Tiles, work: Any, slots: Any, rolls: Any, ends: Any) -> None:
    """work[roll] = the largest of its slots; see ``dp.slots.Slots``."""
    for edges in tiles.each_roll(rolls, ends):
        roll = next(edges)
        # A slot is named where it is loaded: the names of all would not fit into the registers.
        work[roll] = reduce(tiles.larger, (slots[slot] for slot in edges))


@instruction
def better_rolls(tiles: Tiles, work: Any, slots: Any, rolls: Any, ends: Any) -> None:
    """``all_rolls``, where a roll may be worth more already."""
    for edges in tiles.each_roll(rolls, ends):
        roll = next(edges)
        work[roll] = reduce(tiles.larger, (slots[slot] for slot in edges), work[roll])


@instruction
def first_throw(tiles: Tiles, values: Any, at: Offset, work: Any, bounds: Any) -> None:
    """values[at] = the mean of work[roll] over the first throw; as likely rolls are added first."""
    builder, holds, cup = tiles.builder, _Holds(work), cup_of(dice_of(bounds))
    sums: dict[float, Any] = {}
    for number, roll in enumerate(cup.rolls, start=cup.first_roll):
        best, chance = holds[number], probability(roll)
        sums[chance] = builder.fadd(sums[chance], best) if chance in sums else best
    values[at] = tiles.sum([builder.fmul(all_, tiles.constant(p)) for p, all_ in sums.items()])
