"""The state space between turns: which positions exist, and where each position is stored.

A position between turns is (filled boxes, upper total, chips flag, saved rolls). Its row is the bit
mask of the filled boxes. The bits above the mask are the flag in a ruleset with jokers, and the
number of saved rolls in a ruleset that saves rolls. The column of the position is the upper total,
and all totals with the bonus share the last column.
"""

from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain

import numpy as np
import numpy.typing as npt

from solver import Refusal
from solver.rules.dice import FACES
from solver.rules.rulesets import MOST_DICE, MOST_THROWS, Ruleset

# Number of upper totals that a vector instruction handles: one AVX-512 register or two AVX2.
TILE = 8

# Points. Options whose values differ by less count as equal. Rounding makes equal values differ by
# less than 1e-13. Different values in the program's rulesets differ by more than 1e-7.
TIE = 1e-9
# Among equal options, a policy chooses the hold of more dice, then the lower box. To do this, it
# adds these numbers to its values. The sum over all dice or all boxes stays below TIE.
PREFER_DIE = 1e-10
PREFER_LOWER_BOX = 5e-11
# Values with these preferences count as equal if they differ by less than ROUNDING. The first value
# is then chosen, in the order of ``arrays.list_smaller_holds``. A roll averages preferences of
# later choices, so values can differ by n / 6**k of a preference. 0.2 and 0.4 are far from all such
# numbers.
ROUNDING = 2e-11

NEVER = -1e300  # value of impossible events; products with it, also by 0, stay finite
MOST_BYTES = 1 << 32  # maximum size of a table in memory, in bytes
CACHED = 256  # rulesets per cache


class Unsolvable(Refusal, ValueError):
    """The error for a ruleset that cannot be solved. The message gives the reason."""


