"""Whether dice are fair: their mean, and a chi-squared test of their six counts."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from solver.lab.published import reported
from solver.lab.statistics import ChiSquared, chi_squared
from solver.rules.dice import FACES

VIRTUAL_DICE = 3_000_000


@dataclass(frozen=True, slots=True)
class DiceTest:
    """``counts[n]`` dice showed n + 1."""

    title: str
    counts: tuple[int, ...]
    fit: ChiSquared

    @property
    def dice(self) -> int:
        return sum(self.counts)

    @property
    def mean(self) -> float:
        return sum(face * count for face, count in enumerate(self.counts, start=1)) / self.dice


def fairness(title: str, counts: Sequence[int]) -> DiceTest:
    """Against dice of which every face falls equally often."""
    due = [sum(counts) / FACES] * FACES
    return DiceTest(title, tuple(counts), chi_squared([float(n) for n in counts], due))


def virtual_dice(dice: int = VIRTUAL_DICE, seed: int = 1) -> DiceTest:
    """Dice from the generator that the lab simulates with."""
    faces = np.random.default_rng(seed).integers(FACES, size=dice, dtype=np.uint8)
    counts = np.bincount(faces, minlength=FACES)
    return fairness(f"{dice:,} virtual dice", [int(count) for count in counts])


def real_dice() -> DiceTest:
    """The dice that the study threw by hand: 510 counts, though it writes of 500."""
    counts = reported()["real_dice_test"]["counts"]
    return fairness("the study's real dice", [counts[str(face)] for face in range(1, FACES + 1)])
