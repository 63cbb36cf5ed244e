"""The chance that an honest expert loses as few points in a series of games as a player did.

The expert is the Grandmaster of ``peers``: a bot that errs as people do, and loses as many points
as the middle of that grade. A file of the repository has its losses per game.
``solver.statistics.chi_squared`` calculates the chance for several games.
"""

import json
from functools import cache
from pathlib import Path

import numpy as np

from game.core.worth.peers import ERRING, read_peers
from game.data import make_data_path
from solver.advice import Advisor
from solver.arena.match import make_random_roller, play_out
from solver.players.erring import Erring
from solver.rules import Ruleset

EXPERT = ERRING[0]
GAMES, SEED = 2000, 1991
DIGITS = 3


def make_games_path(rules: Ruleset) -> Path:
    return make_data_path("expert_games", rules, "json")


@cache
def read_expert_losses(rules: Ruleset) -> tuple[float, ...]:
    if not make_games_path(rules).exists():
        return ()
    return tuple(json.loads(make_games_path(rules).read_text(encoding="utf-8"))["lost"])


def make_expert_file(advisor: Advisor, *, games: int = GAMES, seed: int = SEED) -> str:
    """Play the expert's games, and return the file's text. A compiled advisor makes this faster."""
    temperature, rng = read_peers(advisor.rules)[EXPERT.id].temperature, np.random.default_rng(seed)
    losses = sorted(
        round(loss, DIGITS) for loss in play_expert_games(advisor, temperature, games, rng)
    )
    document = {"games": games, "temperature": temperature, "lost": losses}
    return f"{json.dumps(document, separators=(',', ':'))}\n"


def play_expert_games(
    advisor: Advisor, temperature: float, games: int, rng: np.random.Generator
) -> list[float]:
    bot = Erring(advisor, rate=1.0, temperature=temperature)
    matches = (play_out(bot, advisor.rules, make_random_roller(rng), rng) for _ in range(games))
    return [advisor.make_ledger(match.decisions).regret for match in matches]
