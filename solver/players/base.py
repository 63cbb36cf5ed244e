"""The contract of players: what every strategy can be asked.

A strategy decides by the card (filled boxes, upper total as far as the bonus), the dice and the
throws left, and by nothing else: so its whole play is a table, and the exact distribution of its
scores can be worked out. ``Play`` is that, ready to run; ``Player`` describes it and loads no
compiler before ``open`` is called.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import Protocol

import numpy as np
import numpy.typing as npt

from solver.distribution import Policy
from solver.dp.arrays import Ints
from solver.rules import Action, Hold, Score, State
from solver.rules.dice import FIRST_ROLL, HOLDS, ROLL_INDEX

Counts = npt.NDArray[np.int32]
Throws = npt.NDArray[np.uint16]
Luck = npt.NDArray[np.uint32]


@dataclass(frozen=True)
class Card:
    """Every decision on one card.

    ``holds[way, rolls left - 1, roll]`` are holds, that of all five dice ending the turn;
    ``boxes[way, roll]``. A player chooses between equally likely ways, most have just one.
    """

    holds: Ints
    boxes: Ints


class Play(Policy, Protocol):
    @property
    def uses_luck(self) -> bool:
        """Whether it chooses at random, so that a card has several ways."""
        ...

    def card(self, filled: int, upper: int) -> Card: ...

    def turns(
        self,
        filled: Counts,
        upper: Counts,
        points: Counts,
        throws: Throws,
        luck: Luck,
        threads: int,
    ) -> None:
        """Plays one turn of every game, and moves the three arrays on, in an order of its own.

        ``throws[n, game]`` are five dice as one number, a digit to base six each;
        ``luck[n, game]`` chooses the way of the nth decision where there are several.
        """
        ...


class UnknownPlayer(ValueError):
    """No player, or no reading, of that name."""


@dataclass(frozen=True)
class Player:
    """``module`` is the file of the strategy: its docstring is the description."""

    id: str
    title: str
    summary: str
    module: str
    make: Callable[[str], Play]
    readings: Mapping[str, str] = field(default_factory=dict)  # id: what it takes the text to say
    reading: str = ""

    @property
    def name(self) -> str:
        default = not self.reading or self.reading == next(iter(self.readings))
        return self.id if default else f"{self.id}:{self.reading}"

    @property
    def description(self) -> str:
        return (import_module(self.module).__doc__ or "").strip()

    def open(self) -> Play:
        """Ready to play; the tables of perfect play and the compiler are loaded now."""
        return _opened(self.make, self.reading or next(iter(self.readings), ""))


@cache
def _opened(make: Callable[[str], Play], reading: str) -> Play:
    return make(reading)


def choose(play: Play, state: State, rng: np.random.Generator) -> Action:
    """What the player does now, in a state with dice on the table."""
    card = play.card(state.filled, min(state.upper, state.rules.bonus_threshold))
    roll = ROLL_INDEX[tuple(sorted(state.dice))]
    if state.throws_left:
        way = int(rng.integers(len(card.holds))) if play.uses_luck else 0
        hold = int(card.holds[way, state.throws_left - 1, roll])
        if hold < FIRST_ROLL:
            return Hold.of(HOLDS[hold], state.dice, state.held)
    way = int(rng.integers(len(card.boxes))) if play.uses_luck else 0
    return Score(state.rules.categories[int(card.boxes[way, roll])].id)
