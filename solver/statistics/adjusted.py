"""People's values by arms and by what was known before: least squares, and sums by lot."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from solver.statistics.chi_squared import Floats

Pair = tuple[int, int]  # an arm, and the one beside which it stands
TIE = 1e-9


@dataclass(frozen=True, slots=True)
class Adjusted:
    """The r of the randomisation test, and the z and b of each pair."""

    left: Floats
    apart: Sequence[Floats]
    estimates: Sequence[float]

    @classmethod
    def of(
        cls, values: Floats, labels: npt.NDArray[np.int64], pairs: Sequence[Pair], known: Floats
    ) -> "Adjusted | None":
        """Least squares. None where values are all alike, or covariates are what the arms are."""
        arms = (labels[:, None] == np.arange(labels.max() + 1)).astype(float)
        design = np.column_stack((arms, known))
        alike = np.ptp(_unexplained(values, known)) < TIE
        if alike or np.linalg.matrix_rank(design) < arms.shape[1] - 1 + _rank(known):
            return None
        worth = np.linalg.lstsq(design, values, rcond=None)[0]
        halves = [(arms[:, one] - arms[:, other]) / 2 for one, other in pairs]
        return cls(
            values - design @ worth,
            [_unexplained(half, known) for half in halves],
            [float(worth[one] - worth[other]) for one, other in pairs],
        )


def with_constant(people: int, covariates: Floats | None) -> Floats:
    ones = np.ones((people, 1))
    return np.column_stack((ones, covariates)) if covariates is not None else ones


def _rank(known: Floats) -> int:
    return int(np.linalg.matrix_rank(known))


def _unexplained(values: Floats, known: Floats) -> Floats:
    found: Floats = values - known @ np.linalg.lstsq(known, values, rcond=None)[0]
    return found


def spread_of_mean(sums: Floats, squares: Floats, people: int) -> Floats:
    """Return the variance of a mean."""
    found: Floats = (squares - sums**2 / people) / (people - 1) / people
    return found
