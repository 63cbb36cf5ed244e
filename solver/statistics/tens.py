"""Scores in tens, as the study's tables have them."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from solver.statistics.chi_squared import Floats


@dataclass(frozen=True, slots=True)
class Ten:
    """A row of the study's tables: the games from ten scores on, and of all up to here."""

    low: int
    count: int
    share: float
    up_to_here: float


def side_by_side(*of: Floats) -> list[Floats]:
    """Return as many tens of each; missing ones are empty."""
    most = max(map(len, of), default=0)
    return [np.pad(tens, (0, most - len(tens))) for tens in of]


def in_tens(counts: npt.NDArray[np.int64]) -> list[Ten]:
    """The tens from the first to the last that has a game."""
    sums = np.pad(counts, (0, -len(counts) % 10)).reshape(-1, 10).sum(axis=1)
    total, so_far = int(sums.sum()), sums.cumsum()
    filled = np.flatnonzero(sums)
    return [
        Ten(10 * n, int(sums[n]), float(sums[n] / total), float(so_far[n] / total))
        for n in range(int(filled[0]), int(filled[-1]) + 1)
    ]
