"""Student's t and the normal distribution: two-sided probabilities, and quantiles."""

from collections.abc import Mapping
from functools import lru_cache
from math import erfc, exp, lgamma, log, log1p, pi, sqrt, tan
from typing import TypeVar

Key = TypeVar("Key")

LEVEL = 0.95
PRECISION = 1e-15


def z_to_p(z: float) -> float:
    """Return P(|Z| >= |z|)."""
    return erfc(abs(z) / sqrt(2))


def t_to_p(t: float, degrees: float) -> float:
    """Return P(|T| >= |t|); the degrees of freedom need not be a whole number."""
    total = degrees + t * t
    return regularised_beta(degrees / 2, 0.5, degrees / total, t * t / total)


def t_to_level(t: float, degrees: float) -> float:
    """Return P(|T| <= |t|)."""
    total = degrees + t * t
    return regularised_beta(0.5, degrees / 2, t * t / total, degrees / total)


@lru_cache(maxsize=512)
def t_quantile(degrees: float, level: float = LEVEL) -> float:
    """Return the t with P(|T| <= t) = ``level``, by bisection of its angle (0 to 90 degrees)."""
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
    return exp(front) / a / _calculate_fraction(a, b, x)


def _calculate_log(x: float, complement: float) -> float:
    return log1p(-complement) if complement < 0.5 else log(x)


def _calculate_fraction(a: float, b: float, x: float) -> float:
    """Return 1 + d1 / (1 + d2 / (1 + ...)), by Lentz's method."""
    value, c, d = 1.0, 1.0, 0.0
    change, n = 0.0, 0
    while abs(change - 1) > PRECISION:
        n += 1
        part = x * _calculate_part(a, b, n)
        d = 1 / (1 + part * d)
        c = 1 + part / c
        change = c * d
        value *= change
    return value


def _calculate_part(a: float, b: float, n: int) -> float:
    m, odd = divmod(n, 2)
    if odd:
        return -(a + m) * (a + b + m) / ((a + n - 1) * (a + n))
    return m * (b - m) / ((a + n - 1) * (a + n))


def adjust_by_holm(alone: Mapping[Key, float]) -> dict[Key, float]:
    adjusted, least = dict[Key, float](), 0.0
    for rank, (key, p) in enumerate(sorted(alone.items(), key=lambda item: item[1])):
        least = max(least, min(1.0, p * (len(alone) - rank)))
        adjusted[key] = least
    return adjusted