@dataclass(frozen=True)
class Space:
    rules: Ruleset

    def __post_init__(self) -> None:
        if reason := explain_unsolvable(self.rules):
            raise Unsolvable(f"{self.rules.id} cannot be solved: {reason}")

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
        """The length of a stored row, which leaves room after the last column for the kernels."""
        whole_tiles = (self.columns + TILE - 1) // TILE * TILE
        return (whole_tiles + self.rules.dice * FACES + TILE - 1) // TILE * TILE

    def find_row(self, filled: int, *, chips_won: bool = False, saved: int = 0) -> int:
        """Return the row of the filled boxes (bits), the chips flag, and the saved rolls."""
        return filled | (saved or chips_won) << self.boxes

    def split_row(self, number: int) -> tuple[int, int]:
        """Return (row without its saved rolls, number of saved rolls)."""
        if not self.rules.stock:
            return number, 0
        return number & self.rules.full, number >> self.boxes

    def find_column(self, upper: int) -> int:
        """Return the column of an upper total: the total itself, at most the bonus threshold."""
        return min(upper, self.rules.bonus_threshold)

    @cached_property
    def reachable(self) -> npt.NDArray[np.bool_]:
        """A mask [row, column] of the positions that games can reach."""
        grid: npt.NDArray[np.bool_] = self.upper_columns[self.upper_card]
        grid[~self._has_play] = False
        return grid

    @cached_property
    def last_column(self) -> npt.NDArray[np.int64]:
        """The highest column that games can reach, as [row]; -1 if no game reaches the row."""
        highest = _find_last_true(self.upper_columns)[self.upper_card]
        return np.where(self._has_play, highest, -1)

    @cached_property
    def alike_until(self) -> npt.NDArray[np.int64]:
        """The highest upper total that has lost the bonus (or 0), as [row]. All lower totals have
        the same values."""
        full, totals = self.rules.full, self.rules.list_upper_totals
        most = np.array([max(totals(full ^ card)) for card in self.upper_cards])
        hopeless = self.rules.bonus_threshold - most[:, None] > np.arange(self.columns)
        return _find_last_true(self.upper_columns & hopeless)[self.upper_card]

    @property
    def _filled(self) -> npt.NDArray[np.int64]:
        return np.arange(self.rows) & self.rules.full

    @cached_property
    def _has_play(self) -> npt.NDArray[np.bool_]:
        """A mask [row]: False if the row has won chips although the joker's box is open."""
        joker = self.rules.joker
        box = self.rules.index[joker.box] if joker else 0
        flagged = np.arange(self.rows) != self._filled
        won: npt.NDArray[np.bool_] = ~flagged | (self._filled >> box & 1 == 1)
        return won

    @property
    def _upper_mask(self) -> int:
        return sum(1 << number for number in self.rules.upper)

    @cached_property
    def upper_cards(self) -> list[int]:
        """All sets of filled upper boxes, as bit masks like those of cards."""
        upper = self._upper_mask
        return [card for card in range(upper + 1) if card & upper == card]

    @cached_property
    def upper_columns(self) -> npt.NDArray[np.bool_]:
        """A mask [n, column]: True if the filled boxes upper_cards[n] can have this total."""
        columns = np.zeros((len(self.upper_cards), self.columns), dtype=np.bool_)
        for number, card in enumerate(self.upper_cards):
            columns[
                number, [self.find_column(total) for total in self.rules.list_upper_totals(card)]
            ] = True
        return columns

    @cached_property
    def upper_card(self) -> npt.NDArray[np.int16]:
        """The index in ``upper_cards`` of each row's filled upper boxes, as [row]."""
        cards = np.searchsorted(self.upper_cards, self._filled & self._upper_mask)
        return cards.astype(np.int16)

    @property
    def full_rows(self) -> npt.NDArray[np.int64]:
        """The rows of a full card, one for each state of the chips flag."""
        return np.arange(self.rules.full, self.rows, self.rules.full + 1)

    def most_saved(self, filled: int) -> int:
        """Return the most rolls that can be saved with this many filled boxes; 0 on a full card."""
        return self.rules.most_saved(filled) if filled < self.boxes else 0

    def list_levels(self) -> list[npt.NDArray[np.int64]]:
        """Return the reachable rows by number of filled boxes, the fullest cards first."""
        return self._levels

    @cached_property
    def _levels(self) -> list[npt.NDArray[np.int64]]:
        rows = np.flatnonzero(self.last_column >= 0)
        count = np.bitwise_count(self._filled[rows])
        return [rows[count == n] for n in range(self.boxes, -1, -1)]


def _find_last_true(mask: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
    """Return an array [row]: the last column in which mask[row, column] is True, or 0."""
    return np.where(mask.any(axis=1), mask.shape[1] - 1 - mask[:, ::-1].argmax(axis=1), 0)


@lru_cache(maxsize=CACHED)
def explain_unsolvable(rules: Ruleset) -> str:
    """Return why the kernels, which check no input, cannot solve these rules; "" if they can."""
    boxes, highest = len(rules.categories), rules.bonus_threshold
    rows = 1 << boxes + (rules.joker is not None)
    points = [(box.points or 0, box.joker_points or 0) for box in rules.categories]
    least = min((rules.joker.chip if rules.joker else 0, *chain(*points)))
    checks = (
        (1 < rules.dice <= MOST_DICE, f"it has {rules.dice} dice, not 2 to {MOST_DICE}"),
        (0 < rules.throws <= MOST_THROWS, f"it has {rules.throws} throws, not 1 to {MOST_THROWS}"),
        (not rules.stock or rules.joker is None, "it has jokers, and throws that are saved"),
        (boxes > 0, "it has no box"),
        (highest >= 0 and rules.bonus_points >= 0, "its bonus is less than nothing"),
        (
            rows * (highest + 1) * 8 <= MOST_BYTES,
            f"a table for {boxes} boxes and upper totals up to {highest} is too large",
        ),
        (least >= 0, "some of its points are less than nothing"),
        (rules.joker is None or rules.joker.box in rules.index, "it has no box for its jokers"),
    )
    return next((reason for holds, reason in checks if not holds), "")
