"""The study's people beside perfect play, and how much of their lead luck would have to explain."""

from dataclasses import dataclass
from math import sqrt

from solver.exact.distribution import Distribution
from solver.statistics.chi_squared import ChiSquared, chi_squared
from solver.statistics.inference import Significance, z_test
from solver.study.published import HUMANS, Published, in_shares, published_of

SMALL_LOSS = 5.0  # points a game: a player who loses no more to mistakes is a very good one
HIGH = 320  # from this score on, the last two tens of the appendix


@dataclass(frozen=True)
class StudyPeople:
    """Their mean counts as one of all the games that the text speaks of."""

    published: Published
    perfect: Distribution

    @property
    def above(self) -> Significance:
        """In standard errors of the mean of so many perfect games."""
        return self.above_players_who_lose(0.0)

    def above_players_who_lose(self, points: float) -> Significance:
        """Return the same for players whose mistakes cost them this much a game."""
        theirs, perfect = self.published, self.perfect
        test = z_test(theirs.mean, theirs.stated, perfect.mean - points, perfect.deviation)
        assert test is not None  # noqa: S101
        return test

    @property
    def error(self) -> float:
        """The standard error of the mean of so many perfect games."""
        return self.perfect.deviation / sqrt(self.published.stated)

    @property
    def shape(self) -> ChiSquared:
        """Whether the games in tens could be perfect play's."""
        due = in_shares(self.perfect.in_tens()) * self.published.games
        return chi_squared(self.published.counts.astype(float), due)

    @property
    def high(self) -> int:
        """Games of so many points as perfect play seldom has."""
        return int(self.published.counts[HIGH // 10 :].sum())

    @property
    def high_of_perfect(self) -> float:
        """The number of high scores among as many perfect games."""
        return float(self.perfect.probabilities[HIGH:].sum()) * self.published.games

    @property
    def typical_most(self) -> int:
        """The largest score of as many perfect games."""
        return self.perfect.typical_most(self.published.stated)

    @property
    def typical_least(self) -> int:
        return self.perfect.typical_least(self.published.stated)


def people(perfect: Distribution) -> StudyPeople:
    return StudyPeople(published_of(HUMANS), perfect)
