"""The chance that an honest player loses as little in a series of games as was lost.

What honest players lost in each of many games is known; games are independent, so what they lose in
several is the convolution of that, worked out on a grid.
"""

from collections.abc import Sequence

import numpy as np

from solver.statistics.chi_squared import Floats

STEP, STEPS = 0.005, 4000  # points, and how many of them a sum has at most


def chance(honest: Sequence[float], games: int, points_lost: float) -> float:
    """Bound the chance that this many honest games together lose no more than this.

    One more of them is taken to be without a mistake, so that nothing is impossible because
    nobody was seen to do it; and all are rounded to the player's favour.
    """
    step = step_of(points_lost)
    most = int(points_lost / step + 1e-9)
    steps = [int(each / step + 1e-9) for each in (0.0, *honest)]
    of_one_game = np.bincount(steps, minlength=most + 1)[: most + 1]
    return float(_several(of_one_game / len(steps), games).sum())


def step_of(points_lost: float) -> float:
    """Return the width of the kernel: a game also counts as one that lost up to this much less."""
    return max(STEP, points_lost / STEPS)


def _several(single: Floats, games: int) -> Floats:
    """Return the distribution of a sum, by squaring, as far as that of one goes."""
    most, shares = len(single), np.ones(1)
    while games:
        if games & 1:
            shares = np.convolve(shares, single)[:most]
        single, games = np.convolve(single, single)[:most], games >> 1
    return shares
