"""Players that err as people do: often where little is lost, seldom where much is.

An option is drawn with a weight of exp(-regret / temperature), so that a temperature of 0 would be
perfect play. ``Erring`` does so now and then, for positions that people meet and for tests of what
is measured; a ``Bot`` always does, and has a temperature of its own, which falls from game to game
towards a floor: it learns.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp
from random import Random

import numpy as np

from solver.advice import Advisor, Option, position_of
from solver.dp.space import TIE
from solver.players.plain import action_of
from solver.rules import Action, Hold, Score, State

COOLEST, WARMEST = 0.5, 1.6  # points
LEARNT = 0.6  # of the temperature that no practice takes away
HALF_LIFE = 10.0  # games in which half of what can be learnt is learnt


@dataclass(frozen=True)
class Erring:
    """An agent that plays the best but for a share ``rate`` of the decisions."""

    advisor: Advisor
    rate: float
    temperature: float

    def choose(self, state: State, rng: np.random.Generator, others: Sequence[int] = ()) -> Action:
        at_hand = self.advisor.evaluate(position_of(state))
        holds, boxes = at_hand.holds, at_hand.boxes
        regrets = at_hand.value - np.concatenate((at_hand.hold_values, at_hand.box_values))
        at = int((regrets < TIE).argmax())
        if rng.random() < self.rate:
            weights = np.exp(-regrets / self.temperature)
            at = int(rng.choice(len(regrets), p=weights / weights.sum()))
        if at < len(holds):
            return Hold.of(state.rules.cup.holds[holds[at]], state.dice, state.held)
        return Score(state.rules.categories[boxes[at - len(holds)]].id)


@dataclass(frozen=True, slots=True)
class Bot:
    """Brings its own luck, so that it does the same whatever else is drawn."""

    temperature: float
    random: Random

    def temperature_in(self, game: int) -> float:
        """In its game of this number, from 1."""
        unlearnt: float = 0.5 ** ((game - 1) / HALF_LIFE)
        return self.temperature * (LEARNT + (1.0 - LEARNT) * unlearnt)

    def in_game(self, advisor: Advisor, game: int) -> "Tempered":
        return Tempered(advisor, self.temperature_in(game), self.random)

    def choose(self, advisor: Advisor, state: State, game: int) -> Action:
        return self.in_game(advisor, game).drawn(state)


@dataclass(frozen=True, slots=True)
class Tempered:
    """An agent: a bot in one of its games."""

    advisor: Advisor
    temperature: float
    random: Random

    def choose(self, state: State, rng: np.random.Generator, others: Sequence[int] = ()) -> Action:
        return self.drawn(state)

    def drawn(self, state: State) -> Action:
        return action_of(state, self.option(state))

    def option(self, state: State) -> Option:
        options = self.advisor.advise(position_of(state)).options
        weights = [exp(-option.regret / self.temperature) for option in options]
        (chosen,) = self.random.choices(options, weights)
        return chosen


def bots(count: int, seed: int) -> Sequence[Bot]:
    """Each with its own temperature, from the coolest to the warmest, and its own luck."""
    step = (WARMEST - COOLEST) / max(1, count - 1)
    return [Bot(COOLEST + step * n, Random(f"{seed}:{n}")) for n in range(count)]  # noqa: S311
