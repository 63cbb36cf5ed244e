"""The test of the dice: are all faces of the dice of many games equally frequent?"""

import hmac
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, count, islice, product
from math import erfc, exp, pi, sqrt

from game.blocks import THROWS, TURNS, die
from solver.rules.dice import DICE, FACES

CHUNK = 32  # games between two looks at the clock
MEAN = (1 + FACES) / 2
DEVIATION = sqrt((FACES**2 - 1) / 12)


@dataclass(frozen=True, slots=True)
class DiceTest:
    counts: tuple[int, ...]  # how often each face fell, from 1

    @property
    def dice(self) -> int:
        return sum(self.counts)

    @property
    def expected(self) -> float:
        return self.dice / FACES

    @property
    def chi_squared(self) -> float:
        return sum((count - self.expected) ** 2 / self.expected for count in self.counts)

    @property
    def p_value(self) -> float:
        """How often fair dice deviate at least so much: chi-squared, 5 degrees of freedom."""
        x = self.chi_squared
        return erfc(sqrt(x / 2)) + sqrt(2 * x / pi) * exp(-x / 2) * (1 + x / 3)

    @property
    def mean(self) -> float:
        return sum(face * count for face, count in enumerate(self.counts, start=1)) / self.dice

    @property
    def mean_error(self) -> float:
        """How far the mean is off, in standard errors."""
        return (self.mean - MEAN) / (DEVIATION / sqrt(self.dice))


def thrown(master: bytes, dice: int) -> Iterator[list[int]]:
    """So many dice, game after game, by the function that the games use; in chunks."""
    every = chain.from_iterable(_game(master, number) for number in count())
    left = islice(every, dice)
    while chunk := list(islice(left, CHUNK * TURNS * THROWS * DICE)):
        yield chunk


def _game(master: bytes, number: int) -> Iterator[int]:
    seed = hmac.digest(master, b"%d" % number, "sha256")
    places = product(range(TURNS), range(THROWS), range(DICE))
    return (die(seed, turn, roll, slot) for turn, roll, slot in places)


def tally(counter: Counter[int]) -> DiceTest:
    return DiceTest(tuple(counter[face] for face in range(1, FACES + 1)))
