"""The performance test, which simulates many games of one player.

All games advance together, turn by turn, so that games with equal cards share a calculation. A
player without a decision table decides each position separately. The dice come from one seeded
generator, and do not depend on the number of threads.
"""

from dataclasses import dataclass
from math import sqrt
from time import perf_counter

import numpy as np

from solver.arena.match import play_many
from solver.dp.arrays import Ints, make_random_rolls
from solver.dp.outcomes import bound_score
from solver.dp.sweep import Progress, count_cores
from solver.exact.distribution import Distribution
from solver.players.agent import Agent, GamesInPlay, Lockstep
from solver.rules import Ruleset
from solver.statistics.chi_squared import ChiSquared, Ten, chi_squared, group_in_tens

AT_ONCE = 1 << 20  # number of games in a batch; each takes about 30 bytes for its state and dice
ASKED_AT_ONCE = 1 << 10  # games per batch for an agent that decides each position separately
LUCK = 1 << 32


@dataclass(frozen=True)
class Performance:
    player: str
    games: int
    seed: int
    counts: Ints  # [score]: number of games
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
        middle = np.array([(self.games - 1) // 2, self.games // 2])  # ranks of the middle scores
        return float(np.searchsorted(self.counts.cumsum(), middle + 1).mean())

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
        return group_in_tens(self.counts)

    def fit(self, exact: Distribution) -> ChiSquared:
        return fit(self.counts, exact)


def fit(counts: Ints, exact: Distribution) -> ChiSquared:
    """Test whether counts[score] of games fit the exact chances of the scores (chi-squared)."""
    size = max(len(counts), len(exact.probabilities))
    seen = np.pad(counts, (0, size - len(counts))).astype(np.float64)
    due = np.pad(exact.probabilities, (0, size - len(exact.probabilities))) * counts.sum()
    return chi_squared(seen, due)


def simulate(
    agent: Agent,
    rules: Ruleset,
    player: str,
    games: int,
    seed: int,
    *,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Performance:
    if isinstance(agent, Lockstep):
        # This game compiles or loads the kernels before the clock starts.
        _play_batch(agent, 1, np.random.default_rng(seed), 1, _Steps(None, 0, 1))
    began = perf_counter()
    counts, bonuses = np.zeros(bound_score(rules) + 1, dtype=np.int64), 0
    if isinstance(agent, Lockstep):
        rng, turns = np.random.default_rng(seed), len(agent.rules.categories)
        firsts = range(0, games, AT_ONCE)
        for number, first in enumerate(firsts):
            steps = _Steps(progress, number * turns, len(firsts) * turns)
            size = min(AT_ONCE, games - first)
            played = _play_batch(agent, size, rng, threads or count_cores(), steps)
            counts += np.bincount(played.totals, minlength=len(counts))
            bonuses += int(played.earned.sum())
    else:
        dice, luck = np.random.default_rng(seed).spawn(2)
        done = 0
        while done < games:
            size = min(ASKED_AT_ONCE, games - done)
            ends = play_many(agent, rules, size, dice, luck)
            done += size
            if progress:
                progress(done, games)
            counts += np.bincount([end.total for end in ends], minlength=len(counts))
            bonuses += sum(end.bonus > 0 for end in ends)
    return Performance(player, games, seed, counts, bonuses, perf_counter() - began)


@dataclass(frozen=True, slots=True)
class _Steps:
    progress: Progress | None
    done: int
    total: int


def _play_batch(
    agent: Lockstep, games: int, rng: np.random.Generator, threads: int, steps: _Steps
) -> GamesInPlay:
    rules = agent.rules
    played = GamesInPlay.new(rules, games)
    luck = np.zeros((rules.throws, games if agent.uses_luck else 1), dtype=np.uint32)
    for turn in range(len(rules.categories)):
        throws = make_random_rolls(rng, rules, games)
        if agent.uses_luck:
            luck = rng.integers(LUCK, size=luck.shape, dtype=np.uint32)
        agent.turns(played, throws, luck, threads)
        if steps.progress:
            steps.progress(steps.done + (turn + 1), steps.total)
    return played
