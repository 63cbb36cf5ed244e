"""The randomisation test: chance is the lot that gave people their arms, and nothing else.

Whatever people are like, had an arm no effect, everybody's values would be what they are, and only
the lot could have put the good ones into one arm. So the lots that might have been drawn, within
the blocks in which they were drawn, tell how often chance alone gives as large a difference. Taking
an effect d off the treated and asking whether d explains the rest gives the range: all d that the
test does not reject.

The statistic t of two arms is the difference of their means over its own (Welch's) error, so that
arms that spread differently, or that only people on average answer to, do not mislead it. Of
several pairs of arms that are asked about together, the largest t of every lot is what each of them
is held against (max-t): one draw of lots, one p for each pair that allows for all of them, and
ranges that hold all truths at once as often as they say. An effect d of a pair is tried with all
other arms half way between its two:

    y(d) = r + (b - d) z        p(d) = share of lots whose largest t is at least the pair's own

where b is the pair's difference by least squares, r what all arms and covariates leave unexplained,
and z is 1/2 in the one arm and -1/2 in the other, less what the covariates explain of it.

Student's t for one difference: its p, its range, one-sided or not, from one error.

Of two arms the error is Welch's, of what covariates leave; each of them costs a degree of freedom.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from math import factorial, prod
from typing import Any

import numpy as np
import numpy.typing as npt

from solver.statistics.adjusted import (
    Adjusted,
    Pair,
    spread_of_mean,
    with_constant,
)
from solver.statistics.chi_squared import Floats
from solver.statistics.inference import Interval, around
from solver.statistics.student import LEVEL, t_p, t_quantile

Labels = npt.NDArray[Any]  # of arms, by their numbers, or of the treated
ALPHA = 1 - LEVEL
TWO_SIDED, GREATER, LESS = 0, 1, -1

MOST_LISTED = 5_000  # lots that are all gone through; of more, so many are drawn
HALVINGS = 30
DOUBLINGS = 12
TIE = 1e-9


@dataclass(frozen=True, slots=True)
class Randomised:
    """``p`` of no difference; no range where too few lots were possible to reject anything.

    ``listed``: all lots were gone through, so that nothing about it is drawn by chance.
    """

    difference: float
    p: float
    low: float | None
    high: float | None
    lots: int
    listed: bool

    def __contains__(self, value: float) -> bool:
        """Return whether an effect lies inside; the ends are the first effects that the test
        rejects."""
        return self.low is not None and self.high is not None and self.low < value < self.high


def randomised(
    values: Floats,
    treated: npt.NDArray[np.bool_],
    blocks: Sequence[str],
    covariates: Floats | None = None,
    draws: int = MOST_LISTED - 1,
    seed: int = 0,
) -> Randomised | None:
    """Return the effect on the treated, adjusted for what was known before (a column each)."""
    test = LotTest.of(values, treated.astype(int), blocks, [(1, 0)], covariates, draws, seed)
    return test.randomised(0) if test else None


def drawn_lots(labels: Labels, blocks: Sequence[str], draws: int, seed: int) -> tuple[Labels, bool]:
    """Return possible allocations, one per row with the true one first; and whether these are
    all."""
    places = _places(blocks)
    if prod(_ways(labels[place]) for place in places) <= min(MOST_LISTED, draws + 1):
        others = [lot for lot in _every_lot(labels, places) if (lot != labels).any()]
        return np.array([labels, *others]), True
    rng = np.random.default_rng(seed)
    lots = np.tile(labels, (draws + 1, 1))
    for place in places:
        lots[1:, place] = rng.permuted(lots[1:, place], axis=1)
    return lots, False


def _places(blocks: Sequence[str]) -> list[npt.NDArray[np.intp]]:
    names = np.array(blocks)
    return [np.flatnonzero(names == name) for name in dict.fromkeys(blocks)]


def _ways(labels: Labels) -> int:
    _arms, counts = np.unique(labels, return_counts=True)
    return factorial(len(labels)) // prod(factorial(int(count)) for count in counts)


def _every_lot(labels: Labels, places: Sequence[npt.NDArray[np.intp]]) -> Iterator[Labels]:
    of_blocks = [list(_arrangements(sorted(labels[place].tolist()))) for place in places]
    for lot in product(*of_blocks):
        found = np.empty_like(labels)
        for place, arranged in zip(places, lot, strict=True):
            found[place] = arranged
        yield found


def _arrangements(labels: Sequence[int]) -> Iterator[list[int]]:
    """Each once, however many labels are the same."""
    if not labels:
        yield []
    for label in dict.fromkeys(labels):
        rest = list(labels)
        rest.remove(label)
        for others in _arrangements(rest):
            yield [label, *others]


@dataclass(frozen=True)
class LotTest:
    """A test of pairs of arms that are asked about together; one pair alone is an ordinary test.

    The sums of y(d) and of its squares, by lot and arm, are polynomials in d, so that a d is tried
    on all lots at once.
    """

    lots: npt.NDArray[np.int64]
    listed: bool
    pairs: Sequence[Pair]
    fit: Adjusted
    _sums: dict[tuple[int, int], Floats] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        values: Floats,
        labels: npt.NDArray[np.int64],
        blocks: Sequence[str],
        pairs: Sequence[Pair],
        covariates: Floats | None = None,
        draws: int = MOST_LISTED - 1,
        seed: int = 0,
    ) -> "LotTest | None":
        """Arms are numbers from 0. None where they, the lot or the values tell nothing."""
        if len(labels) == 0 or np.bincount(labels).min() < 2:
            return None
        known = with_constant(len(labels), covariates)
        fit = Adjusted.of(values, labels, pairs, known)
        lots, listed = drawn_lots(labels, blocks, draws, seed)
        if fit is None or len(lots) < 2:
            return None
        return cls(np.asarray(lots), listed, pairs, fit)

    @property
    def estimates(self) -> Sequence[float]:
        return self.fit.estimates

    def randomised(self, pair: int) -> Randomised:
        low, high = self.ends(pair)
        whole = low is not None and high is not None
        ends = (low, high) if whole else (None, None)
        return Randomised(self.estimates[pair], self.p(pair), *ends, len(self.lots), self.listed)

    def p(self, pair: int, effect: float = 0.0, side: int = TWO_SIDED) -> float:
        """Return how often an allocation gives as large a difference, if this were the effect.
        ``side``: the alternative is greater, less or either."""
        own = self._sizes(pair, effect, pair, side)[0]
        largest = np.max([self._sizes(pair, effect, of, side) for of in range(len(self.pairs))], 0)
        return float(np.mean(largest >= own - TIE * max(1.0, abs(own))))

    def ends(
        self, pair: int, alpha: float = ALPHA, side: int = TWO_SIDED
    ) -> tuple[float | None, float | None]:
        """Return the first effects on both sides that are rejected; None where none is, or none
        asked."""
        low = None if side == LESS else self._end(pair, -1, alpha, side)
        high = None if side == GREATER else self._end(pair, 1, alpha, side)
        return low, high

    def _end(self, pair: int, way: int, alpha: float, side: int) -> float | None:
        """Search an end, away from the estimate. Zero is tried if it lies on the way, so that the
        range holds it exactly if the test does not reject it."""
        estimate, near = self.estimates[pair], self.estimates[pair]
        if estimate * way < 0 and self.p(pair, 0.0, side) <= alpha:
            return self._between(pair, near, 0.0, alpha, side)
        far = near + 2 * way * self._error(pair)
        for _doubling in range(DOUBLINGS):
            if self.p(pair, far, side) <= alpha:
                return self._between(pair, near, far, alpha, side)
            near, far = far, far + (far - estimate)
        return None

    def _between(self, pair: int, near: float, far: float, alpha: float, side: int) -> float:
        for _halving in range(HALVINGS):
            middle = (near + far) / 2
            rejected = self.p(pair, middle, side) <= alpha
            near, far = (near, middle) if rejected else (middle, far)
        return far

    def _error(self, pair: int) -> float:
        """About how sure the estimate is; where the search for an end begins."""
        one, other = self.pairs[pair]
        spread = sum(
            float(spread_of_mean(*self._moments(pair, 0.0, arm))[0]) for arm in (one, other)
        )
        apart, lot = self.fit.apart[pair], self.lots[0]
        shift = apart[lot == one].mean() - apart[lot == other].mean()  # by an effect of 1
        return float(abs(max(spread, 0.0) ** 0.5 / shift)) or TIE

    def _sizes(self, pair: int, effect: float, of: int, side: int) -> Floats:
        """Return the t of ``of`` in every lot, were this the effect of ``pair``."""
        beyond = self.estimates[pair] - effect
        (one, squares, n), (other, rest, m) = (
            self._moments(pair, beyond, arm) for arm in self.pairs[of]
        )
        error = np.sqrt(
            np.maximum(spread_of_mean(one, squares, n) + spread_of_mean(other, rest, m), 0.0)
        )
        found: Floats = (one / n - other / m) / np.maximum(error, TIE)
        return np.abs(found) if side == TWO_SIDED else side * found

    def _moments(self, pair: int, beyond: float, arm: int) -> tuple[Floats, Floats, int]:
        """Return the sum and the squares of an arm's values in every lot, and of how many
        people."""
        y, yy, z, yz, zz = self._of_arm(pair, arm)
        sums, squares = y + beyond * z, yy + 2 * beyond * yz + beyond**2 * zz
        return sums, squares, int((self.lots[0] == arm).sum())

    def _of_arm(self, pair: int, arm: int) -> Floats:
        if (pair, arm) not in self._sums:
            y, z = self.fit.left, self.fit.apart[pair]
            columns = np.column_stack((y, y * y, z, y * z, z * z))
            self._sums[pair, arm] = ((self.lots == arm).astype(float) @ columns).T
        return self._sums[pair, arm]


@dataclass(frozen=True, slots=True)
class StudentTest:
    """The test of one pair of arms, whose place is 0."""

    estimate: float
    error: float
    degrees: float

    @classmethod
    def of(cls, found: Interval | None) -> "StudentTest | None":
        return cls(found.mean, found.error, found.degrees) if found else None

    @property
    def estimates(self) -> Sequence[float]:
        return (self.estimate,)

    def p(self, pair: int, effect: float = 0.0, side: int = TWO_SIDED) -> float:
        t = (self.estimate - effect) / self.error
        both = t_p(t, self.degrees)
        if side == TWO_SIDED:
            return both
        return both / 2 if side * t > 0 else 1 - both / 2

    def ends(
        self, pair: int, alpha: float = ALPHA, side: int = TWO_SIDED
    ) -> tuple[float | None, float | None]:
        within = 1 - (alpha if side == TWO_SIDED else 2 * alpha)
        half = t_quantile(self.degrees, within) * self.error
        low = None if side == LESS else self.estimate - half
        high = None if side == GREATER else self.estimate + half
        return low, high


def welch_test(
    values: Floats, labels: npt.NDArray[np.int64], pair: Pair, covariates: Floats | None
) -> StudentTest | None:
    """Return Welch's test; None if values or covariates do not vary."""
    known = with_constant(len(values), covariates)
    fit = Adjusted.of(values, labels, [pair], known)
    spare = len(values) - 1 - known.shape[1]
    if fit is None or spare < 1:
        return None
    one, other = (labels == arm for arm in pair)
    # Less than 1 by what the covariates know of the arms, which takes as much off the spread of y.
    shift = float(fit.apart[0][one].mean() - fit.apart[0][other].mean())
    lost = (len(values) - 2) / spare  # by what the covariates took
    parts = [
        lost * float(fit.left[of] @ fit.left[of]) / (of.sum() - 1) / of.sum() for of in (one, other)
    ]
    variance = sum(parts)
    doubt = sum(part**2 / (of.sum() - 1) for part, of in zip(parts, (one, other), strict=True))
    if doubt <= 0:
        return None
    degrees = float(variance**2 / doubt) - known.shape[1] + 1
    return StudentTest.of(around(fit.estimates[0], variance / abs(shift), degrees))
