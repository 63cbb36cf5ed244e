"""Players made of two players. ``Mixed`` combines one player's holds with the other player's boxes.
``Wavering`` leaves each decision to one of the two players at random.

Mixed players show exactly what each half of a strategy is worth. They are not in the registry.
"""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from solver.dp.arrays import Ints
from solver.players.agent import Tabular
from solver.players.base import CannotPlay
from solver.players.cards import CardPlay, Numbers, Tables

MOST_WAYS = 100


class OfTwo(CardPlay):
    """A player that combines the decisions of two players."""

    def __init__(self, first: Tabular, second: Tabular) -> None:
        super().__init__(first.rules)
        self.looks_at_upper = first.looks_at_upper or second.looks_at_upper
        if not (isinstance(first, CardPlay) and isinstance(second, CardPlay)):
            raise CannotPlay("only players with a table of their decisions can be mixed")
        self.both = first, second

    def cards(self, rows: Ints, columns: Ints) -> tuple[Numbers, Numbers]:
        number, holds, boxes = self.make_tables(rows, columns)
        return holds[number], boxes

    def _request_tables(self, player: CardPlay, rows: Ints, columns: Ints) -> Tables:
        """Return the player's tables; only one per set of filled boxes if totals do not matter."""
        if player.looks_at_upper:
            return player.make_tables(rows, columns)
        seen, at = np.unique(rows, return_inverse=True)
        number, holds, boxes = player.make_tables(seen, np.zeros_like(seen))
        return number[at], holds, boxes[at]


class Mixed(OfTwo):
    """A player that chooses holds like the first player, and boxes like the second player."""

    def __init__(self, holds: Tabular, boxes: Tabular) -> None:
        super().__init__(holds, boxes)
        self.uses_luck = holds.uses_luck or boxes.uses_luck

    def make_tables(self, rows: Ints, columns: Ints) -> Tables:
        first, second = self.both
        number, holds, _ = self._request_tables(first, rows, columns)
        return number, holds, self._request_tables(second, rows, columns)[2]


class Wavering(OfTwo):
    """A player that decides like the first player with the given chance, else like the second."""

    uses_luck = True

    def __init__(self, first: Tabular, second: Tabular, chance: Fraction) -> None:
        super().__init__(first, second)
        if first.uses_luck or second.uses_luck:
            raise CannotPlay("a player that decides by chance cannot be mixed by chance")
        if chance.denominator > MOST_WAYS or not 0 <= chance <= 1:
            raise CannotPlay(f"a chance is a fraction from 0 to 1 with at most {MOST_WAYS} parts")
        self.chance = chance

    def make_tables(self, rows: Ints, columns: Ints) -> Tables:
        firsts = self.chance.numerator
        ways = firsts, self.chance.denominator - firsts
        tables = [self._request_tables(player, rows, columns) for player in self.both]
        holds = [holds[number] for number, holds, _ in tables]
        return (
            np.arange(len(rows)),
            _repeat_by_share(holds, ways),
            _repeat_by_share([t[2] for t in tables], ways),
        )


def _repeat_by_share(tables: Sequence[Numbers], ways: Sequence[int]) -> Numbers:
    """Join tables of equally likely choices. ways[n] is the number of copies of tables[n]."""
    return np.concatenate(
        [table.repeat(n, axis=1) for table, n in zip(tables, ways, strict=True)], axis=1
    )
