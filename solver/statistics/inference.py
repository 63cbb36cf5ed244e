"""Inference from a sample: Student's t, intervals, and tests, with no dependency.

Nothing is said where nothing can be: None below two values, and None where values do not differ,
for then they do not tell how far others would.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np

from solver.statistics.student import normal_p, t_p, t_quantile

NOTHING = 1e-12  # a relative error that is only rounding


@dataclass(frozen=True, slots=True)
class Interval:
    """``error`` is the standard error of the mean, with so many degrees of freedom."""

    mean: float
    low: float
    high: float
    error: float
    degrees: float

    @property
    def half(self) -> float:
        return (self.high - self.low) / 2

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high


@dataclass(frozen=True, slots=True)
class Significance:
    """``p``: how often chance alone gives a statistic at least as far from nought.

    Without degrees of freedom the statistic is a z, with them a t.
    """

    statistic: float
    p: float
    degrees: float | None = None


def z_test(
    mean: float, games: float, expected: float, deviation: float | None
) -> Significance | None:
    """Test whether a mean of games fits a known mean and deviation; None if it cannot be tested."""
    if games <= 0 or not deviation:
        return None
    z = (mean - expected) / (deviation / sqrt(games))
    return Significance(z, normal_p(z))


def t_test(estimate: Interval | None, expected: float = 0.0) -> Significance | None:
    """Test whether the mean of an interval differs from the expected one."""
    if estimate is None:
        return None
    t = (estimate.mean - expected) / estimate.error
    return Significance(t, t_p(t, estimate.degrees), estimate.degrees)


def around(mean: float, variance: float, degrees: float) -> Interval | None:
    """Return the interval around a mean, from the variance of that mean."""
    error = sqrt(max(0.0, variance))
    if degrees <= 0 or error <= NOTHING * max(1.0, abs(mean)):
        return None
    half = t_quantile(degrees) * error
    return Interval(mean, mean - half, mean + half, error, degrees)


def less(start: float, lost: Interval) -> Interval:
    """Return the skill: perfect play minus what decisions cost."""
    ends = (start - lost.high, start - lost.low)
    return Interval(start - lost.mean, *ends, lost.error, lost.degrees)


def interval(values: Iterable[float]) -> Interval | None:
    """Return the interval of the mean of independent values, or None."""
    of = np.asarray(list(values), float)
    if len(of) < 2:
        return None
    return around(float(of.mean()), float(of.var(ddof=1)) / len(of), len(of) - 1)


def difference(one: Interval, other: Interval) -> Interval | None:
    """Between the means of two samples that have nothing to do with each other (Welch)."""
    parts = [(mean.error**2, mean.degrees) for mean in (one, other)]
    return welch(one.mean - other.mean, parts)


def welch(mean: float, parts: Sequence[tuple[float, float]]) -> Interval | None:
    """Around a mean whose variance is a sum of variances, each with degrees of freedom."""
    variance = sum(part for part, _degrees in parts)
    doubt = sum(part**2 / degrees for part, degrees in parts)
    return around(mean, variance, variance**2 / doubt) if doubt > 0 else None
