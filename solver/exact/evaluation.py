"""What a player is worth, exactly and without a game: mean, spread and chance of the bonus.

Like ``distribution``, but of all points so far only the first two moments are carried along, which
is much less work: for whoever has to grade many players, a learner while it learns. Greedy play by
any table of values V[row, column] is the player ``solver.players.values.ValuePlay(V, rules)``.
"""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from math import sqrt

import numpy as np

from solver.dp.arrays import Floats
from solver.dp.outcomes import Policy
from solver.dp.reach import Level, Transition, transitions
from solver.dp.sweep import Progress, cores
from solver.rules.rulesets import Ruleset


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Of the final score; ``states`` counts the cards, with their upper totals, reached."""

    mean: float
    deviation: float
    bonus_probability: float
    states: int


def evaluate(
    policy: Policy, *, threads: int | None = None, progress: Progress | None = None
) -> Evaluation:
    rules = policy.rules
    moments, states = np.array([[1.0, 0.0, 0.0]]), 0
    with ThreadPoolExecutor(threads or cores()) as pool:
        for number, step in enumerate(transitions(policy, pool), start=1):
            moments = _pulled(step, moments)
            states += step.before.states
            if progress:
                progress(number, len(rules.categories))
    return _finished(rules, step.after, moments, states + step.after.states)


def _pulled(step: Transition, moments: Floats) -> Floats:
    pulled, no_starts = np.zeros((step.after.states, 3)), np.empty(0, dtype=np.int64)
    step.pull((no_starts, moments), (no_starts, pulled))
    return pulled


def _finished(rules: Ruleset, level: Level, moments: Floats, states: int) -> Evaluation:
    """With the bonus, which every state of the last column has."""
    earned = float(moments[level.column >= rules.bonus_threshold, 0].sum())
    points = float(moments[level.column >= rules.bonus_threshold, 1].sum())
    _, first, second = moments.sum(axis=0).tolist()
    mean = first + rules.bonus_points * earned
    square = second + rules.bonus_points * (2.0 * points + rules.bonus_points * earned)
    return Evaluation(mean, sqrt(max(0.0, square - mean * mean)), earned, states)
