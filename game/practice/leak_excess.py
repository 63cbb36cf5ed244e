"""Where somebody loses more than others who lose as much in all: what is a leak, and what chance.

In every place of the tree what a game lost there stands beside what those alike lose there, and
chance is how far that difference lies apart from game to game; so a bad game, or a player who is
not the middle of a grade, is no leak. What is told of a place is drawn towards those alike: by as
much as chance could have moved it, where players differ as the peers do, or as much as this place
does if that is more (the estimate of a variance out of a single difference, by James and Stein).

A place that is part of another tells the same twice. The coarsest place that is sure is named,
unless one or two within it are sure as well and hold nearly all that it has too much, but not
nearly all that others lose there: early in the game the bonus is always in reach.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import hypot, sqrt

import numpy as np

from game.core.worth.leak_tree import Leak, Path, Sums
from game.core.worth.peers import Alike
from solver.statistics.inference import NOTHING
from solver.statistics.student import t_p

# Of one place alone. So many places are looked at that one player in a hundred has one by chance:
# ``python -m tests.game.finding_leaks`` counts them.
SELDOM = 1 / 500
NEARLY = 0.8  # of what a place has too much
FEW = 2  # places that are named in the stead of the one that they are part of


@dataclass(frozen=True, slots=True)
class Excess:
    """Points a game in a place: somebody's own, and those of others alike.

    ``error`` is what chance did to the difference, ``spread`` how far players differ.
    """

    own: float
    theirs: float
    error: float
    spread: float
    games: int

    @property
    def points(self) -> float:
        return self.own - self.theirs

    @property
    def likely(self) -> float:
        """What is lost there in the long run."""
        variance = max(self.spread**2, self.points**2 - self.error**2)
        known = variance + self.error**2
        return self.theirs + self.points * variance / max(known, NOTHING)

    @property
    def sure(self) -> bool:
        doubt = hypot(self.error, self.spread)
        t = self.points / max(doubt, NOTHING)
        return t > 0 and t_p(t, self.games - 1) / 2 < SELDOM


def excess(games: Sequence[Sums], path: Path, alike: Alike) -> Excess:
    """Of two games or more."""
    usual, slope = alike.at(path), alike.slope(path)
    own = np.array([sums.get(path, 0.0) for sums in games])
    totals = np.array([sums.get((), 0.0) for sums in games])
    error = float(np.std(own - slope * totals, ddof=1)) / sqrt(len(games))
    return Excess(float(own.mean()), usual.mean, error, usual.spread, len(games))


def named(root: Leak, games: Sequence[Sums], alike: Alike) -> list[Leak]:
    """The leaks, the largest first; none where chance explains what stands out."""
    found = [pair for child in root.children for pair in _named(child, games, alike)]
    return [leak for leak, _ in sorted(found, key=lambda pair: (-pair[1].points, pair[0].path))]


def _named(leak: Leak, games: Sequence[Sums], alike: Alike) -> list[tuple[Leak, Excess]]:
    within = [pair for child in leak.children for pair in _named(child, games, alike)]
    here = excess(games, leak.path, alike)
    if not here.sure or (0 < len(within) <= FEW and _tells(here, [part for _, part in within])):
        return within
    return [(leak, here)]


def _tells(here: Excess, parts: Sequence[Excess]) -> bool:
    """Whether these hold what a place has too much, and not merely all that is lost there."""
    nearly = NEARLY * here.points <= sum(part.points for part in parts)
    return nearly and sum(part.theirs for part in parts) <= NEARLY * here.theirs
