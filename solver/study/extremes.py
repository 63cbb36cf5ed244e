"""The largest and the least score that so many games typically have.

In half of all samples of that size the largest score is no larger, and the least no less.
"""

import numpy as np

from solver.exact.distribution import Distribution


def typical_most(of: Distribution, games: int) -> int:
    return int(np.argmax(of.probabilities.cumsum() ** games >= 0.5))


def typical_least(of: Distribution, games: int) -> int:
    above = np.clip(1 - of.probabilities.cumsum(), 0, 1)
    return int(np.argmax(above**games <= 0.5))
