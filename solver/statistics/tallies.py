"""Counts over simulated trials, and how sure they are.

A tally is three sums. Whatever goes on from one that was stored comes to the same sums as one that
was never interrupted, for values are added in the same order.
"""

from dataclasses import dataclass
from math import sqrt

from solver.statistics.shares import Z95

MORE = 4  # trials, half of them with a find: so that none of few, and all of few, are not certain


@dataclass(frozen=True, slots=True)
class TrialTally:
    """``total`` and ``square`` are the sums of values and of their squares."""

    count: int = 0
    total: float = 0.0
    square: float = 0.0

    def plus(self, value: float | None) -> "TrialTally":
        """Add the value of a trial; one that says nothing adds none."""
        if value is None:
            return self
        return TrialTally(self.count + 1, self.total + value, self.square + value * value)

    @property
    def mean(self) -> float | None:
        return self.total / self.count if self.count else None

    @property
    def margin(self) -> float | None:
        """Half of a 95 % range of the mean."""
        if self.count < 2:
            return None
        spread = self.square - self.total * self.total / self.count
        return Z95 * sqrt(max(0.0, spread) / (self.count - 1) / self.count)

    @property
    def share_margin(self) -> float:
        """The same where every value is a share, after Agresti and Coull."""
        count = self.count + MORE
        share = (self.total + MORE / 2) / count
        return Z95 * sqrt(max(0.0, share * (1 - share)) / count)
