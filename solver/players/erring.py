"""Players that make mistakes as people do: often cheap mistakes, seldom expensive ones.

They draw an option with a weight of exp(-regret / temperature). A temperature near 0 is perfect
play. ``Erring`` draws only a share of its decisions and otherwise plays perfectly. It generates
realistic positions and tests measurements. ``Bot`` draws every decision. Each bot has its own
temperature, which falls from game to game towards a minimum, as if the bot learned.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp
from random import Random

import numpy as np

from solver.advice import Advisor, Option, find_position
from solver.dp.space import TIE
from solver.players.plain import make_action
from solver.rules import Action, Hold, Score, State

COOLEST, WARMEST = 0.5, 1.6  # temperatures in points
LEARNT = 0.6  # share of the temperature that remains after many games
HALF_LIFE = 10.0  # number of games after which half of the possible progress is made


@dataclass(frozen=True)
class Erring:
    """An agent that plays perfectly, but makes the share ``rate`` of its decisions at random."""

    advisor: Advisor
    rate: float
    temperature: float

    def choose(self, state: State, rng: np.random.Generator, others: Sequence[int] = ()) -> Action:
        evaluated = self.advisor.evaluate(find_position(state))
        holds, boxes = evaluated.holds, evaluated.boxes
        regrets = evaluated.value - np.concatenate((evaluated.hold_values, evaluated.box_values))
        at = int((regrets < TIE).argmax())
        if rng.random() < self.rate:
            weights = np.exp(-regrets / self.temperature)
            at = int(rng.choice(len(regrets), p=weights / weights.sum()))
        if at < len(holds):
            return Hold.from_faces(state.rules.cup.holds[holds[at]], state.dice, state.held)
        return Score(state.rules.categories[boxes[at - len(holds)]].id)


@dataclass(frozen=True, slots=True)
class Bot:
    """A bot with a separate random generator, so that other players cannot change its games."""

    temperature: float
    random: Random

    def find_temperature(self, game: int) -> float:
        """Return the temperature in game number ``game``, which counts from 1."""
        unlearnt: float = 0.5 ** ((game - 1) / HALF_LIFE)
        return self.temperature * (LEARNT + (1.0 - LEARNT) * unlearnt)

    def make_tempered(self, advisor: Advisor, game: int) -> "Tempered":
        return Tempered(advisor, self.find_temperature(game), self.random)

    def choose(self, advisor: Advisor, state: State, game: int) -> Action:
        return make_action(state, self.make_tempered(advisor, game).pick_option(state))


@dataclass(frozen=True, slots=True)
class Tempered:
    advisor: Advisor
    temperature: float
    random: Random

    def choose(self, state: State, rng: np.random.Generator, others: Sequence[int] = ()) -> Action:
        return make_action(state, self.pick_option(state))

    def pick_option(self, state: State) -> Option:
        options = self.advisor.advise(find_position(state)).options
        weights = [exp(-option.regret / self.temperature) for option in options]
        (chosen,) = self.random.choices(options, weights)
        return chosen


def make_bots(count: int, seed: int) -> Sequence[Bot]:
    """Return bots with rising temperatures, each with an independent random generator."""
    step = (WARMEST - COOLEST) / max(1, count - 1)
    return [Bot(COOLEST + step * n, Random(f"{seed}:{n}")) for n in range(count)]  # noqa: S311
