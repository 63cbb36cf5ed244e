"""The state space between turns: which positions exist, and where each one is stored.

A position between turns is (filled boxes, upper total, chips flag). Its row is the bit mask of
the filled boxes, above which a ruleset with jokers puts the flag; its column is the upper total,
and all totals that secure the bonus share the last column.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from solver.rules.dice import DICE, FACES
from solver.rules.rulesets import Ruleset

# Upper totals are worked on in tiles of this many: one AVX-512 register, or two of AVX2.
TILE = 8

# Two options whose values differ by less are equal.
TIE = 1e-9
# Among equals the hold of more dice is chosen, then the lower box. These differences decide it
# where a policy is computed; all dice, or all boxes, stay below TIE together.
PREFER_DIE = 1e-10
PREFER_LOWER_BOX = 5e-11


@dataclass(frozen=True)
class Space:
    rules: Ruleset

    @property
    def boxes(self) -> int:
        return len(self.rules.categories)

    @property
    def columns(self) -> int:
        return self.rules.bonus_threshold + 1

    @property
    def rows(self) -> int:
        return 1 << (self.boxes + (self.rules.joker is not None))

    @property
    def stride(self) -> int:
        """The length of a row at work: no tile plus the largest upper score runs over its end."""
        last_tile_ends = (self.columns + TILE - 1) // TILE * TILE
        return (last_tile_ends + DICE * FACES + TILE - 1) // TILE * TILE

    def row(self, filled: int, *, chips_won: bool = False) -> int:
        return filled | chips_won << self.boxes

    def column(self, upper: int) -> int:
        return min(upper, self.rules.bonus_threshold)

    @cached_property
    def reachable(self) -> npt.NDArray[np.bool_]:
        """[row, column]: whether some play leads there."""
        rules = self.rules
        grid = np.zeros((self.rows, self.columns), dtype=np.bool_)
        upper_mask = sum(1 << number for number in rules.upper)
        filled = np.arange(self.rows) & rules.full
        for subset in np.unique(filled & upper_mask):
            totals = sorted({self.column(total) for total in rules.upper_totals(int(subset))})
            grid[np.ix_(filled & upper_mask == subset, totals)] = True
        if rules.joker:
            flagged = np.arange(self.rows) >> self.boxes == 1
            grid[flagged & (filled >> rules.index[rules.joker.box] & 1 == 0)] = False
        return grid

    @cached_property
    def last_column(self) -> npt.NDArray[np.int64]:
        """[row]: the highest reachable column, -1 in a row that no play leads to."""
        highest = self.columns - 1 - self.reachable[:, ::-1].argmax(axis=1)
        return np.where(self.reachable.any(axis=1), highest, -1)

    @property
    def full_rows(self) -> npt.NDArray[np.int64]:
        """The rows of a full card, one for each state of the chips flag."""
        return np.arange(self.rules.full, self.rows, self.rules.full + 1)

    def levels(self) -> list[npt.NDArray[np.int64]]:
        """The reachable rows by the number of filled boxes, the fullest first."""
        rows = np.flatnonzero(self.reachable.any(axis=1))
        count = np.array([(int(row) & self.rules.full).bit_count() for row in rows])
        return [rows[count == n] for n in range(self.boxes, -1, -1)]
