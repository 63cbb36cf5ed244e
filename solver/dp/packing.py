"""The packed layout of a large table, which stores only values that differ.

The filled upper boxes of a row determine its columns: the totals that they can have, where all
totals of a lost bonus share a column. Rows are stored level by level, the fullest cards first. On a
level, rows with the same upper boxes are stored together. A row has its columns once for every
stock of saved rolls.
"""

from collections.abc import Callable, Iterator
from functools import cached_property, lru_cache
from math import prod
from typing import NamedTuple

import numpy as np

from solver.dp.arrays import Ints
from solver.dp.space import CACHED, TILE, Space
from solver.rules.rulesets import Ruleset

MOST_EVENLY = 1 << 28  # bytes of a table with all columns in all rows; a larger table is packed


@lru_cache(maxsize=CACHED)
def is_large(rules: Ruleset) -> bool:
    """Return whether the ruleset's table is packed, and solved with only two levels in memory."""
    space = Space(rules)
    return rules.stock > 0 or space.rows * space.columns * 8 > MOST_EVENLY


class RowGroup(NamedTuple):
    """Rows of a level with the same upper boxes, their columns, and the largest stock."""

    rows: Ints
    columns: Ints
    most_saved: int

    @property
    def shape(self) -> tuple[int, int]:
        """The number of stocks of saved rolls, and the number of columns, of each row."""
        return self.most_saved + 1, len(self.columns)

    @property
    def width(self) -> int:
        """The number of values in a row."""
        return prod(self.shape)


class Packing:
    def __init__(self, space: Space) -> None:
        self.space = space
        alike = space.alike_until[space.upper_cards, None]
        kept = space.upper_columns & (np.arange(space.columns) >= alike)
        self.columns = [np.flatnonzero(columns) for columns in kept]

    @cached_property
    def places(self) -> Ints:
        """The index of a column in its row, as [upper card, column]; -1 if no game reaches it."""
        space, alike = self.space, self.space.alike_until[self.space.upper_cards]
        places = np.full((len(self.columns), space.columns), -1)
        for card, kept in enumerate(self.columns):
            places[card, kept] = np.arange(len(kept))
            places[card, : alike[card]][space.upper_columns[card, : alike[card]]] = 0
        return places

    def list_levels(self) -> Iterator[list[RowGroup]]:
        """Yield the row groups of every level, in the order of the file."""
        for number, rows in enumerate(self.space.list_levels()):
            card = self.space.upper_card[rows]
            saved = self.space.most_saved(self.space.boxes - number)
            yield [
                RowGroup(rows[card == kind], self.columns[kind], saved) for kind in np.unique(card)
            ]

    def find_places(self, size: Callable[[int, int], int]) -> Ints:
        """Return [row]: the byte offset of the row, or -1 if no game reaches it; size(stocks,
        columns) is the number of bytes of a row."""
        starts, end = np.full(self.space.rows, -1), 0
        for group in self.list_groups():
            each = size(*group.shape)
            starts[group.rows] = np.arange(end, end + len(group.rows) * each, each)
            end += len(group.rows) * each
        return starts

    def find_shape(self, row: int) -> tuple[int, int]:
        saved = self.space.most_saved((row & self.space.rules.full).bit_count())
        return saved + 1, len(self.columns[self.space.upper_card[row]])

    @cached_property
    def values(self) -> int:
        """The number of values in the table."""
        return sum(len(group.rows) * group.width for group in self.list_groups())

    def list_groups(self) -> Iterator[RowGroup]:
        return (group for level in self.list_levels() for group in level)


@lru_cache(maxsize=16)
def build_packing(rules: Ruleset) -> Packing:
    """Return the packing (cached, because the packing of Maxi Yatzy takes 50 MB)."""
    return Packing(Space(rules))


def find_lowest_columns(space: Space) -> Ints:
    """Return [row]: the first column that the solver writes, or reads for another row."""
    first = space.first_column[space.upper_cards]
    lowest = first.copy()
    for number, card in enumerate(space.upper_cards):
        for box in space.rules.upper:
            if card >> box & 1:
                before = np.searchsorted(space.upper_cards, card ^ 1 << box)
                lowest[number] = min(lowest[number], first[before])
    return lowest[space.upper_card]


def find_work_widths(space: Space, lowest: Ints) -> Ints:
    """Return [row]: the number of columns from its lowest column to the end of its last tile."""
    tiles = (space.last_column - space.first_column) // TILE + 1
    return np.where(space.last_column < 0, 0, space.first_column + tiles * TILE - lowest)
