"""How hard a decision was: what the peers of ``peers`` would have made of it.

They draw an option with a weight of exp(-regret / temperature), so how many of them find the best,
and what they lose on average, follows from what the options are worth.
"""

from dataclasses import dataclass

import numpy as np

from game.core.worth.peers import Peers
from solver.advice import Evaluated
from solver.dp.space import TIE

HALF, FEW = 1 / 2, 1 / 3
USUAL, MUCH = 1.0, 1.75  # of what the peers lose in a decision of theirs
CLOSE = 0.3  # points


@dataclass(frozen=True, slots=True)
class Hardness:
    """``found`` is the share of the peers who choose the best, ``lost`` what they lose, as a
    multiple of what they usually do, and ``runner_up`` what the next best option costs."""

    found: float
    lost: float
    runner_up: float

    @property
    def hard(self) -> bool:
        """Something is to be explained: most miss it at a cost, or another option is close."""
        return self.runner_up < CLOSE or (self.found < HALF and self.lost >= USUAL)

    @property
    def rare(self) -> bool:
        """Few find it, and it matters: worth a praise, in less than a sixth of all decisions."""
        return self.found < FEW and self.lost >= MUCH


def hardness(at_hand: Evaluated, peers: Peers) -> Hardness:
    values = np.concatenate((at_hand.hold_values, at_hand.box_values))
    regrets = at_hand.value - values[values > -np.inf]
    weights = np.exp(-regrets / peers.temperature)
    best, drawn = regrets < TIE, float(weights.sum())
    return Hardness(
        found=float(weights[best].sum()) / drawn,
        lost=float(weights @ regrets) / drawn / peers.rating,
        runner_up=float(regrets[~best].min(initial=np.inf)),
    )
