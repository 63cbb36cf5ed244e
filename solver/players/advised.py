"""Does what the coach calls best, asked decision by decision: perfect play without a compiler."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from solver.advice import Advisor, Option, position_of
from solver.rules import Action, Hold, Score, State


@dataclass(frozen=True)
class Advised:
    advisor: Advisor

    def choose(self, state: State, rng: np.random.Generator, others: Sequence[int] = ()) -> Action:
        return action_of(state, self.advisor.advise(position_of(state)).best)


def action_of(state: State, option: Option) -> Action:
    """Where several slots show a face that is kept, the ones that were kept before."""
    if option.action == "score":
        return Score(option.category)
    return Hold.of(option.dice, state.dice, state.held)
