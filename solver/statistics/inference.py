"""Inference from a sample: Student's t, intervals and tests, without a dependency.

Functions return None for fewer than two values, and if all values are equal, because these show no
spread.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np

from solver.statistics.student import t_quantile, t_to_p, z_to_p

NOTHING = 1e-12  # relative error that rounding can cause


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval of a mean."""

    mean: float
    low: float
    high: float
    error: float  # the standard error of the mean
    degrees: float  # degrees of freedom

    @property
    def half(self) -> float:
        return (self.high - self.low) / 2

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high


@dataclass(frozen=True, slots=True)
class Significance:
    """A test statistic with its two-sided p-value."""

    statistic: float
    p: float
    degrees: float | None = None  # None if the statistic is a z, not a t


def z_test(
    mean: float, games: float, expected: float, deviation: float | None
) -> Significance | None:
    """Test whether a mean of games fits a known mean and deviation. Return None for no games."""
    if games <= 0 or not deviation:
        return None
    z = (mean - expected) / (deviation / sqrt(games))
    return Significance(z, z_to_p(z))


def t_test(estimate: Interval | None, expected: float = 0.0) -> Significance | None:
    """Test whether an interval's mean differs from the expected one; None for no interval."""
    if estimate is None:
        return None
    t = (estimate.mean - expected) / estimate.error
    return Significance(t, t_to_p(t, estimate.degrees), estimate.degrees)


def build_interval(mean: float, variance: float, degrees: float) -> Interval | None:
    """Return the interval around a mean with this variance, or None without a spread."""
    error = sqrt(max(0.0, variance))
    if degrees <= 0 or error <= NOTHING * max(1.0, abs(mean)):
        return None
    half = t_quantile(degrees) * error
    return Interval(mean, mean - half, mean + half, error, degrees)


def subtract_from(start: float, cost: Interval) -> Interval:
    """Return the interval of ``start`` (the value of perfect play) minus the cost."""
    ends = (start - cost.high, start - cost.low)
    return Interval(start - cost.mean, *ends, cost.error, cost.degrees)


def estimate_mean(values: Iterable[float]) -> Interval | None:
    """Return the interval of the mean of independent values, or None without a spread."""
    sample = np.asarray(list(values), float)
    if len(sample) < 2:
        return None
    mean, variance = float(sample.mean()), float(sample.var(ddof=1))
    return build_interval(mean, variance / len(sample), len(sample) - 1)


def estimate_difference(first: Interval, other: Interval) -> Interval | None:
    """Return the interval of the difference of two independent means (Welch), or None."""
    parts = [(mean.error**2, mean.degrees) for mean in (first, other)]
    return apply_welch(first.mean - other.mean, parts)


def apply_welch(mean: float, parts: Sequence[tuple[float, float]]) -> Interval | None:
    """Return the interval around a mean whose variance is a sum of parts: (part, degrees of
    freedom). Return None without a spread."""
    variance = sum(part for part, _degrees in parts)
    doubt = sum(part**2 / degrees for part, degrees in parts)
    return build_interval(mean, variance, variance**2 / doubt) if doubt > 0 else None
