"""Games of bots, to plan a trial when no trial is finished yet; two files each.

``trial_spread_*.json`` says how far bots differ: 120 of them, which err as those of a rehearsal do,
at levels evenly spread from a grandmaster's to a casual player's (``game.core.worth.peers``),
played the same dice 10 times as they play at first and 10 times as they play after 20 games.
``trial_games_*.json`` is the bank of the simulation: at 40 such levels, which begin below the best
bot's because people learn, the cost and the score of a game on each of the same 150 dice.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from typing import Any

import numpy as np

from game.data import FOLDER
from solver.rules import Ruleset
from solver.statistics.chi_squared import Floats
from solver.statistics.planning import Spread


@dataclass(frozen=True)
class Bank:
    """A row a level, a column the dice of a game; ``ends`` are the temperatures of beginners."""

    temperatures: Floats
    ends: tuple[float, float]
    cost: Floats
    score: Floats


def stored(rules: Ruleset) -> Mapping[str, Any]:
    file = FOLDER / f"trial_spread_{rules.id}.json"
    found: Mapping[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return found


def spread_of_bots(rules: Ruleset, outcome: str) -> Spread:
    return Spread(**stored(rules)[outcome])


def _games(rules: Ruleset) -> bytes:
    return (FOLDER / f"trial_games_{rules.id}.json").read_bytes()


@cache
def bank(rules: Ruleset) -> Bank:
    told = json.loads(_games(rules))
    cost, score = (np.array(told[name], float) for name in ("cost", "score"))
    low, high = told["ends"]
    return Bank(np.array(told["temperatures"]), (low, high), cost, score)


@cache
def digest(rules: Ruleset) -> str:
    """Return a hash of the rules that a simulation depends on."""
    return sha256(_games(rules)).hexdigest()[:16]
