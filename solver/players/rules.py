"""Players that decide by rules, ready to play."""

from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from typing import Any

import numpy as np

from solver.distribution import Index
from solver.dp.arrays import Floats, Ints
from solver.dp.outcomes import outcomes_of
from solver.players.base import Card, Counts, Luck, Throws
from solver.rules import YATZY
from solver.rules.dice import ROLLS, probability

DICE_BASED, FORCED_SCORING, RANDOM = range(3)
GAMES_AT_ONCE = 8192


class RulePlay:
    """``number`` and ``reading`` say to ``players.kernels`` whose rules they are."""

    rules = YATZY
    looks_at_upper = False

    def __init__(self, number: int, reading: int = 0) -> None:
        from solver.players import kernels  # loads the compiler

        self._kernels: Any = kernels
        self._who = (number, reading)
        self._first_throw = np.array([probability(roll) for roll in ROLLS])
        self.uses_luck = number == RANDOM
        self.card = lru_cache(maxsize=4096)(self._card)

    def outcomes(self, rows: Ints, index: Index, chance_start: Ints, chance: Floats) -> None:
        self._kernels.rule_outcomes(
            *self._who,
            rows,
            index,
            chance_start,
            chance,
            self._first_throw,
            outcomes_of(self.rules),
        )

    def _card(self, filled: int, upper: int) -> Card:
        number, _ = self._who
        hold_ways = self._kernels.ways(number, filled, 1)
        box_ways = self._kernels.ways(number, filled, 0)
        card = Card(
            np.empty((hold_ways, 2, len(ROLLS)), dtype=np.int64),
            np.empty((box_ways, len(ROLLS)), dtype=np.int64),
        )
        self._kernels.fill_card(*self._who, filled, upper, card.holds, card.boxes)
        return card

    def turns(
        self,
        filled: Counts,
        upper: Counts,
        points: Counts,
        throws: Throws,
        luck: Luck,
        threads: int,
    ) -> None:
        def some(at: int) -> None:
            games = slice(at, at + GAMES_AT_ONCE)
            self._kernels.rule_turns(
                *self._who,
                filled[games],
                upper[games],
                points[games],
                throws[:, games],
                luck[:, games],
                self.rules.bonus_threshold,
            )

        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(some, range(0, len(filled), GAMES_AT_ONCE)))
