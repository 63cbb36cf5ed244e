"""The chi-squared test, with exact p-values and without a dependency."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb, exp, fsum, lgamma, log

import numpy as np
import numpy.typing as npt

from solver.rules.dice import FACES

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
LEAST_EXPECTED = 5.0  # expected count; a cell with less is merged with a neighbour
PRECISION = 1e-15
MOST_EXACT = 400  # number of dice; an exact test of more dice would take over 0.25 s
STEP, STEPS = 0.005, 4000  # grid: points per step, and maximum number of steps


@dataclass(frozen=True, slots=True)
class ChiSquared:
    statistic: float
    degrees: int
    p: float


def chi_squared(
    observed: Sequence[float] | Floats, expected: Sequence[float] | Floats
) -> ChiSquared:
    """Return Pearson's test of observed counts against expected counts, after ``merge_cells``."""
    seen, due = merge_cells(np.asarray(observed, float), np.asarray(expected, float))
    statistic = float(((seen - due) ** 2 / due).sum())
    degrees = len(seen) - 1
    return ChiSquared(statistic, degrees, chi_squared_tail(statistic, degrees))


def merge_cells(observed: Floats, expected: Floats) -> tuple[Floats, Floats]:
    """Return both counts. Merge neighbouring cells until each expects ``LEAST_EXPECTED``."""
    seen, due = [0.0], [0.0]
    for count, hoped in zip(observed.tolist(), expected.tolist(), strict=True):
        if due[-1] >= LEAST_EXPECTED:
            seen.append(0.0)
            due.append(0.0)
        seen[-1] += count
        due[-1] += hoped
    if due[-1] < LEAST_EXPECTED and len(due) > 1:
        seen[-2:] = [sum(seen[-2:])]
        due[-2:] = [sum(due[-2:])]
    return np.array(seen), np.array(due)


def chi_squared_tail(statistic: float, degrees: int) -> float:
    """Return P(chi-squared >= statistic), which equals Q(degrees / 2, statistic / 2)."""
    if degrees <= 0 or statistic <= 0:
        return 1.0
    return upper_gamma(degrees / 2, statistic / 2)


def upper_gamma(a: float, x: float) -> float:
    """Return the regularised incomplete gamma function Q(a, x), by series or continued fraction."""
    front, n = exp(a * log(x) - x - lgamma(a)), 0
    if x < a + 1:  # the sum of x^n / (a (a + 1) ... (a + n))
        term = total = 1 / a
        while term > total * PRECISION:
            n += 1
            term *= x / (a + n)
            total += term
        return 1.0 - front * total
    # Lentz's method for 1 / (x + 1 - a - 1 (1 - a) / (x + 3 - a - ...))
    tiny = 1e-300
    b = x + 1 - a
    c, d = 1 / tiny, 1 / b
    value, change = d, 0.0
    while abs(change - 1) > PRECISION:
        n += 1
        b += 2
        weight = -n * (n - a)
        d = 1 / _avoid_zero(weight * d + b, tiny)
        c = _avoid_zero(b + weight / c, tiny)
        change = c * d
        value *= change
    return front * value


def _avoid_zero(value: float, tiny: float) -> float:
    return value if abs(value) > tiny else tiny


def calculate_uniform_p(counts: Sequence[int]) -> tuple[float, bool]:
    """Return the probability that fair dice give counts at least as uneven as these, and whether
    this probability is exact.

    It is exact for up to ``MOST_EXACT`` dice. Ones, twos and threes together are binomial. Given
    their number, the counts of these faces and the counts of the other faces are independent. For
    more dice, the function returns the tail of the chi-squared distribution, which is then precise
    enough.
    """
    dice = sum(counts)
    if dice > MOST_EXACT:
        return chi_squared([float(n) for n in counts], [dice / FACES] * FACES).p, False
    least_squares, chances = sum(count * count for count in counts), []
    # ``most`` dice show one half of the faces. By symmetry, low faces are as likely as high faces.
    for most in range(-(-dice // 2), dice + 1):
        squares, shares = _list_splits_on_three_faces(most)
        other_squares, other_shares = _list_splits_on_three_faces(dice - most)
        tail = np.bincount(other_squares, other_shares)[::-1].cumsum()[::-1]
        tail = np.append(tail, 0.0)
        # A dot product would start threads, and these are slow on a busy machine.
        places = np.clip(least_squares - squares, 0, len(tail) - 1)
        enough = float((shares * tail[places]).sum())
        ways = comb(dice, most) * (1 if 2 * most == dice else 2)
        chances.append(enough * float(Fraction(ways, 2**dice)))
    return min(1.0, fsum(chances)), True


def _list_splits_on_three_faces(dice: int) -> tuple[Ints, Floats]:
    """Return two arrays with an entry per way to divide the dice into counts of three faces: the
    sum of the squared counts, and the probability of these counts in any order."""
    least, middle = np.ogrid[: dice // 3 + 1, : dice // 2 + 1]
    ways = (least <= middle) & (middle <= dice - least - middle)
    low, mid = (np.broadcast_to(count, ways.shape)[ways] for count in (least, middle))
    high = dice - low - mid
    factorials = np.array([lgamma(n + 1) for n in range(dice + 1)])
    orders = np.array([6.0, 3.0, 1.0])[(low == mid).astype(int) + (mid == high)]
    logarithm = factorials[dice] - factorials[low] - factorials[mid] - factorials[high]
    return low**2 + mid**2 + high**2, orders * np.exp(logarithm - dice * log(3))


def bound_chance(honest: Sequence[float], games: int, points_lost: float) -> float:
    """Return an upper bound of the probability that an honest player loses at most ``points_lost``
    in this number of games.

    One game without mistakes is added to the honest games, so that no result is impossible. All
    sums are rounded in the player's favour.
    """
    step = choose_step(points_lost)
    most = int(points_lost / step + 1e-9)
    steps = [int(each / step + 1e-9) for each in (0.0, *honest)]
    single = np.bincount(steps, minlength=most + 1)[: most + 1] / len(steps)
    shares = np.ones(1)  # [steps]: the distribution of the sum over games, built by doubling
    while games:
        if games & 1:
            shares = np.convolve(shares, single)[: most + 1]
        single, games = np.convolve(single, single)[: most + 1], games >> 1
    return float(shares.sum())


def choose_step(points_lost: float) -> float:
    """Return the points per step of the grid. It grows with ``points_lost``, to limit the steps."""
    return max(STEP, points_lost / STEPS)


@dataclass(frozen=True, slots=True)
class Ten:
    """A row of the study's tables: the games with scores from ``low`` to ``low`` + 9."""

    low: int
    count: int
    share: float  # share of all games
    up_to_here: float  # share of games with at most the highest score of the row


def group_in_tens(counts: npt.NDArray[np.int64]) -> list[Ten]:
    """Return the groups 0 to 9, 10 to 19 ..., from the first to the last group with a game.
    ``counts[score]`` is the number of games with this score."""
    sums = np.pad(counts, (0, -len(counts) % 10)).reshape(-1, 10).sum(axis=1)
    total, so_far = int(sums.sum()), sums.cumsum()
    filled = np.flatnonzero(sums)
    return [
        Ten(10 * n, int(sums[n]), float(sums[n] / total), float(so_far[n] / total))
        for n in range(int(filled[0]), int(filled[-1]) + 1)
    ]
