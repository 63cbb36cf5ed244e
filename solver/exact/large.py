"""Perfect play of a large ruleset from the start: mean, spread and chance of the bonus.

No table has them. ``dp.level_outlook`` works them out, which takes a minute or two; what it found
for the rulesets of the program is told from the report beside this file.
"""

import json
from functools import cache
from math import inf
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

from solver.dp.cost import outlook_cost
from solver.dp.sweep import Progress
from solver.exact.evaluation import Evaluation
from solver.rules.rulesets import Ruleset

REPORT = Path(__file__).with_name("large.json")
MEMORY = Path("/proc/meminfo")


class OutOfMemory(ValueError):
    """It would not fit into memory; the message says how much it takes."""


class LargeWorth(NamedTuple):
    """``states`` of the evaluation are the positions that differ, reached or not."""

    evaluation: Evaluation
    seconds: float


@cache
def told(rules: Ruleset) -> LargeWorth | None:
    """Of these very rules, from the report."""
    facts = json.loads(REPORT.read_text()).get(rules.hash)
    if facts is None:
        return None
    found = facts["mean"], facts["sd"], facts["bonus_probability"], facts["states"]
    return LargeWorth(Evaluation(*found), facts["seconds"])


def worked_out(rules: Ruleset, progress: Progress | None = None) -> LargeWorth:
    from solver.dp.level_outlook import outlook_by_level  # loads the compiler

    cost, free = outlook_cost(rules), free_memory()
    if cost.memory > free:
        raise OutOfMemory(
            f"the spread of {rules.id} takes {cost.memory / 1e9:.1f} GB of memory, and "
            f"{free / 1e9:.1f} GB are free"
        )
    began = perf_counter()
    found = outlook_by_level(rules, progress=progress)
    evaluation = Evaluation(found.value, found.deviation, found.bonus_chance, cost.positions)
    return LargeWorth(evaluation, perf_counter() - began)


def free_memory() -> float:
    """In bytes; without an end where the system does not say."""
    try:
        facts = dict(line.split(":") for line in MEMORY.read_text().splitlines())
        return float(facts["MemAvailable"].split()[0]) * 1024
    except (OSError, KeyError, ValueError):
        return inf
