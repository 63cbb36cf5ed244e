"""Random rolls and choices inside compiled code.

``luck`` is an array with the 64-bit state of each random stream. Every game has a separate stream,
so its dice do not depend on other games. Holds and rolls have the numbers of ``rules.dice``.
"""

from functools import cache
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from solver.dp.arrays import Ints
from solver.dp.compiled import make_kernel_for
from solver.rules.dice import FACES, make_cup

Luck = npt.NDArray[np.uint64]
kernel = make_kernel_for(Path(__file__).resolve().parent)


class NextRolls(NamedTuple):
    """The equally likely rolls after each hold: ``rolls[start[hold]:start[hold] + ways[hold]]``. A
    roll is listed several times if there are several ways to roll it."""

    rolls: npt.NDArray[np.int16]
    ways: Ints
    start: Ints


@cache
def list_falls(dice: int) -> NextRolls:
    cup = make_cup(dice)
    rolls = [
        cup.roll_index[tuple(sorted((*hold, *faces)))]
        for hold in cup.holds
        for faces in product(range(1, FACES + 1), repeat=dice - len(hold))
    ]
    ways = np.array([FACES ** (dice - len(hold)) for hold in cup.holds])
    return NextRolls(np.array(rolls, dtype=np.int16), ways, np.cumsum([0, *ways[:-1]]))


_STEP = np.uint64(0x9E3779B97F4A7C15)
_MIX_1, _MIX_2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_30, _27, _31, _32 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(32)


def make_streams(seed: int, count: int) -> Luck:
    return np.random.default_rng(seed).integers(2**64, size=count, dtype=np.uint64)


@kernel
def draw_number(luck: Any, stream: int, limit: int) -> Any:
    """Return the next random number of the stream, from 0 to ``limit - 1`` (splitmix64)."""
    luck[stream] += _STEP
    z = luck[stream]
    z = (z ^ (z >> _30)) * _MIX_1
    z = (z ^ (z >> _27)) * _MIX_2
    z = z ^ (z >> _31)
    return np.int64((z >> _32) * np.uint64(limit) >> _32)


@kernel
def roll_dice(luck: Any, stream: int, hold: int, falls: Any) -> Any:
    """Roll the dice that are not held. Return the number of the new roll."""
    fall = draw_number(luck, stream, falls.ways[hold])
    return np.int64(falls.rolls[falls.start[hold] + fall])
