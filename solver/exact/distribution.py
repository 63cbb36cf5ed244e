"""The exact distribution of a player's final score, without simulation and without error bars.

The player's decisions may depend only on the card, the dice and the rolls left. The calculation
passes chances forward, level by level, through the states that the player reaches (``dp.reach``).
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from math import sqrt
from typing import Any

import numpy as np

from solver.dp.arrays import Floats, Ints
from solver.dp.outcomes import Policy, bound_score, find_extra_points
from solver.dp.reach import Level, find_transitions
from solver.dp.sweep import Progress, count_cores
from solver.rules.rulesets import Ruleset

# Type of a function that gets the rows, the columns and the chances of a level's cards, at the
# start of a turn.
Visit = Callable[[Ints, Ints, Floats], Any]
QUANTILES = (0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99)


@dataclass(frozen=True)
class Distribution:
    """The chance of each final score, as ``probabilities[score]``. ``states`` counts the pairs of
    card and upper total that the player reaches. ``with_bonus[score]`` is the chance of this score
    with the bonus; stored distributions lack it."""

    probabilities: Floats
    bonus_probability: float
    states: int
    with_bonus: Floats | None = field(default=None, compare=False)

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
        return self.find_quantile(0.5)

    def find_quantile(self, share: float) -> int:
        """Return the smallest score that the given share of games does not exceed."""
        return int(np.searchsorted(self.probabilities.cumsum(), share - 1e-12))

    def below(self, score: float) -> float:
        """Return the share of games with a lower score, plus half the share with this score."""
        low, high = int(np.ceil(score)), int(np.floor(score)) + 1
        less = self.probabilities[:low].sum()
        return float(less + self.probabilities[low:high].sum() / 2)

    def find_typical_most(self, games: int) -> int:
        """Return the median of the highest score in this number of games."""
        return int(np.argmax(self.probabilities.cumsum() ** games >= 0.5))

    def find_typical_least(self, games: int) -> int:
        """Return the median of the lowest score in this number of games."""
        above = np.clip(1 - self.probabilities.cumsum(), 0, 1)
        return int(np.argmax(above**games <= 0.5))

    def group_in_tens(self) -> Floats:
        """Return the chances of groups of ten scores: 0 to 9, 10 to 19, and so on."""
        padded = np.pad(self.probabilities, (0, -len(self.probabilities) % 10))
        tens: Floats = padded.reshape(-1, 10).sum(axis=1)
        return tens


def calculate_distribution(
    policy: Policy,
    *,
    threads: int | None = None,
    progress: Progress | None = None,
    visit: Visit | None = None,
) -> Distribution:
    """Return the exact distribution of a player's score. ``visit`` gets each level's cards."""
    rules = policy.rules
    vectors, states = np.ones(1), 0
    extras, turns = find_extra_points(rules), len(rules.categories)
    with ThreadPoolExecutor(threads or count_cores()) as pool:
        for number, step in enumerate(find_transitions(policy, pool), start=1):
            if visit:
                starts = _find_vector_starts(step.before, extras, rules)[:-1]
                visit(step.before.row, step.before.column, np.add.reduceat(vectors, starts))
            start = _find_vector_starts(step.before, extras, rules)
            next_start = _find_vector_starts(step.after, extras, rules)
            pulled = np.zeros(next_start[-1])
            step.pull((start, vectors), (next_start, pulled))
            vectors = pulled
            states += step.before.states
            if progress:
                progress(number, turns)
    start = _find_vector_starts(step.after, find_extra_points(rules), rules)
    scores, with_bonus = np.zeros((2, bound_score(rules) + 1))
    for state, column in enumerate(step.after.column.tolist()):
        vector = vectors[start[state] : start[state + 1]]
        first = column + rules.bonus(column)
        scores[first : first + len(vector)] += vector
        if column >= rules.bonus_threshold:
            with_bonus[first : first + len(vector)] += vector
    return Distribution(scores, float(with_bonus.sum()), states + step.after.states, with_bonus)


def _find_vector_starts(level: Level, extras: Ints, rules: Ruleset) -> Ints:
    lengths = extras[level.row, (level.column == rules.bonus_threshold).astype(int)] + 1
    return np.concatenate(([0], lengths.cumsum()))
