"""A player who thinks long, asked once for each card: what it does there is looked up until
``forget``."""

import numpy as np

from solver.dp.arrays import Ints
from solver.players.agent import Card
from solver.players.cards import CardPlay, Numbers, Tables, joined


class AskedOnce(CardPlay):
    """Remembers what it has asked ``agent`` by ``tables``; ``cards`` are some of those."""

    def __init__(self, agent: CardPlay) -> None:
        super().__init__(agent.rules)
        self.agent = agent
        self.looks_at_upper, self.uses_luck = agent.looks_at_upper, agent.uses_luck
        self.forget()

    def forget(self) -> None:
        self._asked: list[tuple[Ints, Numbers, Numbers]] = []  # by several threads
        self._known: tuple[Ints, Numbers, Numbers] | None = None

    def card(self, row: int, column: int) -> Card:
        return self.agent.card(row, column)

    def tables(self, rows: Ints, columns: Ints) -> Tables:
        number, holds, boxes = self.agent.tables(rows, columns)
        self._asked.append((self._keys(rows, columns), holds[number], boxes))
        return number, holds, boxes

    def cards(self, rows: Ints, columns: Ints) -> tuple[Numbers, Numbers]:
        if self._known is None:
            asked = list(zip(*self._asked, strict=True))
            self._known = np.concatenate(asked[0]), joined(asked[1]), joined(asked[2])
            self._order = self._known[0].argsort()
        keys, holds, boxes = self._known
        at = self._order[np.searchsorted(keys[self._order], self._keys(rows, columns))]
        return holds[at], boxes[at]

    def _keys(self, rows: Ints, columns: Ints) -> Ints:
        return rows.astype(np.int64) * self.space.columns + columns
