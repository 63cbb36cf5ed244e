"""What the number of an action means: first the holds, then the boxes.

slots      the slots that stay, as bits, bit 0 the lowest die: 32 holds (``players.features``)
distinct   the same, but of slots that hold the same dice only the first may be chosen
faces      the dice that stay, in whatever slots: the 462 holds of ``rules.dice``, in its order
"""

from functools import cache

import numpy as np
import numpy.typing as npt

from solver.dp.arrays import Ints
from solver.players.features import Mask, holds
from solver.players.observed import NOT_ALLOWED, distinct_holds, hold_of
from solver.rules import Ruleset
from solver.rules.dice import cup_of

SLOTS, DISTINCT, FACES = NUMBERINGS = ("slots", "distinct", "faces")


class Numbering:
    """``rolls`` are numbers of rolls, one a game, and masks have a row for each of them."""

    def __init__(self, rules: Ruleset, name: str) -> None:
        if name not in NUMBERINGS:
            raise ValueError(f"actions are {', '.join(NUMBERINGS)}, not {name!r}")
        self._slots = slots_kept(rules.dice, name)
        self._plain_holds = holds(rules)
        self._holds = self._slots.shape[1]
        self.count = self._holds + len(rules.categories)

    def masks(self, plain: Mask, rolls: Ints) -> Mask:
        """Of masks over slots; they allow all holds or none."""
        kept = plain[:, :1] * (self._slots[rolls] != NOT_ALLOWED)
        return np.hstack([kept, plain[:, self._plain_holds :]], dtype=np.int8)

    def plain(self, chosen: npt.NDArray[np.integer], rolls: Ints) -> Ints:
        """The same actions over slots; NOT_ALLOWED where the dice do not have what shall stay."""
        kept = self._slots[rolls, np.clip(chosen, 0, self._holds - 1)]
        scored = chosen - self._holds + self._plain_holds
        known = (chosen >= 0) & (chosen < self.count)
        found: Ints = np.where(known, np.where(chosen < self._holds, kept, scored), NOT_ALLOWED)
        return found


@cache
def slots_kept(dice: int, name: str) -> Ints:
    """[roll, number of a hold]: the slots that stay, or NOT_ALLOWED."""
    slots = np.arange(1 << dice)
    if name == SLOTS:
        return np.tile(slots, (len(cup_of(dice).rolls), 1))
    distinct = distinct_holds(dice)
    if name == DISTINCT:
        return np.where(distinct, slots, NOT_ALLOWED)
    kept = np.full((len(distinct), len(cup_of(dice).holds)), NOT_ALLOWED)
    roll, first = np.nonzero(distinct)
    kept[roll, hold_of(dice)[roll, first]] = first
    return kept
