"""The randomisation test: chance is the lot that gave people their arms, and nothing else.

Whatever people are like, had an arm no effect, everybody's values would be what they are, and only
the lot could have put the good ones into one arm. So the lots that might have been drawn, within
the blocks in which they were drawn, tell how often chance alone gives as large a difference. Taking
an effect d off the treated and asking whether d explains the rest gives the range: all d that the
test does not reject.

The statistic is the difference of means over its own (Welch's) error, so that arms that spread
differently, or that only people on average answer to, do not mislead it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from math import comb, prod

import numpy as np
import numpy.typing as npt

from solver.statistics.chi_squared import Floats
from solver.statistics.student import LEVEL

Truths = npt.NDArray[np.bool_]

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
        return self.low is not None and self.high is not None and self.low <= value <= self.high


def randomised(
    values: Floats,
    treated: Truths,
    blocks: Sequence[str],
    covariates: Floats | None = None,
    draws: int = MOST_LISTED - 1,
    seed: int = 0,
) -> Randomised | None:
    """The effect on the treated, adjusted for what was known before (a column each)."""
    lots, listed = drawn_lots(treated, blocks, draws, seed)
    if len(lots) < 2:
        return None
    sums = _Sums.of(values, treated, lots, covariates)
    if sums is None:
        return None
    estimate, error = sums.estimate()
    ends = [_end(sums, estimate, side * error) for side in (-1, 1)]
    low, high = ends if None not in ends else (None, None)
    return Randomised(estimate, sums.p(0.0), low, high, len(lots), listed)


def drawn_lots(
    treated: Truths, blocks: Sequence[str], draws: int, seed: int
) -> tuple[Truths, bool]:
    """Who might have been treated, a row a lot, the true one first; and whether these are all."""
    places = _places(blocks)
    counts = [comb(len(place), int(treated[place].sum())) for place in places]
    if prod(counts) <= min(MOST_LISTED, draws + 1):
        others = [lot for lot in _every_lot(treated, places) if (lot != treated).any()]
        return np.array([treated, *others]), True
    rng = np.random.default_rng(seed)
    lots = np.tile(treated, (draws + 1, 1))
    for place in places:
        lots[1:, place] = rng.permuted(lots[1:, place], axis=1)
    return lots, False


def _places(blocks: Sequence[str]) -> list[npt.NDArray[np.intp]]:
    names = np.array(blocks)
    return [np.flatnonzero(names == name) for name in dict.fromkeys(blocks)]


def _every_lot(treated: Truths, places: Sequence[npt.NDArray[np.intp]]) -> Iterator[Truths]:
    chosen = (combinations(place, int(treated[place].sum())) for place in places)
    for lot in product(*chosen):
        found = np.zeros(len(treated), dtype=bool)
        found[[at for block in lot for at in block]] = True
        yield found


@dataclass(frozen=True, slots=True)
class _Sums:
    """Of values and of the treatment (both less what covariates explain), by every lot.

    With an effect d taken off, a value is y - d z: sums and squares of it are polynomials in d,
    so that every d is tried on all lots at once.
    """

    ones: int
    others: int
    y: Floats
    z: Floats
    yy: Floats
    yz: Floats
    zz: Floats
    totals: Floats

    @classmethod
    def of(
        cls, values: Floats, treated: Truths, lots: Truths, covariates: Floats | None
    ) -> "_Sums | None":
        y, z = _left(values, covariates), _left(treated.astype(float), covariates)
        ones = int(treated.sum())
        if min(ones, len(treated) - ones) < 2 or float(z @ z) < TIE or np.ptp(y) < TIE:
            return None
        columns = np.column_stack((y, z, y * y, y * z, z * z))
        by_y, by_z, by_yy, by_yz, by_zz = (lots.astype(float) @ columns).T
        totals = columns.sum(0)
        return cls(ones, len(treated) - ones, by_y, by_z, by_yy, by_yz, by_zz, totals)

    def estimate(self) -> tuple[float, float]:
        """The effect that leaves no difference, and about how sure it is."""
        difference, error = self._difference(0.0)
        shift = self._difference(1.0)[0][0] - difference[0]
        found = -difference[0] / shift
        return float(found), float(abs(error[0] / shift)) or TIE

    def p(self, effect: float) -> float:
        """How often a lot gives as large a difference, were this the effect."""
        difference, error = self._difference(effect)
        size = np.abs(difference) / np.maximum(error, TIE)
        return float(np.mean(size >= size[0] * (1 - TIE) - TIE))

    def _difference(self, d: float) -> tuple[Floats, Floats]:
        y, z, yy, yz, zz = self.totals
        sums, squares = self.y - d * self.z, self.yy - 2 * d * self.yz + d * d * self.zz
        rest, left = y - d * z - sums, yy - 2 * d * yz + d * d * zz - squares
        spread = _error(sums, squares, self.ones) + _error(rest, left, self.others)
        return sums / self.ones - rest / self.others, np.sqrt(np.maximum(spread, 0.0))


def _error(sums: Floats, squares: Floats, people: int) -> Floats:
    """The variance of a mean."""
    found: Floats = (squares - sums**2 / people) / (people - 1) / people
    return found


def _left(values: Floats, covariates: Floats | None) -> Floats:
    """What a constant and the covariates leave unexplained."""
    known = np.ones((len(values), 1))
    if covariates is not None and covariates.size:
        known = np.column_stack((known, covariates))
    found: Floats = values - known @ np.linalg.lstsq(known, values, rcond=None)[0]
    return found


def _end(sums: _Sums, estimate: float, step: float) -> float | None:
    """Where the test begins to reject, going away from the estimate; None if it never does."""
    near, far = estimate, estimate + 2 * step
    for _doubling in range(DOUBLINGS):
        if sums.p(far) <= 1 - LEVEL:
            break
        near, far = far, far + (far - estimate)
    else:
        return None
    for _halving in range(HALVINGS):
        middle = (near + far) / 2
        near, far = (near, middle) if sums.p(middle) <= 1 - LEVEL else (middle, far)
    return far
