"""Whether dice are fair: their mean, and a chi-squared test of their six counts."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, sqrt

import numpy as np

from solver.rules.dice import FACES
from solver.statistics.chi_squared import ChiSquared, exact_uniform_p

VIRTUAL_DICE = 3_000_000
FAIR_SHARE = 1 / FACES
FAIR_MEAN = (1 + FACES) / 2
FAIR_DEVIATION = sqrt((FACES**2 - 1) / 12)
# Noncentrality with which chi-squared of 5 degrees exceeds its 5 % point in 8 of 10 tests.
NOTICED = 12.8276


@dataclass(frozen=True, slots=True)
class DiceTest:
    """``counts[n]`` dice showed n + 1; ``exact`` says that p is no approximation."""

    title: str
    counts: tuple[int, ...]
    fit: ChiSquared
    exact: bool

    @property
    def dice(self) -> int:
        return sum(self.counts)

    @property
    def expected(self) -> float:
        return self.dice * FAIR_SHARE

    @property
    def mean(self) -> float:
        return sum(face * count for face, count in enumerate(self.counts, start=1)) / self.dice

    @property
    def mean_error(self) -> float:
        return mean_error(self.dice)

    @property
    def mean_off(self) -> float:
        return mean_off(self.mean, self.dice)

    @property
    def noticeable(self) -> float | None:
        """The share of one face that 8 of 10 tests with so many dice find out at p < 0.05.

        The other faces share the rest evenly. None where even a die with one face alone would
        be taken for fair too often.
        """
        share = FAIR_SHARE + sqrt(NOTICED / (self.dice * weight()))
        return share if share < 1 else None


def mean_error(dice: int) -> float:
    """The standard error of the mean of so many fair dice."""
    return FAIR_DEVIATION / sqrt(dice)


def mean_off(mean: float, dice: int) -> float:
    """How far the mean of so many dice lies above that of fair ones, in standard errors."""
    return (mean - FAIR_MEAN) / mean_error(dice)


def dice_to_notice(share: float) -> int:
    """How many dice it takes for one face's share to be found out in 8 of 10 tests."""
    return ceil(NOTICED / (weight() * (share - FAIR_SHARE) ** 2))


def weight() -> float:
    """Chi-squared a die and squared excess of a face's share, by the other faces' loss as well."""
    return FACES * (1 + 1 / (FACES - 1))


def p_text(test: DiceTest) -> str:
    return f"{test.fit.p:.4f}" if test.fit.p >= 1e-4 else f"{test.fit.p:.0e}"


def noticeable_text(test: DiceTest) -> str:
    return "none" if test.noticeable is None else f"one face at {test.noticeable:.2%}"


def fairness(title: str, counts: Sequence[int]) -> DiceTest:
    """Against dice of which every face falls equally often."""
    due = sum(counts) / FACES
    statistic = sum((count - due) ** 2 for count in counts) / due
    p, exact = exact_uniform_p(counts)
    return DiceTest(title, tuple(counts), ChiSquared(statistic, FACES - 1, p), exact)


def virtual_dice(dice: int = VIRTUAL_DICE, seed: int = 1) -> DiceTest:
    """Dice from the generator that the lab simulates with."""
    faces = np.random.default_rng(seed).integers(FACES, size=dice, dtype=np.uint8)
    counts = np.bincount(faces, minlength=FACES)
    return fairness(f"{dice:,} virtual dice", [int(count) for count in counts])
