"""Players that decide by rules, ready to play."""

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from solver.dp.arrays import Ints
from solver.players.cards import CardPlay, Numbers
from solver.rules import Ruleset

Decide = Callable[[int, int, int, int, int], int]
decide: Decide  # the strategy's own: ``specialised`` puts it here


def fill(reading: int, rows: Ints, columns: Ints, holds: Numbers, boxes: Numbers) -> None:
    """holds[card, 0, throws left - 1, roll] and boxes[card, 0, roll]."""
    for card in range(rows.shape[0]):
        row, column = rows[card], columns[card]
        for roll in range(boxes.shape[2]):
            for rolls_left in range(1, holds.shape[2] + 1):
                hold = decide(reading, row, column, rolls_left, roll)  # noqa: F821
                holds[card, 0, rolls_left - 1, roll] = hold
            boxes[card, 0, roll] = decide(reading, row, column, 0, roll)  # noqa: F821


class RulePlay(CardPlay):
    """``decide(reading, row, column, throws left, roll)`` is a plain function of a strategy's file.

    With throws left it answers with a hold, ``STOP + roll`` ending the turn; without any with the
    box. It is compiled here, and does not look at the upper total (``column``) unless
    ``looks_at_upper`` says so.
    """

    def __init__(
        self, rules: Ruleset, decide: Decide, reading: int = 0, *, looks_at_upper: bool = False
    ) -> None:
        super().__init__(rules)
        self.looks_at_upper = looks_at_upper
        self.decide = decide
        self.reading = reading

    @cached_property
    def _fill(self) -> Any:
        from solver.players.compiled import specialised  # loads the compiler

        return specialised(fill, "decide", self.decide)

    def cards(self, rows: Ints, columns: Ints) -> tuple[Numbers, Numbers]:
        holds = np.empty((len(rows), 1, self.rules.throws - 1, len(self.cup.rolls)), dtype=np.int16)
        boxes = np.empty((len(rows), 1, len(self.cup.rolls)), dtype=np.int16)
        self._fill(self.reading, rows, columns, holds, boxes)
        return holds, boxes
