"""The interface of a player: a person, a bot, a network or a strategy.

Every player is an ``Agent``. The other contracts are what some can do besides, and make them
faster or let them be worked out exactly:

    Agent       what would you do now?
    Batch       ... in all of these games?
    Seated      ... given what the others have there?
    Facing      ... and seeing their cards
    Lockstep    play a turn of many games, given the dice
    Tabular     every decision of a card at once, and so an exact distribution
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from solver.dp.arrays import Ints
from solver.dp.outcomes import Policy
from solver.rules import Action, Ruleset, State

Counts = npt.NDArray[np.int32]
Throws = npt.NDArray[np.uint16]
Luck = npt.NDArray[np.uint32]


@runtime_checkable
class Agent(Protocol):
    def choose(self, state: State, rng: np.random.Generator, others: Sequence[int] = ()) -> Action:
        """Return the action in a state with dice on the table; a turn's first roll decides
        nothing. ``others`` are the opponents' scores so far, ``rng`` is the agent's only luck
        unless it brings its own."""
        ...


@runtime_checkable
class Batch(Agent, Protocol):
    def choose_many(self, states: Sequence[State], rng: np.random.Generator) -> Sequence[Action]:
        """``choose`` for games that have nothing to do with each other."""
        ...


@runtime_checkable
class Seated(Batch, Protocol):
    def choose_among(
        self, states: Sequence[State], rng: np.random.Generator, others: Sequence[Sequence[int]]
    ) -> Sequence[Action]:
        """``choose_many`` with the others' scores in each of the games."""
        ...


@runtime_checkable
class Facing(Agent, Protocol):
    def choose_facing(
        self, state: State, rng: np.random.Generator, others: Sequence[State]
    ) -> Action:
        """``choose`` with the cards of the others, as they are seen between turns."""
        ...


@dataclass
class GamesInPlay:
    """Games between turns, one per entry. ``rows`` are the cards, numbered as in ``dp.space``;
    ``upper`` goes up to the bonus, and ``points`` includes chips but not the bonus."""

    rules: Ruleset
    rows: Counts
    upper: Counts
    points: Counts

    @classmethod
    def new(cls, rules: Ruleset, games: int) -> "GamesInPlay":
        return cls(rules, *np.zeros((3, games), dtype=np.int32))

    @property
    def arrays(self) -> tuple[Counts, Counts, Counts]:
        return self.rows, self.upper, self.points

    @property
    def earned(self) -> npt.NDArray[np.bool_]:
        return self.upper >= self.rules.bonus_threshold

    @property
    def totals(self) -> Ints:
        return self.points.astype(np.int64) + self.earned * self.rules.bonus_points


@runtime_checkable
class Lockstep(Agent, Protocol):
    @property
    def rules(self) -> Ruleset: ...

    @property
    def uses_luck(self) -> bool: ...

    def turns(self, games: GamesInPlay, throws: Throws, luck: Luck, threads: int) -> None:
        """Plays one turn of every game, which moves them on, in an order of its own.

        ``throws[n, game]`` are all dice as one number, a digit to base six each; ``luck[n, game]``
        is for the nth decision, where luck is used.
        """
        ...


@dataclass(frozen=True)
class Card:
    """Every decision on one card.

    ``holds[way, throws left - 1, roll]`` are holds, that of all dice ending the turn;
    ``boxes[way, roll]``. A player chooses between equally likely ways, most have just one; where a
    roll has fewer than others the rest is -1.
    """

    holds: Ints
    boxes: Ints


@runtime_checkable
class Tabular(Lockstep, Policy, Protocol):
    """Decides by the card, the dice and the throws left, and by nothing else."""

    def card(self, row: int, column: int) -> Card: ...
