"""The confidence interval of a share, and the number of games needed to show a difference."""

from math import ceil, sqrt

import numpy as np

from solver.statistics.chi_squared import Floats

Z95 = 1.959963984540054


def estimate_share(count: int, total: int) -> tuple[float, float] | None:
    """Return Wilson's 95 % interval of a share, valid for few games too, or None for no games."""
    if not total:
        return None
    share, z2 = count / total, Z95**2
    middle = (share + z2 / (2 * total)) / (1 + z2 / total)
    half = Z95 / (1 + z2 / total) * sqrt(share * (1 - share) / total + z2 / (4 * total * total))
    return max(0.0, middle - half), min(1.0, middle + half)


def count_games_needed(differences: Floats) -> int | None:
    """Return the number of further games until the 95 % interval of the mean excludes 0, if mean
    and spread stay the same. Return None for a mean of 0 or fewer than two games."""
    if len(differences) < 2:
        return None
    mean, deviation = float(np.mean(differences)), float(np.std(differences, ddof=1))
    if abs(mean) < 1e-12:
        return None
    return max(0, ceil((Z95 * deviation / mean) ** 2) - len(differences))
