"""The probability that an honest player loses at most the points lost in a series of games.

The distribution of honest players' points lost per game is known. Games are independent, so the sum
over several games has the convolution of that distribution, calculated on a grid.
"""

from collections.abc import Sequence

import numpy as np

from solver.statistics.chi_squared import Floats

STEP, STEPS = 0.005, 4000  # points per step of the grid, and the most steps


def bound_chance(honest: Sequence[float], games: int, points_lost: float) -> float:
    """Return an upper bound of the probability that an honest player loses at most ``points_lost``
    in this many games.

    A game without a mistake is added to the honest games, so that no result is impossible. All sums
    are rounded in the player's favour.
    """
    step = choose_step(points_lost)
    most = int(points_lost / step + 1e-9)
    steps = [int(each / step + 1e-9) for each in (0.0, *honest)]
    of_one_game = np.bincount(steps, minlength=most + 1)[: most + 1]
    return float(_sum_games(of_one_game / len(steps), games).sum())


def choose_step(points_lost: float) -> float:
    """Return the grid's step in points; it grows with ``points_lost`` to limit the steps."""
    return max(STEP, points_lost / STEPS)


def _sum_games(single: Floats, games: int) -> Floats:
    """Return the distribution of the sum over ``games`` games, cut to the length of ``single``."""
    most, shares = len(single), np.ones(1)
    while games:
        if games & 1:
            shares = np.convolve(shares, single)[:most]
        single, games = np.convolve(single, single)[:most], games >> 1
    return shares
