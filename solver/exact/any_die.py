"""The value of perfect play with unfair dice, and how uncertain this value is.

The chances come from counts of the faces, and the player knows them. No table stores the values.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from solver.dp.arrays import Floats
from solver.dp.sweep import evaluate_dice
from solver.rules import Ruleset
from solver.rules.dice import FACES
from solver.statistics.inference import Z95

STEP = 1e-4  # change of a face's chance from which the derivative is estimated


@dataclass(frozen=True, slots=True)
class DieValue:
    """The value of perfect play, and the standard error that the finite number of rolls causes."""

    value: float
    error: float

    @property
    def low(self) -> float:
        return self.value - Z95 * self.error

    @property
    def high(self) -> float:
        return self.value + Z95 * self.error


def estimate_die_value(rules: Ruleset, counts: Sequence[int]) -> DieValue:
    """Return the value with dice that showed face n + 1 in ``counts[n]`` rolls.

    The standard error is the infinitesimal jackknife: how the value changes towards dice that show
    one face more often, weighted by the share of each face.
    """
    dice, chances = sum(counts), calculate_chances(counts)
    value = evaluate_dice(rules, chances)
    # Row n has the chances of dice that show face n + 1 a little more often.
    shifted = chances * (1 - STEP) + STEP * np.eye(FACES)
    pull = (np.array([evaluate_dice(rules, row) for row in shifted]) - value) / STEP
    return DieValue(value, float(np.sqrt(chances @ pull**2 / dice)))


def calculate_chances(counts: Sequence[int]) -> Floats:
    chances: Floats = np.array(counts, dtype=np.float64) / sum(counts)
    return chances
