"""The scores of the study's people compared with perfect play, and whether luck explains them."""

from dataclasses import dataclass
from math import sqrt

from solver.exact.distribution import Distribution
from solver.statistics.chi_squared import ChiSquared, chi_squared
from solver.statistics.inference import Significance, z_test
from solver.study.published import HUMANS, Published, pad_shares, require_published

SMALL_LOSS = 5.0  # points per game; a player who loses no more is very good
HIGH = 320  # points; the lowest score of the last two groups in the study's appendix


@dataclass(frozen=True)
class StudyPeople:
    """The study's people compared with perfect play; their mean covers all games in the text."""

    published: Published
    perfect: Distribution

    @property
    def above(self) -> Significance:
        """The z-test of the people's mean score against that of perfect play."""
        return self.compare_with_losing(0.0)

    def compare_with_losing(self, points: float) -> Significance:
        """Test the people's mean against players who lose this many points per game (z-test)."""
        theirs, perfect = self.published, self.perfect
        test = z_test(theirs.mean, theirs.stated, perfect.mean - points, perfect.deviation)
        assert test is not None  # noqa: S101
        return test

    @property
    def error(self) -> float:
        """The standard error of perfect play's mean over as many games as the people played."""
        return self.perfect.deviation / sqrt(self.published.stated)

    @property
    def shape(self) -> ChiSquared:
        """The chi-squared test of the people's scores, in tens of points, against perfect play."""
        due = pad_shares(self.perfect.group_in_tens()) * self.published.games
        return chi_squared(self.published.counts.astype(float), due)

    @property
    def high(self) -> int:
        """The number of the people's games with at least ``HIGH`` points."""
        return int(self.published.counts[HIGH // 10 :].sum())

    @property
    def high_of_perfect(self) -> float:
        """The number of such games to expect if the people had played perfectly."""
        return float(self.perfect.probabilities[HIGH:].sum()) * self.published.games

    @property
    def typical_most(self) -> int:
        """The typical highest score of perfect play in as many games as the people played."""
        return self.perfect.find_typical_most(self.published.stated)

    @property
    def typical_least(self) -> int:
        return self.perfect.find_typical_least(self.published.stated)


def make_people(perfect: Distribution) -> StudyPeople:
    return StudyPeople(require_published(HUMANS), perfect)
