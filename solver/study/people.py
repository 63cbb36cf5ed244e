"""The study's people compared with perfect play, and how much of their lead luck would explain."""

from dataclasses import dataclass
from math import sqrt

from solver.exact.distribution import Distribution
from solver.statistics.chi_squared import ChiSquared, chi_squared
from solver.statistics.inference import Significance, z_test
from solver.study.published import HUMANS, Published, in_shares, published_of

SMALL_LOSS = 5.0  # points per game; a player who loses no more is very good
HIGH = 320  # points; the lowest score of the appendix's last two groups of ten


@dataclass(frozen=True)
class StudyPeople:
    """The study's people; their mean counts all games that the study's text mentions."""

    published: Published
    perfect: Distribution

    @property
    def above(self) -> Significance:
        """The people's lead over perfect play, in standard errors of the mean of their games."""
        return self.above_players_who_lose(0.0)

    def above_players_who_lose(self, points: float) -> Significance:
        """Return the people's lead over players who lose this many points per game."""
        theirs, perfect = self.published, self.perfect
        test = z_test(theirs.mean, theirs.stated, perfect.mean - points, perfect.deviation)
        assert test is not None  # noqa: S101
        return test

    @property
    def error(self) -> float:
        """The standard error of the mean of as many perfect games as the people played."""
        return self.perfect.deviation / sqrt(self.published.stated)

    @property
    def shape(self) -> ChiSquared:
        """The test whether perfect play could give the people's counts per ten points."""
        due = in_shares(self.perfect.in_tens()) * self.published.games
        return chi_squared(self.published.counts.astype(float), due)

    @property
    def high(self) -> int:
        """The number of the people's games with at least ``HIGH`` points."""
        return int(self.published.counts[HIGH // 10 :].sum())

    @property
    def high_of_perfect(self) -> float:
        """The expected number of games with at least ``HIGH`` points in as many perfect games."""
        return float(self.perfect.probabilities[HIGH:].sum()) * self.published.games

    @property
    def typical_most(self) -> int:
        """The typical highest score of as many perfect games as the people played."""
        return self.perfect.typical_most(self.published.stated)

    @property
    def typical_least(self) -> int:
        return self.perfect.typical_least(self.published.stated)


def people(perfect: Distribution) -> StudyPeople:
    return StudyPeople(published_of(HUMANS), perfect)
