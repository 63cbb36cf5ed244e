"""The permutation test of whether the arms have an effect on people.

If the arms have no effect, every person would have the same value in any other arm. The test
therefore permutes the arm labels among all analysed people, so each arm keeps its number of people.
The test ignores the blocks of the allocation list. Permuting only within blocks would lose power if
people are excluded.

To test whether arm k differs from the first arm by d, the test permutes the labels of the values

    y(d) = r + (b - d) z

where b is the least-squares estimate of the difference, r is the residual after arms and baseline
games, and z is 1/2 in arm k and -1/2 in the first arm, minus what the baseline games explain of it.
The statistic is the difference of two means divided by Welch's standard error. With three or more
arms, each statistic is compared with the largest statistic of every permutation (max-t). The
p-values and intervals therefore hold for all arms together. An interval contains every d that the
test does not reject.
"""

from collections.abc import Callable, Sequence
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
BLOCK = 1 << 22  # number of labels in one step of the summation, which limits the memory


@dataclass(frozen=True)
class LabelTest:
    """Permutation tests of each later arm against the first. ``lots[draw, person]`` is the index of
    the arm that a permutation assigns to a person; draw 0 has the true arms. The sums for y(d),
    defined in the module's docstring, are polynomials in d, so one pass over the data is enough."""

    lots: npt.NDArray[np.int8]
    unexplained: Floats
    halves: Sequence[Floats]
    estimates: Sequence[float]
    direction: str = EITHER
    _sums: dict[int, Floats] = field(default_factory=dict)

    @classmethod
    def prepare(
        cls,
        values: Floats,
        labels: Labels,
        before: Floats | None,
        *,
        seed: int,
        draws: int = DRAWS,
        direction: str = EITHER,
    ) -> "LabelTest | None":
        """Return the test. Return None if the baseline explains all values, or if all values within
        each arm are equal."""
        people, arms = len(values), int(labels.max()) + 1
        known = np.column_stack([np.ones(people), *([] if before is None else [before])])
        dummies = (labels[:, None] == np.arange(arms)).astype(float)
        design = np.column_stack((known, dummies[:, 1:]))
        if (
            np.linalg.matrix_rank(design) < design.shape[1]
            or np.ptp(_subtract_explained(values, known)) < TIE
        ):
            return None
        worth = np.linalg.lstsq(design, values, rcond=None)[0]
        halves = (dummies[:, 1:] - dummies[:, :1]).T / 2
        return cls(
            permute_labels(tuple(labels.tolist()), seed, draws),
            values - design @ worth,
            [_subtract_explained(half, known) for half in halves],
            worth[known.shape[1] :].tolist(),
            direction,
        )

    def calculate_p(self, pair: int, effect: float = 0.0) -> float:
        """Return the p-value of the hypothesis that the true difference is ``effect``."""
        means, errors = self._calculate_moments(pair, self.estimates[pair] - effect)
        statistics = (means[1:] - means[0]) / np.maximum(np.sqrt(errors[1:] + errors[0]), TIE)
        sizes = SIGNS[self.direction] * statistics if self.direction in SIGNS else abs(statistics)
        observed = float(sizes[pair, 0])
        return float(np.mean(sizes.max(0) >= observed - TIE * max(1.0, abs(observed))))

    def ends(self, pair: int, alpha: float) -> tuple[float | None, float | None]:
        """Return the lower and upper end of the (1 - ``alpha``) confidence interval. An end is None
        if a one-sided test does not have this end, or if the search does not find it."""
        low = None if self.direction == LESS else self._find_end(pair, -1, alpha)
        return low, None if self.direction == MORE else self._find_end(pair, 1, alpha)

    def _find_end(self, pair: int, way: int, alpha: float) -> float | None:
        """Search for the upper (``way`` is 1) or lower (-1) end of the interval. If zero lies in
        that direction, test zero first, so that the interval contains zero if and only if the test
        does not reject zero. Return None if there is no end."""
        estimate, first = self.estimates[pair], 0.0

        def is_rejected(effect: float) -> bool:
            return self.calculate_p(pair, effect) <= alpha

        if estimate * way >= 0 or not is_rejected(0.0):
            variance = float(self._calculate_moments(pair, 0.0)[1][[0, pair + 1], 0].sum())
            first = estimate + 2 * way * max(variance**0.5, TIE)
        return find_limit(is_rejected, estimate, first, doublings=DOUBLINGS, halvings=HALVINGS)

    def _calculate_moments(self, pair: int, beyond: float) -> tuple[Floats, Floats]:
        """Return the means of r + ``beyond`` z, which the module's docstring defines, and the
        variances of these means. Both arrays have a row per arm and a column per permutation."""
        if pair not in self._sums:
            r, z = self.unexplained, self.halves[pair]
            columns, arms = np.column_stack((r, z, r * r, r * z, z * z)), len(self.estimates) + 1
            rows = max(1, BLOCK // len(r))
            parts = [
                [(self.lots[at : at + rows] == arm).astype(float) @ columns for arm in range(arms)]
                for at in range(0, len(self.lots), rows)
            ]
            self._sums[pair] = np.moveaxis(np.concatenate(parts, axis=1), 2, 0)
        r, z, rr, rz, zz = self._sums[pair]
        people = np.bincount(self.lots[0]).astype(float)[:, None]
        sums, squares = r + beyond * z, rr + 2 * beyond * rz + beyond**2 * zz
        variances = np.maximum(squares - sums**2 / people, 0.0) / (people - 1) / people
        return sums / people, variances


def find_limit(
    is_beyond: Callable[[float], bool],
    start: float,
    first: float,
    *,
    doublings: int,
    halvings: int,
) -> float | None:
    """Search from ``start``, by doubling the step to ``first``, for a number that is beyond the
    limit, and halve the distance to the limit. Return None if the search finds no limit."""
    near, far = start, first
    for _doubling in range(doublings):
        if is_beyond(far):
            for _halving in range(halvings):
                middle = (near + far) / 2
                near, far = (near, middle) if is_beyond(middle) else (middle, far)
            return far
        near, far = far, far + (far - start)
    return None


@lru_cache(maxsize=4)
def permute_labels(labels: tuple[int, ...], seed: int, draws: int) -> npt.NDArray[np.int8]:
    rng = np.random.RandomState(seed)  # gives the same random numbers in every version of numpy
    return np.array([labels, *(rng.permutation(labels) for _draw in range(draws))], np.int8)


def _subtract_explained(values: Floats, known: Floats) -> Floats:
    residuals: Floats = values - known @ np.linalg.lstsq(known, values, rcond=None)[0]
    return residuals
