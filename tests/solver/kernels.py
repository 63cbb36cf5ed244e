"""Print what is chosen and what is worth how much, as JSON, to compare between processors.

    python -m tests.solver.kernels plain     a sample that numpy and OpenBLAS calculate
    python -m tests.solver.kernels compiled  a sample that numba calculates
    python -m tests.solver.kernels settings  the environments of this processor, one per line

OpenBLAS, numpy and numba choose their machine code by the processor. An environment makes one of
them choose the code of another processor.
"""

import hashlib
import json
import platform
import sys
from random import Random
from typing import Any, NamedTuple

import numpy as np

import tests.environment  # noqa: F401
from solver.advice import Advisor
from solver.advice.moments import evaluate
from solver.dp.space import Space
from solver.dp.sweep import solve
from solver.learning.simplified import Simplified
from solver.learning.summary import evaluate_random_play
from solver.players import find_player
from solver.players.values import ValuePlay
from solver.rules import RULESETS
from tests.solver.made_up import FIVE_DICE
from tests.solver.test_advice import random_position
from tests.solver.test_made_up_rulesets import read_advice, state_of

POSITIONS = 10  # per ruleset
CARDS = 100
LEARNED = "learned-yatzy", "learned-yahtzee"


class Sample(NamedTuple):
    """The choices must be equal; the values may differ by rounding."""

    choices: dict[str, str]
    values: dict[str, list[float]]


def settings() -> list[str]:
    """Return what makes a library choose other machine code here, each as NAME=VALUE."""
    if platform.machine() not in ("x86_64", "AMD64"):
        return ["NUMBA_CPU_NAME=generic"]
    found = ["OPENBLAS_CORETYPE=Haswell", "OPENBLAS_CORETYPE=Zen", "NUMBA_CPU_NAME=generic"]
    extensions: Any = np.show_config(mode="dicts")
    used = extensions["SIMD Extensions"].get("found", [])
    if wide := [name for name in used if "AVX512" in name or name == "X86_V4"]:
        found.append("OPENBLAS_CORETYPE=SkylakeX")
        found.append(f"NPY_DISABLE_CPU_FEATURES={','.join(wide)}")
    return found


def plain() -> Sample:
    choices, values = dict[str, str](), dict[str, list[float]]()
    for name, rules in RULESETS.items():
        coach, random = Advisor.open(rules), Random(7)
        positions = [random_position(rules, random) for _ in range(POSITIONS)]
        choices[name] = digest([read_advice(coach, position) for position in positions])
        advice = [coach.advise(position).options for position in positions]
        values[name] = [option.value for options in advice for option in options]
    for name in LEARNED:
        player, random = find_player(name), Random(8)
        rules = RULESETS[player.rulesets[0]]
        states = [state_of(random_position(rules, random)) for _ in range(POSITIONS)]
        agent: Any = player.make(rules, "")
        choices[name] = digest(agent.choose_many(states, np.random.default_rng(0)))
    for name, found in evaluate_random_play(Simplified()).items():
        plays = found.random, found.fewest_turns, found.most_points
        values[name] = [number for play in plays for number in (play.turns, play.points)]
    return Sample(choices, values)


def compiled() -> Sample:
    choices = {name: played(Advisor.open(rules)) for name, rules in RULESETS.items()}
    small = solve(FIVE_DICE, threads=1)
    worth = evaluate(ValuePlay(small, FIVE_DICE), threads=1)
    moments = [worth.mean, worth.deviation, worth.bonus_probability]
    return Sample(choices, {"small": np.nan_to_num(small).ravel().tolist(), "moments": moments})


def played(coach: Advisor) -> str:
    rules, rng = coach.rules, np.random.default_rng(9)
    cards = np.argwhere(Space(rules).reachable)
    cards = cards[(cards[:, 0] & rules.full) != rules.full]
    rows, columns = cards[np.sort(rng.choice(len(cards), CARDS, replace=False))].T
    holds, boxes = ValuePlay(coach.values.read_all(), rules).cards(
        rows.astype(np.int32), columns.astype(np.int32)
    )
    return hashlib.sha256(holds.tobytes() + boxes.tobytes()).hexdigest()


def digest(found: Any) -> str:
    return hashlib.sha256(repr(found).encode()).hexdigest()


if __name__ == "__main__":
    if sys.argv[1] == "settings":
        sys.stdout.write("\n".join(settings()))
    else:
        json.dump({"plain": plain, "compiled": compiled}[sys.argv[1]](), sys.stdout)
