"""The interface of a player: a person, a bot, a network or a strategy.

Every player is an ``Agent``. Some players also implement other classes, which make a player faster
or its results exact:

    Agent       chooses an action in one state
    Batch       chooses in many unrelated games at once
    Seated      also knows the scores of its opponents
    Facing      also sees the cards of its opponents
    Lockstep    plays one turn of many games, given the dice
    Tabular     lists all decisions of a card, from which distributions are calculated exactly
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
        """Return the player's action. The state has rolled dice, because the first roll of a turn
        needs no decision. ``others`` are the opponents' scores so far. ``rng`` is the agent's only
        source of randomness, unless the agent has its own generator."""


@runtime_checkable
class Batch(Agent, Protocol):
    def choose_many(self, states: Sequence[State], rng: np.random.Generator) -> Sequence[Action]:
        """Return an action for each of several unrelated games."""


@runtime_checkable
class Seated(Batch, Protocol):
    def choose_among(
        self, states: Sequence[State], rng: np.random.Generator, others: Sequence[Sequence[int]]
    ) -> Sequence[Action]:
        """Return an action for each game. ``others`` are the opponents' scores in each game."""


@runtime_checkable
class Facing(Agent, Protocol):
    def choose_facing(
        self, state: State, rng: np.random.Generator, others: Sequence[State]
    ) -> Action:
        """Return an action. ``others`` are the opponents' games after their last turns."""


@dataclass
class GamesInPlay:
    """Many games between two turns, as arrays with one entry per game. ``rows`` are filled boxes as
    in ``dp.space``. ``upper`` stops counting at the bonus. ``points`` are without the bonus."""

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
        """Play one turn of every game and update ``games``. The order of the games may change.

        ``throws[n, game]`` has the faces of the nth roll as the base-six digits of a number.
        ``luck[n, game]`` is a random number for the nth decision, if the player decides at random.
        """


@dataclass(frozen=True)
class Card:
    """All decisions of a player on one card.

    ``holds[way, rolls left - 1, roll]`` is the number of a hold; the hold of all dice ends the
    turn. ``boxes[way, roll]`` is the number of a box. The ways are equally likely alternatives.
    Most players have one. A player that decides at random has several, padded with -1.
    """

    holds: Ints
    boxes: Ints


@runtime_checkable
class Tabular(Lockstep, Policy, Protocol):
    """A player whose decision depends only on the card, the dice and the rolls left."""

    def card(self, row: int, column: int) -> Card: ...
