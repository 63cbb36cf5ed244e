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
from dataclasses import dataclass, field
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
BLOCK = 1 << 22  # labels that are summed at once


@dataclass(frozen=True)
class LabelTest:
    """A test of every further arm against the first; ``lots`` are the labels of a permutation (a
    row, the true ones first). Sums of y(d) and of its squares are polynomials in d, so an effect is
    tried on all permutations at once."""

    lots: npt.NDArray[np.int8]
    unexplained: Floats
    halves: Sequence[Floats]
    estimates: Sequence[float]
    direction: str = EITHER
    _sums: dict[int, Floats] = field(default_factory=dict)

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
            permuted_labels(tuple(labels.tolist()), seed, draws),
            values - design @ worth,
            [_less((dummies[:, at] - first) / 2, known) for at in range(arms - 1)],
            [float(one) for one in worth[known.shape[1] :]],
            direction,
        )

    def p(self, pair: int, effect: float = 0.0) -> float:
        """Return how often the labels alone give as large a statistic, were this the effect."""
        means, errors = self._moments(pair, self.estimates[pair] - effect)
        found = (means[1:] - means[0]) / np.maximum(np.sqrt(errors[1:] + errors[0]), TIE)
        sizes = np.abs(found) if self.direction == EITHER else SIGNS[self.direction] * found
        own = float(sizes[pair, 0])
        return float(np.mean(sizes.max(0) >= own - TIE * max(1.0, abs(own))))

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
        variance = float(self._moments(pair, 0.0)[1][[0, pair + 1], 0].sum())
        far = near + 2 * way * max(variance**0.5, TIE)
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

    def _moments(self, pair: int, beyond: float) -> tuple[Floats, Floats]:
        """Return the arms' means of r + beyond z, and the variances of these, by permutation."""
        r, z, rr, rz, zz = self._of_pair(pair)
        people = np.bincount(self.lots[0]).astype(float)[:, None]
        sums, squares = r + beyond * z, rr + 2 * beyond * rz + beyond**2 * zz
        variances = np.maximum(squares - sums**2 / people, 0.0) / (people - 1) / people
        return sums / people, variances

    def _of_pair(self, pair: int) -> Floats:
        if pair not in self._sums:
            r, z = self.unexplained, self.halves[pair]
            columns, arms = np.column_stack((r, z, r * r, r * z, z * z)), len(self.estimates) + 1
            rows = max(1, BLOCK // len(r))
            parts = [
                [(self.lots[at : at + rows] == arm).astype(float) @ columns for arm in range(arms)]
                for at in range(0, len(self.lots), rows)
            ]
            self._sums[pair] = np.moveaxis(np.concatenate(parts, axis=1), 2, 0)
        return self._sums[pair]


@lru_cache(maxsize=4)
def permuted_labels(labels: tuple[int, ...], seed: int, draws: int) -> npt.NDArray[np.int8]:
    rng = np.random.RandomState(seed)  # whose stream never changes
    return np.array([labels, *(rng.permutation(labels) for _draw in range(draws))], np.int8)


def _less(values: Floats, known: Floats) -> Floats:
    found: Floats = values - known @ np.linalg.lstsq(known, values, rcond=None)[0]
    return found
