"""Group-sequential looks: how far apart two groups must lie for a look at them to end a trial.

Lan and DeMets (1983): of the two-sided alpha, alpha(t) is spent once a share t of the information
is there, half of it on either side. At the looks t_1 < .. < t_K the statistic z_k is seen; under
no difference B(t) = z sqrt(t) is a Brownian motion. The boundaries b_k follow one after the other:

    P(|z_1| < b_1, .., |z_(k-1)| < b_(k-1), |z_k| >= b_k) = alpha(t_k) - alpha(t_(k-1)).

With c_k = b_k sqrt(t_k) and d = t_k - t_(k-1), the density f_k of B(t_k) on those paths that no
look has ended is (Armitage, McPherson and Rowe 1969)

    f_k(s) = integral over |u| < c_(k-1) of f_(k-1)(u) phi((s - u) / sqrt(d)) / sqrt(d) du,

and the chance to end at k the integral of f_(k-1)(u) times P(|N(u, d)| >= c_k). The integrals are
Gauss-Legendre sums over pieces no longer than the steps sqrt(d) that lead to t_k and on from it.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from math import e, erfc, log1p, pi, sqrt

import numpy as np
from numpy.polynomial.legendre import leggauss

from solver.statistics.chi_squared import Floats

ALPHA = 0.05  # two-sided
NODES = 10  # of a piece
FAR = 40.0  # standard deviations: no double holds a chance so small
PRECISION = 1e-14


def obrien_fleming(share: float, alpha: float = ALPHA) -> float:
    """4 (1 - Phi(z / sqrt(t))), z being what alpha / 4 lies beyond: next to nothing at first."""
    return 2 * erfc(_quantile(alpha / 4) / sqrt(2 * share)) if share > 0 else 0.0


def pocock(share: float, alpha: float = ALPHA) -> float:
    """alpha ln(1 + (e - 1) t): about as much at every look."""
    return alpha * log1p((e - 1) * share)


SPENDING: Mapping[str, Callable[[float, float], float]] = {
    "obrien_fleming": obrien_fleming,
    "pocock": pocock,
}


@dataclass(frozen=True, slots=True)
class LookBoundary:
    """``z`` is what the statistic must reach at this look, ``p`` the same as a two-sided chance,
    ``spent`` the part of alpha that is gone with it."""

    share: float
    z: float
    p: float
    spent: float


def boundaries(shares: Sequence[float], spending: str, alpha: float = ALPHA) -> list[LookBoundary]:
    """Of looks at these shares of the information, in rising order, the last at most 1."""
    return list(_boundaries(shares, lambda share: SPENDING[spending](share, alpha)))


def _boundaries(
    shares: Sequence[float], spent_at: Callable[[float], float]
) -> Iterator[LookBoundary]:
    steps = [sqrt(share - before) for before, share in pairwise((0.0, *shares))]
    paths, spent = _Paths(np.zeros(1), np.ones(1)), 0.0
    for share, step, following in zip(shares, steps, (*steps[1:], 1.0), strict=True):
        end = _solved(partial(paths.beyond, step=step), spent_at(share) - spent)
        spent = spent_at(share)
        z = end / sqrt(share)
        yield LookBoundary(share, z, erfc(z / sqrt(2)), spent)
        paths = paths.on(end, step, min(step, following))


@dataclass(frozen=True)
class _Paths:
    """Where the paths are that no look has ended: points, and the chance that each stands for."""

    at: Floats
    chance: Floats

    def beyond(self, end: float, step: float) -> float:
        """The chance that a path ends here: it is further out than ``end`` after this step."""
        scale = step * sqrt(2)
        tails = [erfc((end - u) / scale) + erfc((end + u) / scale) for u in self.at.tolist()]
        return float(np.dot(self.chance, tails)) / 2

    def on(self, end: float, step: float, piece: float) -> "_Paths":
        """Those that go on, after a step."""
        at, weights = _nodes(end, piece)
        apart = (at[:, None] - self.at[None, :]) / step
        density = np.exp(-apart * apart / 2) / (step * sqrt(2 * pi))
        return _Paths(at, weights * (density @ self.chance))


def _nodes(end: float, piece: float) -> tuple[Floats, Floats]:
    """From -end to end, in pieces."""
    nodes, weights = leggauss(NODES)
    pieces = max(1, int(np.ceil(2 * end / piece)))
    edges = np.linspace(-end, end, pieces + 1)
    half = end / pieces
    middles = (edges[:-1] + edges[1:]) / 2
    return (middles[:, None] + half * nodes).ravel(), np.tile(weights * half, pieces)


def _solved(chance: Callable[[float], float], wanted: float) -> float:
    """The end beyond which lies so much; it falls as the end moves out."""
    low, high = 0.0, FAR
    while high - low > PRECISION * high:
        middle = (low + high) / 2
        low, high = (middle, high) if chance(middle) > wanted else (low, middle)
    return (low + high) / 2


def _quantile(beyond: float) -> float:
    """The z with P(Z >= z) = ``beyond``."""
    return _solved(lambda z: erfc(z / sqrt(2)) / 2, beyond)
