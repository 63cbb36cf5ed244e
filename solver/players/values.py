"""Players that do what is worth most to them, ready to play.

What a box is worth to a player is its points, and a credit on top that the player gives some of
them, and what it thinks the card is worth that follows. With V and no credit that is perfect
play; with nothing for the card that follows it is greed. Each of them looks ahead to the end of
the turn exactly.
"""

from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from typing import Any

import numpy as np

from solver.distribution import Index
from solver.dp import arrays
from solver.dp.arrays import Floats, Ints
from solver.dp.outcomes import entries_of, outcomes_of
from solver.dp.space import PREFER_LOWER_BOX, TILE, Space
from solver.dp.turn import HOLD_SIZES, holds_padded, outcome_chances
from solver.players.base import Card, Counts, Luck, Throws
from solver.rules import YATZY
from solver.rules.dice import HOLD_INDEX, HOLDS, ROLLS, probability, without

GAMES_AT_ONCE = 4096
BOXES = len(YATZY.categories)


class ValuePlay:
    """``values[row, column]``, or ``values[row]`` where the upper total plays no part."""

    rules = YATZY
    uses_luck = False

    def __init__(self, values: Floats, credit: Floats | None = None) -> None:
        from solver.dp import flow
        from solver.dp.outlook import padded
        from solver.players import value_kernels  # loads the compiler

        self._kernels: Any = value_kernels
        self._best_outcomes: Any = flow.best_outcomes
        self.looks_at_upper = values.ndim == 2
        space = Space(self.rules)
        entries = entries_of(self.rules, credit)
        steps = arrays.upper_steps_of(self.rules)
        if self.looks_at_upper:
            flat, self._stride = padded(space, values).reshape(-1), space.stride
        else:
            flat, self._stride = np.repeat(values, TILE), TILE
            entries = entries._replace(step=np.zeros_like(entries.step))
            steps = np.zeros_like(steps)
        self._solving = (flat, self._stride, arrays.moves(), entries, zeros_liked())
        self._choosing = (less_by_one(), liking(credit), steps)
        self._chances = (outcomes_of(self.rules), HOLD_SIZES, first_throw())
        self.card = lru_cache(maxsize=4096)(self._card)

    def outcomes(self, rows: Ints, index: Index, chance_start: Ints, chance: Floats) -> None:
        self._best_outcomes(
            rows,
            index,
            chance_start,
            chance,
            *self._solving,
            *self._chances,
            not self.looks_at_upper,
        )

    def _card(self, filled: int, upper: int) -> Card:
        holds = np.empty((1, 2, len(ROLLS)), dtype=np.int64)
        boxes = np.empty((1, len(ROLLS)), dtype=np.int64)
        self._kernels.fill_card(
            filled,
            upper if self.looks_at_upper else 0,
            *self._solving,
            *self._choosing,
            HOLD_SIZES,
            holds[0],
            boxes[0],
        )
        return Card(holds, boxes)

    def turns(
        self,
        filled: Counts,
        upper: Counts,
        points: Counts,
        throws: Throws,
        luck: Luck,
        threads: int,
    ) -> None:
        games = np.empty((3, len(filled)), dtype=np.int32)
        cards = 1 << BOXES
        self._kernels.grouped(filled, upper, points, self.looks_at_upper, cards, games)

        def some(at: int) -> None:
            part = slice(at, at + GAMES_AT_ONCE)
            self._kernels.value_turns(
                *games[:, part],
                throws[:, part],
                self.looks_at_upper,
                self.rules.bonus_threshold,
                *self._solving,
                *self._choosing,
                HOLD_SIZES,
            )

        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(some, range(0, len(filled), GAMES_AT_ONCE)))
        filled[:], upper[:], points[:] = games


def zeros_liked() -> Floats:
    """[box]: what no points are worth, but for the preference for lower boxes."""
    return np.arange(BOXES) * np.float64(-PREFER_LOWER_BOX)


def liking(credit: Floats | None) -> Floats:
    """[box, roll]: points and credit, with the preference for lower boxes."""
    points = arrays.points_of(YATZY).astype(np.float64)
    if credit is not None:
        points = points + credit * (points > 0)
    liked: Floats = points + zeros_liked()[:, None]
    return liked


def first_throw() -> Floats:
    return np.array([probability(roll) for roll in ROLLS])


def less_by_one() -> Ints:
    """[hold, 5]: the holds with one die less, as offsets into work arrays; -1 where no more."""
    table = np.full((len(HOLDS), 5), -1)
    for at, hold in enumerate(HOLDS):
        for n, face in enumerate(sorted(set(hold))):
            table[at, n] = HOLD_INDEX[without(hold, face)] * TILE
    return table


def par() -> Floats:
    """[box]: what it brings on average to play one turn for this box alone."""
    values = []
    for points in arrays.points_of(YATZY).astype(np.float64):
        for _ in range(YATZY.throws - 1):
            held = np.concatenate((outcome_chances() @ points, points))
            points = held[holds_padded()].max(axis=0)
        values.append(float(outcome_chances()[0] @ points))
    return np.array(values)
