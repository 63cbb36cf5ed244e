"""What becomes of holds when dice are thrown, as tables for whoever plays turns one by one."""

from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from solver.dp.arrays import Ints, one_more
from solver.rules.dice import FACES, cup_of
from solver.rules.rulesets import Ruleset

Numbers = npt.NDArray[np.uint16]  # of throws: those of six dice just fit


class Throws(NamedTuple):
    """Of a cup: ``stop`` is its first roll, so that roll n is hold stop + n and throws no die.

    ``faces[hold, face]`` says how many dice show a face, ``more[hold, face]`` is the hold with that
    die added, and ``roll_of[number]`` the roll whose dice are the digits of the number, to base
    six.
    """

    stop: int
    faces: Ints
    more: Ints
    roll_of: Ints


@cache
def throws_of(dice: int) -> Throws:
    cup = cup_of(dice)
    more = np.full((len(cup.holds), FACES + 1), -1)
    for hold, *larger in one_more(dice):
        more[hold, 1:] = larger
    of_number = np.zeros(1, dtype=np.int64)  # the holds of ever more dice
    for _ in range(dice):
        of_number = more[of_number, 1:].T.ravel()
    stop = cup.first_roll
    faces = np.array([[hold.count(face) for face in range(FACES + 1)] for hold in cup.holds])
    return Throws(stop, faces, more, of_number - stop)


def random_throws(random: np.random.Generator, rules: Ruleset, games: int) -> Numbers:
    """[throw, game]: all dice as one number, a digit to base six each."""
    return random.integers(FACES**rules.dice, size=(rules.throws, games), dtype=np.uint16)
