"""Statistics in plain Python: Student's t, and intervals.

A range is a dictionary of its mean, its ends (95 %), its standard error and degrees of freedom, and
None where there is too little to make one of.
"""

from math import erfc, exp, lgamma, log, log1p, pi, sqrt, tan
from statistics import fmean, variance

NOTHING = 1e-12  # a relative error that is only rounding
PRECISION = 1e-15
Z95 = 1.959963984540054
Range = dict[str, float]


def normal_p(z: float) -> float:
    """P(|Z| >= |z|)."""
    return erfc(abs(z) / sqrt(2))


def t_p(t: float, degrees: float) -> float:
    """P(|T| >= |t|)."""
    total = degrees + t * t
    return _beta(degrees / 2, 0.5, degrees / total, t * t / total)


def t_quantile(degrees: float) -> float:
    """Return the t with P(|T| <= t) = 0.95, by halving its angle."""
    low, high = 0.0, pi / 2
    while high - low > PRECISION * high:
        middle = (low + high) / 2
        t = sqrt(degrees) * tan(middle)
        total = degrees + t * t
        below = _beta(0.5, degrees / 2, t * t / total, degrees / total) < 0.95
        low, high = (middle, high) if below else (low, middle)
    return sqrt(degrees) * tan(low)


def chi_squared_p(x: float) -> float:
    """P(X >= x) for five degrees of freedom."""
    return erfc(sqrt(x / 2)) + sqrt(2 * x / pi) * exp(-x / 2) * (1 + x / 3)


def wilson(count: int, total: int) -> "list[float] | None":
    """Return the 95 % range of a share."""
    if not 0 <= count <= total or not total:
        return None
    share, z2 = count / total, Z95**2
    middle = (share + z2 / (2 * total)) / (1 + z2 / total)
    half = Z95 / (1 + z2 / total) * sqrt(share * (1 - share) / total + z2 / (4 * total * total))
    return [max(0.0, middle - half), min(1.0, middle + half)]


def around(mean: float, square: float, degrees: float) -> "Range | None":
    """Return the interval from the variance of a mean."""
    error = sqrt(max(0.0, square))
    if degrees <= 0 or error <= NOTHING * max(1.0, abs(mean)):
        return None
    half = t_quantile(degrees) * error
    ends = {"low": mean - half, "high": mean + half}
    return {"mean": mean, **ends, "error": error, "degrees": degrees}


def interval(values: "list[float]") -> "Range | None":
    """Return the interval of the mean of independent values, or None."""
    if len(values) < 2:
        return None
    return around(fmean(values), variance(values) / len(values), len(values) - 1)


def less(start: float, found: "Range | None") -> "Range | None":
    if found is None:
        return None
    ends = {"low": start - found["high"], "high": start - found["low"]}
    return found | {"mean": start - found["mean"], **ends}


def t_test(found: "Range | None") -> "Range | None":
    """Test against 0."""
    if found is None:
        return None
    t = found["mean"] / found["error"]
    return {"statistic": t, "p": t_p(t, found["degrees"]), "degrees": found["degrees"]}


def stratified(groups: "list[list[float]]", *, each: bool = False) -> "Range | None":
    """Return the mean of all games of these people, or with ``each`` of their means.

    Degrees of freedom after Welch and Satterthwaite. Anyone who has a single game is taken to vary
    as the others do together.
    """
    people = [group for group in groups if group]
    total = sum(map(len, people))
    spare = total - len(people)
    if not spare:
        return None
    shared = sum(_squares(of) for of in people) / spare
    parts, mean = [], 0.0
    for of in people:
        weight = 1 / len(people) if each else len(of) / total
        own, degrees = (variance(of), len(of) - 1) if len(of) > 1 else (shared, spare)
        parts.append((weight**2 * own / len(of), degrees))
        mean += weight * fmean(of)
    square = sum(part for part, _degrees in parts)
    doubt = sum(part**2 / degrees for part, degrees in parts)
    return around(mean, square, square**2 / doubt) if doubt > 0 else None


def slope(groups: "list[dict[int, float]]") -> "Range | None":
    """From one game to the next, everybody at a level of their own, all lines parallel."""
    xs, ys, people = [], [], 0
    for group in (one for one in groups if one):
        middle, level = fmean(group), fmean(group.values())
        xs += [number - middle for number in group]
        ys += [value - level for value in group.values()]
        people += 1
    across, degrees = sum(x * x for x in xs), len(xs) - people - 1
    if degrees < 1 or across <= NOTHING:
        return None
    steep = sum(x * y for x, y in zip(xs, ys, strict=True)) / across
    left = sum((y - steep * x) ** 2 for x, y in zip(xs, ys, strict=True))
    return around(steep, left / degrees / across, degrees)


def _squares(values: "list[float]") -> float:
    mean = fmean(values)
    return sum((value - mean) ** 2 for value in values)


def _beta(a: float, b: float, x: float, rest: float) -> float:
    """Return the incomplete beta function I_x(a, b); ``rest`` is 1 - x."""
    if x <= 0 or rest <= 0:
        return 0.0 if x <= 0 else 1.0
    if x > (a + 1) / (a + b + 2):
        return 1.0 - _beta(b, a, rest, x)
    front = a * _log(x, rest) + b * _log(rest, x) + lgamma(a + b) - lgamma(a) - lgamma(b)
    return exp(front) / a / _fraction(a, b, x)


def _log(x: float, rest: float) -> float:
    return log1p(-rest) if rest < 0.5 else log(x)


def _fraction(a: float, b: float, x: float) -> float:
    """1 + d1 / (1 + d2 / (1 + ...)), by Lentz's method."""
    value, c, d, change, n = 1.0, 1.0, 0.0, 0.0, 0
    while abs(change - 1) > PRECISION:
        n += 1
        m, odd = divmod(n, 2)
        top = -(a + m) * (a + b + m) if odd else m * (b - m)
        part = x * top / ((a + n - 1) * (a + n))
        d, c = 1 / (1 + part * d), 1 + part / c
        change = c * d
        value *= change
    return value
