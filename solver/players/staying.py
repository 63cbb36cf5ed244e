"""Dice that stay: what a player holds of a throw cannot be thrown again in the same turn.

A table of decisions knows nothing of what was held before, so nobody here plays so; but what a
table would come to, if its first hold bound its second, can be worked out exactly all the same.
"""

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from solver.dp.arrays import Floats, Ints
from solver.dp.outcomes import Index
from solver.dp.throws import throws_of
from solver.dp.turn import outcome_chances
from solver.rules import Ruleset

if TYPE_CHECKING:
    from solver.players.rules import RulePlay


class Memory(NamedTuple):
    """``together[hold, hold]`` has the dice of both, ``becomes[hold, roll]`` is a chance."""

    together: Ints
    becomes: Floats


@cache
def memory_of(dice: int) -> Memory:
    """What both hold of the same face is held once; -1 is more than all dice."""
    faces = throws_of(dice).faces
    place = (dice + 1) ** np.arange(faces.shape[1])
    hold_of = np.full((dice + 1) ** faces.shape[1], -1)
    hold_of[faces @ place] = np.arange(len(faces))
    both = np.maximum(faces[:, None], faces[None])
    return Memory(hold_of[both @ place], outcome_chances(dice))


@dataclass(frozen=True)
class StayingDice:
    """The policy that a player's table becomes; it has to have two holds a turn."""

    play: "RulePlay"
    looks_at_upper = False

    @property
    def rules(self) -> Ruleset:
        return self.play.rules

    def outcomes(self, rows: Ints, index: Index, chance_start: Ints, chance: Floats) -> None:
        memory = memory_of(self.rules.dice)
        self.play.outcomes_with(memory, rows, index, chance_start, chance)
