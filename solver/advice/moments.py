"""The exact evaluation of a player without playing games: mean, spread and bonus chance.

The calculation resembles ``exact.distribution``, but keeps only the first two moments of the points
scored so far. It is fast enough to grade many players, or a learner during training. The player
``solver.players.values.ValuePlay(V, rules)`` plays greedily by a table of values V[row, column].

A large ruleset has no outlook table. For its empty card, ``dp.outlook`` calculates the outlook in a
minute or two. ``large.json`` has the results for the program's rulesets.
"""

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from math import inf, sqrt
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

import numpy as np

from solver import Refusal
from solver.dp.cost import estimate_outlook_cost
from solver.dp.outcomes import Policy
from solver.dp.reach import find_transitions
from solver.dp.sweep import Progress, count_cores
from solver.rules.rulesets import Ruleset


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Mean and spread of the final score. ``states`` counts the pairs of card and upper total that
    games reach."""

    mean: float
    deviation: float
    bonus_probability: float
    states: int


def evaluate(
    policy: Policy, *, threads: int | None = None, progress: Progress | None = None
) -> Evaluation:
    rules = policy.rules
    moments, states = np.array([[1.0, 0.0, 0.0]]), 0
    with ThreadPoolExecutor(threads or count_cores()) as pool:
        for number, step in enumerate(find_transitions(policy, pool), start=1):
            pulled, no_starts = np.zeros((step.after.states, 3)), np.empty(0, dtype=np.int64)
            step.pull((no_starts, moments), (no_starts, pulled))
            moments = pulled
            states += step.before.states
            if progress:
                progress(number, len(rules.categories))
    earned = float(moments[step.after.column >= rules.bonus_threshold, 0].sum())
    points = float(moments[step.after.column >= rules.bonus_threshold, 1].sum())
    _, first, second = moments.sum(axis=0).tolist()
    mean = first + rules.bonus_points * earned
    square = second + rules.bonus_points * (2.0 * points + rules.bonus_points * earned)
    return Evaluation(
        mean, sqrt(max(0.0, square - mean * mean)), earned, states + step.after.states
    )


REPORT = Path(__file__).with_name("large.json")
MEMORY = Path("/proc/meminfo")


class OutOfMemory(Refusal, ValueError):
    pass


class LargeWorth(NamedTuple):
    """Perfect play for a large ruleset: evaluation and run time. ``states`` counts positions."""

    evaluation: Evaluation
    seconds: float


@cache
def read_stored_worth(rules: Ruleset) -> LargeWorth | None:
    """Return the evaluation of perfect play from ``large.json``, or None if it is not stored."""
    facts = json.loads(REPORT.read_text()).get(rules.hash)
    if facts is None:
        return None
    figures = facts["mean"], facts["sd"], facts["bonus_probability"], facts["states"]
    return LargeWorth(Evaluation(*figures), facts["seconds"])


def evaluate_large(rules: Ruleset, progress: Progress | None = None) -> LargeWorth:
    from solver.dp.outlook import calculate_start_outlook  # slow: loads the compiler

    cost, free = estimate_outlook_cost(rules), read_free_memory()
    if cost.memory > free:
        raise OutOfMemory(
            f"the spread of {rules.id} takes {cost.memory / 1e9:.1f} GB of memory, and "
            f"{free / 1e9:.1f} GB are free"
        )
    began = perf_counter()
    outlook = calculate_start_outlook(rules, progress=progress)
    evaluation = Evaluation(outlook.value, outlook.deviation, outlook.bonus_chance, cost.positions)
    return LargeWorth(evaluation, perf_counter() - began)


def read_free_memory() -> float:
    """Return the number of free bytes of memory, or infinity if the system does not report it."""
    try:
        facts = dict(line.split(":") for line in MEMORY.read_text().splitlines())
        return float(facts["MemAvailable"].split()[0]) * 1024
    except (OSError, KeyError, ValueError):
        return inf
