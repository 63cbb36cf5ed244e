"""Fairness of dice: their mean, and a chi-squared test of their six counts.

Dice that can be told apart are tested one by one besides: what one shows too often, another one
may show too seldom. Of several tests one finds something by chance, so that their p are raised as
Holm does. That keeps the family-wise error whatever hangs together; dice of a game do, of which
one is thrown again or not by what the others show.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from math import ceil, sqrt

import numpy as np

from solver.rules.dice import FACES
from solver.statistics.chi_squared import ChiSquared, exact_uniform_p
from solver.statistics.student import holm

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
    apart: "tuple[OneDie, ...]" = ()  # where dice can be told apart

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


@dataclass(frozen=True, slots=True)
class OneDie:
    """``number`` is its place from 1; 0 for all those together that nothing tells apart.

    ``p`` is the family-wise one: of fair dice hardly more than a share of p have any so low.
    """

    number: int
    test: DiceTest
    p: float


class DicePlaces(StrEnum):
    """The meaning of a face's place in its roll."""

    ANY = ""  # nothing
    FIRST = "first"  # the first is always that of one die, the one of another colour
    EACH = "each"  # every die has its own


def mean_error(dice: int) -> float:
    """Return the standard error of the mean of so many fair dice."""
    return FAIR_DEVIATION / sqrt(dice)


def mean_off(mean: float, dice: int) -> float:
    """Return the difference of a mean from that of fair dice, in standard errors."""
    return (mean - FAIR_MEAN) / mean_error(dice)


def dice_to_notice(share: float) -> int:
    """Return the number of dice at which 8 of 10 tests notice a face with this share."""
    return ceil(NOTICED / (weight() * (share - FAIR_SHARE) ** 2))


def weight() -> float:
    """Chi-squared a die and squared excess of a face's share, by the other faces' loss as well."""
    return FACES * (1 + 1 / (FACES - 1))


def fairness(title: str, counts: Sequence[int]) -> DiceTest:
    """Against dice of which every face falls equally often."""
    due = sum(counts) / FACES
    statistic = sum((count - due) ** 2 for count in counts) / due
    p, exact = exact_uniform_p(counts)
    return DiceTest(title, tuple(counts), ChiSquared(statistic, FACES - 1, p), exact)


def fairness_apart(title: str, dice: Sequence[Sequence[int]], places: DicePlaces) -> DiceTest:
    """``dice[n]`` are the six counts of what stood in place n + 1."""
    together = fairness(title, _summed(dice))
    tested = {DicePlaces.ANY: 0, DicePlaces.FIRST: 1, DicePlaces.EACH: len(dice)}[places]
    parts = dict(enumerate(dice[:tested], start=1))
    if places is DicePlaces.FIRST:
        parts[0] = _summed(dice[1:])
    tests = {number: fairness(title, counts) for number, counts in parts.items() if sum(counts)}
    family = holm({number: test.fit.p for number, test in tests.items()})
    apart = tuple(OneDie(number, test, family[number]) for number, test in tests.items())
    return replace(together, apart=apart)


def _summed(dice: Sequence[Sequence[int]]) -> list[int]:
    return [sum(column) for column in zip(*dice, strict=True)]


def virtual_dice(dice: int = VIRTUAL_DICE, seed: int = 1) -> DiceTest:
    """Dice from the generator that the lab simulates with."""
    faces = np.random.default_rng(seed).integers(FACES, size=dice, dtype=np.uint8)
    counts = np.bincount(faces, minlength=FACES)
    return fairness(f"{dice:,} virtual dice", [int(count) for count in counts])
