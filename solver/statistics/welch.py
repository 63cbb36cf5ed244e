"""Student's t for one difference: its p, its range, one-sided or not, from one error.

Of two arms the error is Welch's, of what covariates leave; each of them costs a degree of freedom.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from solver.statistics.adjusted import Adjusted, Pair, with_constant
from solver.statistics.chi_squared import Floats
from solver.statistics.inference import Interval, around
from solver.statistics.randomisation import ALPHA, GREATER, LESS, TWO_SIDED
from solver.statistics.student import t_p, t_quantile


@dataclass(frozen=True, slots=True)
class StudentTest:
    """Of one pair of arms, whose place is 0."""

    estimate: float
    error: float
    degrees: float

    @classmethod
    def of(cls, found: Interval | None) -> "StudentTest | None":
        return cls(found.mean, found.error, found.degrees) if found else None

    @property
    def estimates(self) -> Sequence[float]:
        return (self.estimate,)

    def p(self, pair: int, effect: float = 0.0, side: int = TWO_SIDED) -> float:
        t = (self.estimate - effect) / self.error
        both = t_p(t, self.degrees)
        if side == TWO_SIDED:
            return both
        return both / 2 if side * t > 0 else 1 - both / 2

    def ends(
        self, pair: int, alpha: float = ALPHA, side: int = TWO_SIDED
    ) -> tuple[float | None, float | None]:
        within = 1 - (alpha if side == TWO_SIDED else 2 * alpha)
        half = t_quantile(self.degrees, within) * self.error
        low = None if side == LESS else self.estimate - half
        high = None if side == GREATER else self.estimate + half
        return low, high


def welch_test(
    values: Floats, labels: npt.NDArray[np.int64], pair: Pair, covariates: Floats | None
) -> StudentTest | None:
    """None where values or covariates tell nothing."""
    known = with_constant(len(values), covariates)
    fit = Adjusted.of(values, labels, [pair], known)
    spare = len(values) - 1 - known.shape[1]
    if fit is None or spare < 1:
        return None
    one, other = (labels == arm for arm in pair)
    # Less than 1 by what the covariates know of the arms, which takes as much off the spread of y.
    shift = float(fit.apart[0][one].mean() - fit.apart[0][other].mean())
    lost = (len(values) - 2) / spare  # by what the covariates took
    parts = [
        lost * float(fit.left[of] @ fit.left[of]) / (of.sum() - 1) / of.sum() for of in (one, other)
    ]
    variance = sum(parts)
    doubt = sum(part**2 / (of.sum() - 1) for part, of in zip(parts, (one, other), strict=True))
    if doubt <= 0:
        return None
    degrees = float(variance**2 / doubt) - known.shape[1] + 1
    return StudentTest.of(around(fit.estimates[0], variance / abs(shift), degrees))
