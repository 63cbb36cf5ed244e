"""Games of bots, from those of a grandmaster to those of a casual one: what simulated people play.

Bots err as people do (``solver.players.erring``), each at a level of its own that does not change,
and all play the same dice: what the dice of a game are worth to everybody can be told from what a
level is good for. ``manage.py trial_spread`` has them play and writes the file of a ruleset; it is
a file of the repository, always the same one as long as numpy draws the same numbers from a seed.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path

import numpy as np

from game.fair.blocks import block
from game.trials.planning.bots import FOLDER, temperatures
from solver.advice import Advisor
from solver.arena.match import from_block, play_out
from solver.players.erring import LEARNT, Erring
from solver.rules import Ruleset
from solver.statistics.chi_squared import Floats

LEVELS, DEALS = 40, 150
DIGITS = 2


@dataclass(frozen=True)
class Bank:
    """A row a level, a column the dice of a game; ``ends`` are the temperatures of beginners."""

    temperatures: Floats
    ends: tuple[float, float]
    cost: Floats
    score: Floats


def file_of(rules: Ruleset) -> Path:
    return FOLDER / f"trial_games_{rules.id}.json"


@cache
def bank(rules: Ruleset) -> Bank:
    told = json.loads(file_of(rules).read_text(encoding="utf-8"))
    cost, score = (np.array(told[name], float) for name in ("cost", "score"))
    low, high = told["ends"]
    return Bank(np.array(told["temperatures"]), (low, high), cost, score)


@cache
def digest(rules: Ruleset) -> str:
    """Other games are another simulation."""
    return sha256(file_of(rules).read_bytes()).hexdigest()[:16]


def made(advisor: Advisor, levels: int = LEVELS, deals: int = DEALS) -> str:
    """The text of the file; levels go below the best beginner's, for people learn."""
    (_first, low), (_last, high) = temperatures(advisor.rules, 2)
    heats = np.linspace(LEARNT * low, high, levels).round(4).tolist()
    games = [[_played(advisor, heat, deal) for deal in range(deals)] for heat in heats]
    facts = {"temperatures": heats, "ends": [low, high]}
    told = [f'"{name}": {json.dumps(value)}' for name, value in facts.items()]
    told += [f'"{name}": [\n{_rows(games, at)}\n]' for at, name in enumerate(("cost", "score"))]
    lines = ",\n".join(told)
    return f"{{{lines}}}\n"


def _played(advisor: Advisor, temperature: float, deal: int) -> tuple[float, int]:
    """What the decisions of a game cost, and its score."""
    rules = advisor.rules
    faces = from_block(block(sha256(f"bank:{deal}".encode()).hexdigest(), rules))
    luck = np.random.default_rng([deal, round(temperature * 10_000)])
    match = play_out(Erring(advisor, 1.0, temperature), rules, faces, luck)
    return round(advisor.ledger(match.decisions).regret, DIGITS), match.end.total


def _rows(games: Sequence[Sequence[tuple[float, int]]], at: int) -> str:
    rows = ([game[at] for game in row] for row in games)
    return ",\n".join(json.dumps(row, separators=(",", ":")) for row in rows)
