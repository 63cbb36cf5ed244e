"""How good a player is, and how sure that is: Student's t on what the games of the player say.

Two estimates of the same thing, the average score over endless games:

    the mean of the scores        x +- t s / sqrt(n)
    V(start) - the mean regret    the same, of what mistakes cost in each game

A score is V(start) + luck - regret, and luck is 0 on average whatever anybody does, so the second
has the same centre as the first without the luck: its interval is narrower by the ratio of the
two standard deviations.
"""

from dataclasses import dataclass
from functools import lru_cache
from math import atan, cos, pi, sin, sqrt, tan
from statistics import NormalDist

from game.coach.severity import Grade, grade

LEVEL = 0.95
EXACT = 200  # degrees of freedom up to which the quantile is not taken from its expansion


@dataclass(frozen=True, slots=True)
class Moments:
    """Of a sample: its size, its mean and the mean of its squares, as a database adds them up."""

    count: int
    mean: float
    square: float

    @property
    def deviation(self) -> float:
        """The sample standard deviation."""
        if self.count < 2:
            return 0.0
        return sqrt(max(0.0, self.square - self.mean**2) * self.count / (self.count - 1))

    @property
    def half(self) -> float:
        """Half the width of the interval around the mean; infinite for a single value."""
        if self.count < 2:
            return float("inf")
        return t_quantile(self.count - 1) * self.deviation / sqrt(self.count)

    @property
    def interval(self) -> "Interval | None":
        return Interval(self.mean, self.half) if self.count > 1 else None


@dataclass(frozen=True, slots=True)
class Interval:
    mean: float
    half: float

    @property
    def low(self) -> float:
        return self.mean - self.half

    @property
    def high(self) -> float:
        return self.mean + self.half

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high


@dataclass(frozen=True, slots=True)
class Skill:
    """Of games that were played without help."""

    value_start: float
    scores: Moments
    regrets: Moments
    ratings: Moments  # points lost per decision that was not forced, game by game

    @property
    def games(self) -> int:
        return self.scores.count

    @property
    def raw(self) -> Interval | None:
        return self.scores.interval

    @property
    def estimate(self) -> float:
        return self.value_start - self.regrets.mean

    @property
    def skill(self) -> Interval | None:
        lost = self.regrets.interval
        return Interval(self.estimate, lost.half) if lost else None

    @property
    def narrower(self) -> float | None:
        """How many times as wide the interval of the mean score is."""
        if not self.raw or not self.skill or not self.skill.half:
            return None
        return self.raw.half / self.skill.half

    @property
    def games_for_raw(self) -> int | None:
        """About how many games scores alone would take to be as sure."""
        return round(self.games * self.narrower**2) if self.narrower else None

    @property
    def grade(self) -> Grade:
        return grade(self.ratings.mean)

    @property
    def grades(self) -> tuple[Grade, Grade] | None:
        """The best and the worst grade that the rating allows for; None where it is one."""
        rating = self.ratings.interval
        if rating is None:
            return None
        best, worst = grade(max(0.0, rating.low)), grade(rating.high)
        return (best, worst) if best != worst else None


@lru_cache(maxsize=512)
def t_quantile(degrees: int, level: float = LEVEL) -> float:
    """t with P(|T| <= t) = ``level`` for Student's T with so many degrees of freedom."""
    if degrees > EXACT:
        return _expanded(degrees, NormalDist().inv_cdf((1 + level) / 2))
    low, high = 0.0, pi / 2
    while high - low > 1e-15:
        middle = (low + high) / 2
        below = _within(middle, degrees) < level
        low, high = (middle, high) if below else (low, middle)
    return sqrt(degrees) * tan(low)


def t_within(t: float, degrees: int) -> float:
    """P(|T| <= t)."""
    return _within(atan(t / sqrt(degrees)), degrees)


def _within(angle: float, degrees: int) -> float:
    """The finite series in the cosine of atan(t / sqrt(degrees)), which is exact.

    Abramowitz and Stegun, 26.7.3 for odd degrees of freedom, 26.7.4 for even ones.
    """
    odd = degrees % 2
    term = cos(angle) if odd else 1.0
    total = 0.0
    for factor in range(odd, degrees - 1, 2):
        total += term
        term *= (factor + 1) / (factor + 2) * cos(angle) ** 2
    if odd:
        return 2 / pi * (angle + sin(angle) * total)
    return sin(angle) * total


def _expanded(degrees: int, z: float) -> float:
    """The expansion around the normal quantile z; off by less than 1e-6 where it is used."""
    first = (z**3 + z) / 4
    second = (5 * z**5 + 16 * z**3 + 3 * z) / 96
    return z + first / degrees + second / degrees**2
