"""Scores in groups of ten points, as in the study's tables."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True, slots=True)
class Ten:
    """A row of the study's tables: the scores from ``low`` to ``low`` + 9."""

    low: int
    count: int
    share: float  # share of all games
    up_to_here: float  # share of games with these or lower scores


def group_in_tens(counts: npt.NDArray[np.int64]) -> list[Ten]:
    """Return the groups 0 to 9, 10 to 19 ..., from the first to the last with a game.
    ``counts[score]`` is the number of games with the score."""
    sums = np.pad(counts, (0, -len(counts) % 10)).reshape(-1, 10).sum(axis=1)
    total, so_far = int(sums.sum()), sums.cumsum()
    filled = np.flatnonzero(sums)
    return [
        Ten(10 * n, int(sums[n]), float(sums[n] / total), float(so_far[n] / total))
        for n in range(int(filled[0]), int(filled[-1]) + 1)
    ]
