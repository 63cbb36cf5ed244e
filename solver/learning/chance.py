"""Throws and choices at random inside compiled code.

``luck`` are streams of random numbers, one 64-bit state each: a game that owns its stream plays the
same whatever is played beside it. Holds and rolls are numbered as in ``rules.dice``.
"""

from functools import cache
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from solver.dp.arrays import Ints
from solver.dp.compiled import kernel_of
from solver.rules.dice import FACES, cup_of

Luck = npt.NDArray[np.uint64]
kernel = kernel_of(Path(__file__).resolve().parent)  # of learners, as ``players.compiled`` has one


class Falls(NamedTuple):
    """Every hold's rolls one after another, one for each way its dice can fall.

    Those of a hold are ``ways[hold]`` from ``start[hold]`` on.
    """

    rolls: npt.NDArray[np.int16]
    ways: Ints
    start: Ints


@cache
def falls_of(dice: int) -> Falls:
    cup = cup_of(dice)
    rolls = [
        cup.roll_index[tuple(sorted((*hold, *faces)))]
        for hold in cup.holds
        for faces in product(range(1, FACES + 1), repeat=dice - len(hold))
    ]
    ways = np.array([FACES ** (dice - len(hold)) for hold in cup.holds])
    return Falls(np.array(rolls, dtype=np.int16), ways, np.cumsum([0, *ways[:-1]]))


_STEP = np.uint64(0x9E3779B97F4A7C15)
_MIX_1, _MIX_2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_30, _27, _31, _32 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(32)


def streams(seed: int, count: int) -> Luck:
    """Return this many random streams, unlike each other and those of other seeds."""
    return np.random.default_rng(seed).integers(2**64, size=count, dtype=np.uint64)


@kernel
def number_below(luck: Any, stream: int, limit: int) -> Any:
    """Return the next number of a stream (splitmix64), from 0 to below the limit."""
    luck[stream] += _STEP
    z = luck[stream]
    z = (z ^ (z >> _30)) * _MIX_1
    z = (z ^ (z >> _27)) * _MIX_2
    z = z ^ (z >> _31)
    return np.int64((z >> _32) * np.uint64(limit) >> _32)


@kernel
def throw(luck: Any, stream: int, hold: int, falls: Any) -> Any:
    """Return the roll that throwing the dice that are not held gives."""
    fall = number_below(luck, stream, falls.ways[hold])
    return np.int64(falls.rolls[falls.start[hold] + fall])
