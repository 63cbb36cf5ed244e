"""What the end of a game is worth to somebody who plays to win, and not for points.

``worth[points]`` is the chance that so many points win; from the last entry on it stays as it is.
"""

from dataclasses import dataclass

import numpy as np

from solver.dp.arrays import Floats


@dataclass(frozen=True)
class Payoff:
    worth: Floats

    @property
    def settled(self) -> int:
        """From so many points on nothing more can be won."""
        changes = np.flatnonzero(np.diff(self.worth))
        return int(changes[-1]) + 1 if len(changes) else 0

    @property
    def begins(self) -> int:
        """So many points are the least that are worth more, or less, than none."""
        changes = np.flatnonzero(np.diff(self.worth))
        return int(changes[0]) + 1 if len(changes) else 0

    def of(self, points: int) -> float:
        return float(self.worth[min(points, len(self.worth) - 1)])

    def after(self, points: int) -> "Payoff":
        """Of what is still to come, once so many points are written."""
        return Payoff(self.worth[min(points, len(self.worth) - 1) :])

    def expected(self, chances: Floats) -> float:
        """Where chances[points] says how likely so many points are."""
        at = np.minimum(np.arange(len(chances)), len(self.worth) - 1)
        return float(chances @ self.worth[at])


def at_least(points: int) -> Payoff:
    """All or nothing: so many points win, one less does not."""
    worth = np.zeros(max(points, 0) + 1)
    worth[-1] = 1.0
    return Payoff(worth)


def against(chances: Floats) -> Payoff:
    """To beat somebody who ends with so many points with chances[points]; a tie is half a win."""
    return Payoff(np.append(chances.cumsum() - chances / 2, 1.0))
