"""The performance test: many simulated games of one player.

All games go forward together, a turn at a time, so that those on the same card share what is
worked out for it. The dice come from one seeded generator, whatever the number of threads.
"""

from dataclasses import dataclass
from math import sqrt
from time import perf_counter

import numpy as np

from solver.distribution import Distribution
from solver.dp.arrays import Ints, points_of
from solver.dp.sweep import Progress, cores
from solver.players.base import Play
from solver.rules.dice import DICE, FACES
from solver.statistics.chi_squared import ChiSquared, chi_squared
from solver.statistics.tens import Ten, in_tens

AT_ONCE = 1 << 20  # games; their state and dice take some 30 bytes each
LUCK = 1 << 32


@dataclass(frozen=True)
class Performance:
    """``counts[score]`` games ended with that score."""

    player: str
    games: int
    seed: int
    counts: Ints
    bonuses: int
    seconds: float

    @property
    def scores(self) -> Ints:
        return np.flatnonzero(self.counts)

    @property
    def mean(self) -> float:
        return float(np.arange(len(self.counts)) @ self.counts) / self.games

    @property
    def deviation(self) -> float:
        away = np.arange(len(self.counts)) - self.mean
        return sqrt(float(away**2 @ self.counts) / max(1, self.games - 1))

    @property
    def median(self) -> float:
        return sum(self._of_rank(rank) for rank in ((self.games - 1) // 2, self.games // 2)) / 2

    def _of_rank(self, rank: int) -> int:
        return int(np.searchsorted(self.counts.cumsum(), rank + 1))

    @property
    def least(self) -> int:
        return int(self.scores[0])

    @property
    def most(self) -> int:
        return int(self.scores[-1])

    @property
    def bonus_share(self) -> float:
        return self.bonuses / self.games

    def tens(self) -> list[Ten]:
        return in_tens(self.counts)

    def fit(self, exact: Distribution) -> ChiSquared:
        """Whether these games fit the exact distribution."""
        return fit(self.counts, exact)


def fit(counts: Ints, exact: Distribution) -> ChiSquared:
    size = max(len(counts), len(exact.probabilities))
    seen = np.pad(counts, (0, size - len(counts))).astype(np.float64)
    due = np.pad(exact.probabilities, (0, size - len(exact.probabilities))) * counts.sum()
    return chi_squared(seen, due)


def simulate(
    play: Play,
    player: str,
    games: int,
    seed: int,
    *,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Performance:
    _played(play, 1, np.random.default_rng(seed), 1, _Steps(None, 0, 1))  # compiles, or loads
    began = perf_counter()
    rng = np.random.default_rng(seed)
    turns = len(play.rules.categories)
    batches = [min(AT_ONCE, games - at) for at in range(0, games, AT_ONCE)]
    counts, bonuses = np.zeros(most_points(play) + 1, dtype=np.int64), 0
    for number, size in enumerate(batches):
        step = _Steps(progress, number * turns, len(batches) * turns)
        points, upper = _played(play, size, rng, threads or cores(), step)
        earned = upper >= play.rules.bonus_threshold
        counts += np.bincount(points + earned * play.rules.bonus_points, minlength=len(counts))
        bonuses += int(earned.sum())
    return Performance(player, games, seed, counts, bonuses, perf_counter() - began)


@dataclass(frozen=True, slots=True)
class _Steps:
    progress: Progress | None
    done: int
    total: int

    def report(self, turn: int) -> None:
        if self.progress:
            self.progress(self.done + turn, self.total)


def _played(
    play: Play, games: int, rng: np.random.Generator, threads: int, steps: _Steps
) -> tuple[Ints, Ints]:
    """The points in the boxes and the upper totals, as far as the bonus, of finished games."""
    filled, upper, points = (np.zeros(games, dtype=np.int32) for _ in range(3))
    luck = np.zeros((3, games if play.uses_luck else 1), dtype=np.uint32)
    for turn in range(len(play.rules.categories)):
        throws = rng.integers(FACES**DICE, size=(play.rules.throws, games), dtype=np.uint16)
        if play.uses_luck:
            luck = rng.integers(LUCK, size=luck.shape, dtype=np.uint32)
        play.turns(filled, upper, points, throws, luck, threads)
        steps.report(turn + 1)
    return points.astype(np.int64), upper.astype(np.int64)


def most_points(play: Play) -> int:
    rules = play.rules
    return int(points_of(rules).max(axis=1).sum()) + rules.bonus_points
