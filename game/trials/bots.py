"""Players that err as people do: often where little is lost, seldom where much is.

An option is chosen with a probability in proportion to exp(-regret / temperature), so that a
temperature of 0 would be perfect play. A bot has a temperature of its own, which falls from game
to game towards a floor: it learns.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp
from random import Random

from solver.advice import Advisor, Option, position_of
from solver.rules import Action, Hold, Score, State

COOLEST, WARMEST = 0.5, 1.6  # points
LEARNT = 0.6  # of the temperature that no practice takes away
HALF_LIFE = 10.0  # games in which half of what can be learnt is learnt


@dataclass(frozen=True, slots=True)
class Bot:
    temperature: float
    random: Random

    def temperature_in(self, game: int) -> float:
        """In its game of this number, from 1."""
        unlearnt: float = 0.5 ** ((game - 1) / HALF_LIFE)
        return self.temperature * (LEARNT + (1.0 - LEARNT) * unlearnt)

    def choose(self, advisor: Advisor, state: State, game: int) -> Action:
        options = advisor.advise(position_of(state)).options
        warmth = self.temperature_in(game)
        weights = [exp(-option.regret / warmth) for option in options]
        (chosen,) = self.random.choices(options, weights)
        return action_of(state, chosen)


def action_of(state: State, option: Option) -> Action:
    """Where several slots show a face that is kept, the ones that were kept before."""
    if option.action == "score":
        return Score(option.category)
    return Hold.of(option.dice, state.dice, state.held)


def bots(count: int, seed: int) -> Sequence[Bot]:
    """Each with its own temperature, from the coolest to the warmest, and its own luck."""
    step = (WARMEST - COOLEST) / max(1, count - 1)
    return [Bot(COOLEST + step * n, Random(f"{seed}:{n}")) for n in range(count)]  # noqa: S311
