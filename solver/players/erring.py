"""A player who errs at random, for positions that people meet and for tests of what is measured."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from solver.advice import Advisor, position_of
from solver.rules import Action, Hold, Score, State, start, step, throw
from solver.rules.dice import DICE, FACES, HOLDS


@dataclass(frozen=True)
class Erring:
    """Plays the best but for a share ``rate`` of the decisions.

    There an option is drawn with a weight of exp(-regret / temperature): what costs a lot is
    seldom chosen, as with people.
    """

    advisor: Advisor
    rate: float
    temperature: float

    def choose(self, state: State, rng: np.random.Generator) -> tuple[Action, float]:
        """An action and its regret."""
        holds, hold_values, boxes, box_values = self.advisor.arrays(position_of(state))
        values = np.concatenate((hold_values, box_values))
        regrets = values.max() - values
        at = int(regrets.argmin())
        if rng.random() < self.rate:
            weights = np.exp(-regrets / self.temperature)
            at = int(rng.choice(len(regrets), p=weights / weights.sum()))
        if at < len(holds):
            held = Hold.of(HOLDS[holds[at]], state.dice, state.held)
            return held, float(regrets[at])
        category = state.rules.categories[boxes[at - len(holds)]]
        return Score(category.id), float(regrets[at])

    def game(self, rng: np.random.Generator) -> Iterator[tuple[State, float]]:
        """The states with dice on the table and what each decision cost; last the full card."""
        state = start(self.advisor.rules)
        while not state.finished:
            state = throw(step(state, Hold(0)), _faces(rng))
            while state.dice:
                action, regret = self.choose(state, rng)
                yield state, regret
                state = step(state, action)
                if state.waiting:
                    state = throw(state, _faces(rng))
        yield state, 0.0


def _faces(rng: np.random.Generator) -> list[int]:
    faces: list[int] = rng.integers(1, FACES + 1, size=DICE).tolist()
    return faces
