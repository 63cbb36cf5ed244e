"""The exact distribution of the final score of a player: no simulation, no error bars.

For any player whose decisions depend only on the card, the dice and the throws left. Chance is
pushed forward level by level through the states that the player reaches (``dp.forward``); only
two levels are in memory at once.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from math import sqrt
from typing import Protocol

import numpy as np
import numpy.typing as npt

from solver.dp.arrays import Floats, Ints
from solver.dp.outcomes import outcomes_of, widths
from solver.dp.space import Space
from solver.dp.sweep import Progress, cores
from solver.rules.rulesets import Ruleset

ROWS_AT_ONCE = 32
Index = npt.NDArray[np.int32]
QUANTILES = (0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99)


class Policy(Protocol):
    """What a player must offer.

    ``outcomes`` writes into chance[chance_start[state]:] the chances of the outcomes of the open
    boxes, for all states of the rows, index[row, column] being their numbers. A player that does
    not look at the upper total writes once a row: its states share one start.
    """

    @property
    def rules(self) -> Ruleset: ...

    @property
    def looks_at_upper(self) -> bool: ...

    def outcomes(self, rows: Ints, index: Index, chance_start: Ints, chance: Floats) -> None: ...


@dataclass(frozen=True)
class Distribution:
    """``probabilities[score]``; ``states`` counts the cards (filled, upper) that are reached."""

    probabilities: Floats
    bonus_probability: float
    states: int

    @property
    def mean(self) -> float:
        return float(np.arange(len(self.probabilities)) @ self.probabilities)

    @property
    def deviation(self) -> float:
        scores = np.arange(len(self.probabilities)) - self.mean
        return sqrt(float(scores**2 @ self.probabilities))

    @property
    def mode(self) -> int:
        return int(self.probabilities.argmax())

    @property
    def median(self) -> int:
        return self.quantile(0.5)

    def quantile(self, share: float) -> int:
        """The least score that at least this share of games does not exceed."""
        return int(np.searchsorted(self.probabilities.cumsum(), share - 1e-12))

    def below(self, score: float) -> float:
        """The share of games that score less, and half of those that score the same."""
        low, high = int(np.ceil(score)), int(np.floor(score)) + 1
        less = self.probabilities[:low].sum()
        return float(less + self.probabilities[low:high].sum() / 2)

    def in_tens(self) -> Floats:
        """The chance of 0 to 9, of 10 to 19, and so on."""
        padded = np.pad(self.probabilities, (0, -len(self.probabilities) % 10))
        tens: Floats = padded.reshape(-1, 10).sum(axis=1)
        return tens


@dataclass(frozen=True)
class _Level:
    """The states with equally many filled boxes: rows, numbers, and where their vectors start."""

    rows: Ints
    index: Index
    start: Ints

    @property
    def states(self) -> int:
        return len(self.start) - 1


def distribution(
    policy: Policy, *, threads: int | None = None, progress: Progress | None = None
) -> Distribution:
    """Pushes all chance from the empty card to the full ones."""
    with ThreadPoolExecutor(threads or cores()) as pool:
        return _Push(policy, pool, progress or (lambda done, total: None)).run()


class _Push:
    def __init__(self, policy: Policy, pool: ThreadPoolExecutor, progress: Progress) -> None:
        self.policy = policy
        self.pool = pool
        self.progress = progress
        self.rules = policy.rules
        self.space = Space(self.rules)
        self.outcomes = outcomes_of(self.rules)
        self.widths = widths(self.rules)
        self.extras = extra_points(self.rules)
        self.levels = self.space.levels()[::-1]
        self.states = 0

    def run(self) -> Distribution:
        reached = np.zeros((self.space.rows, self.space.columns), dtype=np.bool_)
        reached[0, 0] = True
        level = self._level(self.levels[0], reached)
        vectors = np.ones(1)
        for number, rows in enumerate(self.levels[1:], start=1):
            self.states += level.states
            level, vectors = self._step(level, vectors, rows, reached)
            self.progress(number, len(self.levels) - 1)
        return self._finished(level, vectors)

    def _step(
        self, level: _Level, vectors: Floats, rows: Ints, reached: npt.NDArray[np.bool_]
    ) -> tuple[_Level, Floats]:
        chance, chance_start = self._chances(level, reached)
        after = self._level(rows, reached)
        return after, self._pulled(level, chance, chance_start, vectors, after)

    def _level(self, rows: Ints, reached: npt.NDArray[np.bool_]) -> _Level:
        rows = rows[reached[rows].any(axis=1)]
        at, columns = np.nonzero(reached[rows])
        index = np.full(reached.shape, -1, dtype=np.int32)
        index[rows[at], columns] = np.arange(len(at))
        lengths = self.extras[rows[at], np.where(columns == self.space.columns - 1, 1, 0)] + 1
        return _Level(rows, index, np.concatenate(([0], lengths.cumsum())))

    def _chances(self, level: _Level, reached: npt.NDArray[np.bool_]) -> tuple[Floats, Ints]:
        """The outcomes of every state, and in ``reached`` where they lead."""
        from solver.dp.forward import mark_next

        starts, size = self._chance_starts(level)
        chance = np.empty(size)

        def work(rows: Ints) -> None:
            self.policy.outcomes(rows, level.index, starts, chance)
            mark_next(rows, level.index, starts, chance, self.outcomes, reached)

        self._share(work, level.rows)
        return chance, starts

    def _chance_starts(self, level: _Level) -> tuple[Ints, int]:
        at, _ = np.nonzero(level.index[level.rows] >= 0)
        width = self.widths[level.rows]
        if self.policy.looks_at_upper:
            ends = width[at].cumsum()
            return ends - width[at], int(ends[-1])
        ends = width.cumsum()
        return (ends - width)[at], int(ends[-1])

    def _pulled(
        self, level: _Level, chance: Floats, chance_start: Ints, vectors: Floats, after: _Level
    ) -> Floats:
        from solver.dp.forward import pull

        pulled = np.zeros(after.start[-1])
        before = (level.index, chance_start, chance, level.start, vectors)

        def work(rows: Ints) -> None:
            pull(rows, *before, after.index, after.start, pulled, self.outcomes)

        self._share(work, after.rows)
        return pulled

    def _share(self, work: Callable[[Ints], None], rows: Ints) -> None:
        list(self.pool.map(work, _pieces(rows)))

    def _finished(self, level: _Level, vectors: Floats) -> Distribution:
        """From the vectors of the full card to the scores."""
        threshold, bonus = self.rules.bonus_threshold, self.rules.bonus_points
        size = threshold + bonus + int(self.extras[self.rules.full, 1]) + 1
        scores, with_bonus = np.zeros(size), 0.0
        for column in range(self.space.columns):
            state = int(level.index[self.rules.full, column])
            if state >= 0:
                vector = vectors[level.start[state] : level.start[state + 1]]
                first = column + self.rules.bonus(column)
                scores[first : first + len(vector)] += vector
                with_bonus += float(vector.sum()) if column >= threshold else 0.0
        return Distribution(scores, with_bonus, self.states + level.states)


def _pieces(rows: Ints) -> Iterator[Ints]:
    for at in range(0, len(rows), ROWS_AT_ONCE):
        yield rows[at : at + ROWS_AT_ONCE]


def extra_points(rules: Ruleset) -> Ints:
    """[filled, 0 or 1]: the most extra points below the threshold, and in the last column."""
    outcomes = outcomes_of(rules)
    most = [int(outcomes.points[end - 1]) for end in outcomes.start[1:]]
    cards = np.arange(rules.full + 1)
    upper, lower = np.zeros_like(cards), np.zeros_like(cards)
    for box, category in enumerate(rules.categories):
        added = most[box] * (cards >> box & 1)
        upper, lower = (upper + added, lower) if category.face else (upper, lower + added)
    return np.stack((lower, lower + np.maximum(0, upper - rules.bonus_threshold)), axis=1)
