"""How good a player is, and how sure that is: Student's t on what the games of the player say.

Two estimates of the same thing, the average score over endless games:

    the mean of the scores        x +- t s / sqrt(n)
    V(start) - the mean regret    the same, of what mistakes cost in each game

A score is V(start) + luck - regret, and luck is 0 on average whatever anybody does, so the second
has the same centre as the first without the luck: its interval is narrower by the ratio of the
two standard deviations.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

from game.judgement.repetition import credit
from game.judgement.severity import Grade, grade
from solver.statistics.inference import Interval, less
from solver.statistics.student import t_quantile


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
    def interval(self) -> Interval | None:
        """Around the mean; a single value has none, and equal ones have one without a width."""
        if self.count < 2:
            return None
        degrees, error = self.count - 1, self.deviation / sqrt(self.count)
        half = t_quantile(degrees) * error
        return Interval(self.mean, self.mean - half, self.mean + half, error, degrees)


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
        return less(self.value_start, lost) if lost else None

    @property
    def narrower(self) -> float | None:
        """How many times as wide the interval of the mean score is."""
        if not self.raw or not self.skill or not self.skill.half:
            return None
        return self.raw.half / self.skill.half

    @property
    def games_for_raw(self) -> int | None:
        """About how many games scores alone would take to be as sure; None where they are surer."""
        surer = self.narrower is not None and self.narrower > 1
        return round(self.games * self.narrower**2) if self.narrower and surer else None

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


def accuracy(regrets: Sequence[float]) -> float:
    """Of decisions that were not forced: the mean of their credit, 1 where every one was best."""
    if not regrets:
        return 1.0
    return sum(credit(regret) for regret in regrets) / len(regrets)
