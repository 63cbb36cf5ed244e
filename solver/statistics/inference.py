"""Inference from a sample: Student's t, intervals and tests, without a dependency.

Functions return None for fewer than two values, and if all values are equal, because such values
have no measurable spread.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import ceil, erfc, exp, lgamma, log, log1p, pi, sqrt, tan
from typing import TypeVar

import numpy as np

from solver.statistics.chi_squared import Floats

Key = TypeVar("Key")
LEVEL = 0.95
PRECISION = 1e-15
NOTHING = 1e-12  # largest relative error that rounding may cause
SHARE = 0.55
ERROR = 0.05
LEAD = ceil(log((1 - ERROR) / ERROR) / log(SHARE / (1 - SHARE)))  # 15 more games won than lost
Z95 = 1.959963984540054


def z_to_p(z: float) -> float:
    """Return P(|Z| >= |z|)."""
    return erfc(abs(z) / sqrt(2))


def t_to_p(t: float, degrees: float) -> float:
    """Return P(|T| >= |t|). The number of degrees of freedom need not be a whole number."""
    total = degrees + t * t
    return regularised_beta(degrees / 2, 0.5, degrees / total, t * t / total)


def t_to_level(t: float, degrees: float) -> float:
    """Return P(|T| <= |t|)."""
    total = degrees + t * t
    return regularised_beta(0.5, degrees / 2, t * t / total, degrees / total)


@lru_cache(maxsize=512)
def t_quantile(degrees: float, level: float = LEVEL) -> float:
    """Return the t for which P(|T| <= t) = ``level``. Bisect its angle from 0 to 90 degrees."""
    low, high = 0.0, pi / 2
    while high - low > PRECISION * high:
        middle = (low + high) / 2
        below = t_to_level(sqrt(degrees) * tan(middle), degrees) < level
        low, high = (middle, high) if below else (low, middle)
    return sqrt(degrees) * tan(low)


def regularised_beta(a: float, b: float, x: float, complement: float) -> float:
    """Return the incomplete beta function I_x(a, b). ``complement`` is 1 - x without rounding."""
    if x <= 0 or complement <= 0:
        return 0.0 if x <= 0 else 1.0
    if x > (a + 1) / (a + b + 2):
        return 1.0 - regularised_beta(b, a, complement, x)
    front = (
        a * _calculate_log(x, complement)
        + b * _calculate_log(complement, x)
        + lgamma(a + b)
        - lgamma(a)
        - lgamma(b)
    )
    value, c, d = 1.0, 1.0, 0.0  # Lentz's method for 1 + d1 / (1 + d2 / (1 + ...))
    change, n = 0.0, 0
    while abs(change - 1) > PRECISION:
        n += 1
        m, odd = divmod(n, 2)
        product = -(a + m) * (a + b + m) if odd else m * (b - m)
        part = x * (product / ((a + n - 1) * (a + n)))
        d = 1 / (1 + part * d)
        c = 1 + part / c
        change = c * d
        value *= change
    return exp(front) / a / value


def _calculate_log(x: float, complement: float) -> float:
    return log1p(-complement) if complement < 0.5 else log(x)


def adjust_by_holm(alone: Mapping[Key, float]) -> dict[Key, float]:
    adjusted, least = dict[Key, float](), 0.0
    for rank, (key, p) in enumerate(sorted(alone.items(), key=lambda item: item[1])):
        least = max(least, min(1.0, p * (len(alone) - rank)))
        adjusted[key] = least
    return adjusted


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
    degrees: float | None = None  # None if the statistic is z, not t


def z_test(
    mean: float, games: float, expected: float, deviation: float | None
) -> Significance | None:
    """Test whether the mean of games fits a known mean and deviation. Return None without games."""
    if games <= 0 or not deviation:
        return None
    z = (mean - expected) / (deviation / sqrt(games))
    return Significance(z, z_to_p(z))


def t_test(estimate: Interval | None, expected: float = 0.0) -> Significance | None:
    """Test whether an interval's mean differs from the expected mean; None without an interval."""
    if estimate is None:
        return None
    t = (estimate.mean - expected) / estimate.error
    return Significance(t, t_to_p(t, estimate.degrees), estimate.degrees)


def build_interval(mean: float, variance: float, degrees: float) -> Interval | None:
    """Return the interval around a mean with this variance, or None if there is no spread."""
    error = sqrt(max(0.0, variance))
    if degrees <= 0 or error <= NOTHING * max(1.0, abs(mean)):
        return None
    half = t_quantile(degrees) * error
    return Interval(mean, mean - half, mean + half, error, degrees)


def subtract_from(start: float, cost: Interval) -> Interval:
    """Return the interval of ``start`` (the value of perfect play) minus the points lost."""
    ends = (start - cost.high, start - cost.low)
    return Interval(start - cost.mean, *ends, cost.error, cost.degrees)


def estimate_mean(values: Iterable[float]) -> Interval | None:
    """Return the interval of the mean of independent values, or None if there is no spread."""
    sample = np.asarray(list(values), float)
    if len(sample) < 2:
        return None
    mean, variance = float(sample.mean()), float(sample.var(ddof=1))
    return build_interval(mean, variance / len(sample), len(sample) - 1)


def estimate_difference(first: Interval, other: Interval) -> Interval | None:
    """Return Welch's interval of the difference of two independent means, or None."""
    parts = [(mean.error**2, mean.degrees) for mean in (first, other)]
    return apply_welch(first.mean - other.mean, parts)


def apply_welch(mean: float, parts: Sequence[tuple[float, float]]) -> Interval | None:
    """Return the interval around a mean whose variance is a sum of parts, or None if there is no
    spread. Each part is a pair: part of the variance, degrees of freedom."""
    variance = sum(part for part, _degrees in parts)
    doubt = sum(part**2 / degrees for part, degrees in parts)
    return build_interval(mean, variance, variance**2 / doubt) if doubt > 0 else None


def find_deciding_game(signs: Sequence[int]) -> int | None:
    """Return the game after which a player leads by ``LEAD``, or None. Results are 1, 0 or -1."""
    lead = 0
    for game, sign in enumerate(signs, start=1):
        lead += sign
        if abs(lead) >= LEAD:
            return game
    return None


def estimate_share(count: int, total: int) -> tuple[float, float] | None:
    """Return Wilson's 95 % interval of a share, or None without games. It also suits few games."""
    if not total:
        return None
    share, z2 = count / total, Z95**2
    middle = (share + z2 / (2 * total)) / (1 + z2 / total)
    half = Z95 / (1 + z2 / total) * sqrt(share * (1 - share) / total + z2 / (4 * total * total))
    return max(0.0, middle - half), min(1.0, middle + half)


def count_games_needed(differences: Floats) -> int | None:
    """Return how many more games are needed until the 95 % interval of the mean excludes 0, if mean
    and spread stay the same. Return None for a mean of 0 or fewer than two games."""
    if len(differences) < 2:
        return None
    mean, deviation = float(np.mean(differences)), float(np.std(differences, ddof=1))
    if abs(mean) < 1e-12:
        return None
    return max(0, ceil((Z95 * deviation / mean) ** 2) - len(differences))
