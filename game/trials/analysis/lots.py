"""The permutation test: chance is which of the analysed people got which arm.

If the arms do nothing, everybody's value stays what it is and only the labels could have fallen
otherwise. So the labels change places freely among the people who are analysed, while every arm
keeps its number of people. The blocks of the allocation list serve the drawing alone: within blocks
the test would lose its power wherever people are left out.

An effect d of a further arm k on top of the first is tried on

    y(d) = r + (b - d) z

where b is the arm's difference by least squares, r is what all arms and the games before leave
unexplained, and z is 1/2 in arm k and -1/2 in the first, less what the games before explain of it.
The statistic is the difference of two means over Welch's error. With several further arms, the
largest statistic of every permutation is what each of them is compared with (max-t), so p and the
intervals allow for all of them together. The interval holds every d that the test does not reject.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from solver.statistics.chi_squared import Floats

Labels = npt.NDArray[np.int64]
EITHER, MORE, LESS = "either", "more", "less"
SIGNS = {MORE: 1.0, LESS: -1.0}
DRAWS = 4_999
HALVINGS = 30
DOUBLINGS = 12
TIE = 1e-9


@dataclass(frozen=True)
class LabelTest:
    """A test of every further arm against the first; ``members`` are 1 where a permutation (a row,
    the true labels first) puts a person into the arm."""

    members: Sequence[Floats]
    unexplained: Floats
    halves: Sequence[Floats]
    estimates: Sequence[float]
    direction: str = EITHER

    @classmethod
    def of(
        cls,
        values: Floats,
        labels: Labels,
        before: Floats | None,
        *,
        seed: int,
        draws: int = DRAWS,
        direction: str = EITHER,
    ) -> "LabelTest | None":
        """Make the test; None if the values or the games before leave nothing to compare."""
        people, arms = len(values), int(labels.max()) + 1
        known = (
            np.ones((people, 1)) if before is None else np.column_stack((np.ones(people), before))
        )
        dummies = (labels[:, None] == np.arange(1, arms)).astype(float)
        design = np.column_stack((known, dummies))
        if np.linalg.matrix_rank(design) < design.shape[1] or np.ptp(_less(values, known)) < TIE:
            return None
        worth = np.linalg.lstsq(design, values, rcond=None)[0]
        first = (labels == 0).astype(float)
        return cls(
            permuted_members(tuple(labels.tolist()), seed, draws),
            values - design @ worth,
            [_less((dummies[:, at] - first) / 2, known) for at in range(arms - 1)],
            [float(one) for one in worth[known.shape[1] :]],
            direction,
        )

    def p(self, pair: int, effect: float = 0.0) -> float:
        """Return how often the labels alone give as large a statistic, were this the effect."""
        sizes = [self._statistics(pair, effect, arm) for arm in range(1, len(self.members))]
        own = float(sizes[pair][0])
        return float(np.mean(np.max(sizes, 0) >= own - TIE * max(1.0, abs(own))))

    def ends(self, pair: int, alpha: float) -> tuple[float | None, float | None]:
        """Return the first effects on both sides that the test rejects; None for an open end."""
        low = None if self.direction == LESS else self._end(pair, -1, alpha)
        return low, None if self.direction == MORE else self._end(pair, 1, alpha)

    def _end(self, pair: int, way: int, alpha: float) -> float | None:
        """Search outwards. Zero is tried if it is on the way, so that the interval holds it exactly
        if the test does not reject it."""
        estimate = near = self.estimates[pair]
        if estimate * way < 0 and self.p(pair) <= alpha:
            return self._between(pair, near, 0.0, alpha)
        values = self.unexplained
        spread = sum(
            _variance_of_mean(one[:1], values)[0]
            for one in (self.members[0], self.members[pair + 1])
        )
        far = near + 2 * way * max(float(spread) ** 0.5, TIE)
        for _doubling in range(DOUBLINGS):
            if self.p(pair, far) <= alpha:
                return self._between(pair, near, far, alpha)
            near, far = far, far + (far - estimate)
        return None

    def _between(self, pair: int, near: float, far: float, alpha: float) -> float:
        for _halving in range(HALVINGS):
            middle = (near + far) / 2
            rejected = self.p(pair, middle) <= alpha
            near, far = (near, middle) if rejected else (middle, far)
        return far

    def _statistics(self, pair: int, effect: float, arm: int) -> Floats:
        values = self.unexplained + (self.estimates[pair] - effect) * self.halves[pair]
        one, other = self.members[arm], self.members[0]
        error = _variance_of_mean(one, values) + _variance_of_mean(other, values)
        means = one @ values / one[0].sum() - other @ values / other[0].sum()
        found: Floats = means / np.maximum(np.sqrt(error), TIE)
        return np.abs(found) if self.direction == EITHER else SIGNS[self.direction] * found


@lru_cache(maxsize=4)
def permuted_members(labels: tuple[int, ...], seed: int, draws: int) -> Sequence[Floats]:
    """Return for every arm who is in it: a row a permutation, the true labels first."""
    rng = np.random.RandomState(seed)  # whose stream never changes
    lots = np.array([labels, *(rng.permutation(labels) for _draw in range(draws))])
    return [(lots == arm).astype(float) for arm in range(max(labels) + 1)]


def _less(values: Floats, known: Floats) -> Floats:
    found: Floats = values - known @ np.linalg.lstsq(known, values, rcond=None)[0]
    return found


def _variance_of_mean(members: Floats, values: Floats) -> Floats:
    people = members[0].sum()
    squares = members @ values**2 - (members @ values) ** 2 / people
    found: Floats = np.maximum(squares, 0.0) / (people - 1) / people
    return found
