"""How far bots differ: what a trial is planned with where nobody has finished one yet.

They err as those of a rehearsal do, but at levels from that of a grandmaster to that of a
casual one (``game.judgement.peers``), evenly spread, for people differ more than a few bots that
try a site out. Each plays the same dice twice as many games: as it plays at first, and as it plays
after ``PRACTICE`` games. ``manage.py trial_spread`` writes the file of a ruleset; it is a file of
the repository.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from game.fair.blocks import block
from game.judgement import peers
from solver.advice import Advisor
from solver.arena.match import from_block, play_out
from solver.players.erring import Bot
from solver.rules import Ruleset
from solver.statistics.components import Group, dice_share, spread_of
from solver.statistics.inference import Games
from solver.statistics.planning import Spread

FOLDER = Path(__file__).resolve().parents[2] / "data"
BOTS, GAMES, PRACTICE = 120, 10, 20
DIGITS = 3


def file_of(rules: Ruleset) -> Path:
    return FOLDER / f"trial_spread_{rules.id}.json"


def stored(rules: Ruleset) -> Mapping[str, Any]:
    found: Mapping[str, Any] = json.loads(file_of(rules).read_text(encoding="utf-8"))
    return found


def spread_of_bots(rules: Ruleset, outcome: str) -> Spread:
    return Spread(**stored(rules)[outcome])


def made(advisor: Advisor, bots: int = BOTS, games: int = GAMES) -> str:
    """The text of the file of a ruleset."""
    levels = temperatures(advisor.rules, bots)
    phases = [
        [_played(advisor, Bot(level, _luck(at, practice)), games, practice) for at, level in levels]
        for practice in (0, PRACTICE)
    ]
    cost, score = ([[one[at] for one in phase] for phase in phases] for at in (0, 1))
    found = {"cost": _spread(cost), "score": _spread(score)}
    # Luck is nought on average, so people differ in their scores as in what their decisions cost.
    found["score"] |= {name: found["cost"][name] for name in ("between", "change")}
    ends = [round(levels[at][1], DIGITS) for at in (0, -1)]
    facts = {"bots": bots, "games": games, "practice": PRACTICE, "temperatures": ends}
    return f"{json.dumps(facts | found, indent=1)}\n"


def temperatures(rules: Ruleset, bots: int) -> list[tuple[int, float]]:
    """Of each bot, by its number."""
    found = json.loads(peers.file_of(rules).read_text(encoding="utf-8"))["temperatures"]
    levels: list[float] = np.linspace(found["grandmaster"], found["casual"], bots).tolist()
    return list(enumerate(levels))


def _luck(number: int, practice: int) -> Random:
    return Random(f"{number}:{practice}")  # noqa: S311


def _played(advisor: Advisor, bot: Bot, games: int, practice: int) -> tuple[Games, Games]:
    """What decisions cost, and the scores, by the number of the game."""
    cost, score = dict[int, float](), dict[int, float]()
    for number in range(1 + practice, games + 1 + practice):
        seed = sha256(f"plan:{number}".encode()).hexdigest()
        faces = from_block(block(seed, advisor.rules))
        match = play_out(bot.in_game(advisor, 1 + practice), advisor.rules, faces)
        cost[number] = advisor.ledger(match.decisions).regret
        score[number] = float(match.end.total)
    return cost, score


def _spread(phases: Sequence[Sequence[Games]]) -> dict[str, float]:
    """Of the first phase, and how differently they change to the second."""
    dice = dice_share([Group(phases[0], shared_dice=True)]) or 0.0
    first = spread_of([Group(phases[0], shared_dice=True)], dice)
    whole = [{**one, **other} for one, other in zip(*phases, strict=True)]
    both = spread_of([Group(whole, shared_dice=True)], dice)
    if first is None or both is None:
        return {}
    told = asdict(first) | {"change": both.change}
    return {name: round(value, DIGITS) for name, value in told.items()}
