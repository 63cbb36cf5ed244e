"""A player's skill and how sure it is: Student's t on the player's games.

Two estimates of the same thing, the average score over endless games:

    the mean of the scores        x +- t s / sqrt(n)
    V(start) - the mean regret    the same, of what mistakes cost in each game

A score is V(start) + luck - regret, and luck is 0 on average whatever anybody does, so the second
has the same centre as the first without the luck: its interval is narrower by the ratio of the
two standard deviations.
"""

from dataclasses import dataclass
from math import sqrt

from game.core.worth.repetition import credit
from game.core.worth.severity import FLAWLESS, Grade, decisions_of, erring_grade
from solver.advice import is_mistake
from solver.rules import Ruleset
from solver.statistics.inference import Interval, less
from solver.statistics.student import t_quantile


@dataclass(frozen=True, slots=True)
class Moments:
    """Size, mean and mean of squares of a sample, as a database adds them up."""

    count: int
    mean: float
    square: float

    @property
    def deviation(self) -> float:
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


NONE = Moments(0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Skill:
    value_start: float
    scores: Moments
    regrets: Moments
    ratings: Moments  # points lost a decision, game by game
    rated: Moments = NONE  # points lost in those on dice that others play too

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
        regret = self.regrets.interval
        return less(self.value_start, regret) if regret else None

    @property
    def narrower(self) -> float | None:
        """The ratio of the interval of the mean score to this one."""
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
        return erring_grade(self.ratings.mean) if self._errs else FLAWLESS

    @property
    def grades(self) -> tuple[Grade, Grade] | None:
        """The best and the worst grade that the rating allows for; None where it is one."""
        rating = self.ratings.interval
        if rating is None or not self._errs:
            return None
        best, worst = erring_grade(rating.low), erring_grade(rating.high)
        return (best, worst) if best != worst else None

    @property
    def _errs(self) -> bool:
        return is_mistake(self.regrets.mean)


def accuracy(loss: float, rules: Ruleset) -> float:
    """Return the credit of what a game lost a decision: it falls with the points lost, whichever
    way they were lost, and is 1 of a game without a mistake and of no other."""
    return credit(loss / decisions_of(rules)) if is_mistake(loss) else 1.0
