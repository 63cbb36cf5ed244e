"""Tests of the fairness of dice: their mean, and a chi-squared test of their six counts.

If the place in a roll identifies the die, each die is also tested separately, because one die may
show a face too often and another too seldom. Several tests raise the chance of a false alarm, so
their p-values are adjusted by Holm's method. It controls the family-wise error even if tests depend
on each other, as they do in a game, where all dice together decide which die is rolled again.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from math import ceil, sqrt

import numpy as np

from solver.rules.dice import FACES
from solver.statistics.chi_squared import ChiSquared, calculate_uniform_p
from solver.statistics.student import adjust_by_holm

VIRTUAL_DICE = 3_000_000
FAIR_SHARE = 1 / FACES
FAIR_MEAN = (1 + FACES) / 2
FAIR_DEVIATION = sqrt((FACES**2 - 1) / 12)
# The noncentrality at which the chi-squared test with 5 degrees of freedom gives p < 0.05 in 8 of
# 10 tests.
NOTICED = 12.8276


@dataclass(frozen=True, slots=True)
class DiceTest:
    title: str
    counts: tuple[int, ...]  # counts of the faces 1 to 6
    fit: ChiSquared
    exact: bool  # False if p is an approximation
    apart: "tuple[OneDie, ...]" = ()  # a test of each die, if places identify dice

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
        return find_mean_error(self.dice)

    @property
    def mean_off(self) -> float:
        return find_z_score(self.mean, self.dice)

    @property
    def noticeable(self) -> float | None:
        """The smallest share of one face that 8 of 10 tests with this many dice detect at p < 0.05.

        All other faces have equal shares. None if even dice with only one face would often pass.
        """
        share = FAIR_SHARE + sqrt(NOTICED / (self.dice * find_weight()))
        return share if share < 1 else None


@dataclass(frozen=True, slots=True)
class OneDie:
    """The test of one die among several. ``number`` is its place in a roll from 1, or 0 for all
    dice without a fixed place. ``p`` is the family-wise p-value."""

    number: int
    test: DiceTest
    p: float


class DicePlaces(StrEnum):
    """The places in a roll that always show the same die."""

    ANY = ""  # no place identifies a die
    FIRST = "first"  # the first place: for example, a die of another colour always comes first
    EACH = "each"  # every place identifies a die


def find_mean_error(dice: int) -> float:
    return FAIR_DEVIATION / sqrt(dice)


def find_z_score(mean: float, dice: int) -> float:
    """Return how far a mean is from that of fair dice, in standard errors."""
    return (mean - FAIR_MEAN) / find_mean_error(dice)


def count_needed_dice(share: float) -> int:
    return ceil(NOTICED / (find_weight() * (share - FAIR_SHARE) ** 2))


def find_weight() -> float:
    """Return the factor from the squared excess of a face's share to chi-squared per die."""
    return FACES * (1 + 1 / (FACES - 1))


def check_fairness(title: str, counts: Sequence[int]) -> DiceTest:
    due = sum(counts) / FACES
    statistic = sum((count - due) ** 2 for count in counts) / due
    p, exact = calculate_uniform_p(counts)
    return DiceTest(title, tuple(counts), ChiSquared(statistic, FACES - 1, p), exact)


def check_fairness_apart(title: str, dice: Sequence[Sequence[int]], places: DicePlaces) -> DiceTest:
    """Test all dice together and each identified die. dice[n] has the six counts of place n + 1."""
    together = check_fairness(title, _add_counts(dice))
    tested = {DicePlaces.ANY: 0, DicePlaces.FIRST: 1, DicePlaces.EACH: len(dice)}[places]
    parts = dict(enumerate(dice[:tested], start=1))
    if places is DicePlaces.FIRST:
        parts[0] = _add_counts(dice[1:])
    tests = {n: check_fairness(title, counts) for n, counts in parts.items() if sum(counts)}
    family = adjust_by_holm({number: test.fit.p for number, test in tests.items()})
    apart = tuple(OneDie(number, test, family[number]) for number, test in tests.items())
    return replace(together, apart=apart)


def _add_counts(dice: Sequence[Sequence[int]]) -> list[int]:
    return [sum(column) for column in zip(*dice, strict=True)]


def check_virtual_dice(dice: int = VIRTUAL_DICE, seed: int = 1) -> DiceTest:
    faces = np.random.default_rng(seed).integers(FACES, size=dice, dtype=np.uint8)
    counts = np.bincount(faces, minlength=FACES)
    return check_fairness(f"{dice:,} virtual dice", [int(count) for count in counts])
