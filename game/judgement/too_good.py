"""How likely an honest expert loses as little in a series of games as somebody has.

The expert is the Grandmaster of ``peers``: a bot that errs as people do, at the temperature at
which it loses what the middle of that grade loses. What such a bot lost in each of its games is a
file of the repository; games are independent, so what it loses in several is their convolution.
"""

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np

from game.judgement.peers import ERRING, FOLDER, peers
from solver.advice import Advisor
from solver.arena.match import at_random, play_out
from solver.dp.arrays import Floats
from solver.players.erring import Erring
from solver.rules import Ruleset

EXPERT = ERRING[0]
GAMES, SEED = 2000, 1991
STEP, STEPS = 0.005, 4000  # points, and how many of them a sum has at most
DIGITS = 3


def file_of(rules: Ruleset) -> Path:
    return FOLDER / f"expert_games_{rules.id}.json"


@cache
def expert_games(rules: Ruleset) -> tuple[float, ...]:
    """What each of the expert's games lost; none where nobody had it play."""
    if not file_of(rules).exists():
        return ()
    return tuple(json.loads(file_of(rules).read_text(encoding="utf-8"))["lost"])


def chance(expert: Sequence[float], games: int, lost: float) -> float:
    """That so many games of the expert lose no more than this together: at most so much.

    One more of its games is taken to be without a mistake, so that nothing is impossible because
    the expert was not seen to do it; and all are rounded to its favour.
    """
    step = step_of(lost)
    most = int(lost / step + 1e-9)
    steps = [0, *(int(each / step + 1e-9) for each in expert)]
    one = np.bincount(steps, minlength=most + 1)[: most + 1]
    return float(_several(one / len(steps), games).sum())


def step_of(lost: float) -> float:
    """A game counts as one that lost up to so much less."""
    return max(STEP, lost / STEPS)


def _several(one: Floats, games: int) -> Floats:
    """The distribution of a sum, by squaring, as far as that of one goes."""
    most, found = len(one), np.ones(1)
    while games:
        if games & 1:
            found = np.convolve(found, one)[:most]
        one, games = np.convolve(one, one)[:most], games >> 1
    return found


def made(advisor: Advisor, *, games: int = GAMES, seed: int = SEED) -> str:
    """The text of the file; the advisor had better be compiled."""
    temperature, rng = peers(advisor.rules)[EXPERT.id].temperature, np.random.default_rng(seed)
    lost = sorted(round(one, DIGITS) for one in played(advisor, temperature, games, rng))
    told = {"games": games, "temperature": temperature, "lost": lost}
    return f"{json.dumps(told, separators=(',', ':'))}\n"


def played(
    advisor: Advisor, temperature: float, games: int, rng: np.random.Generator
) -> list[float]:
    bot = Erring(advisor, rate=1.0, temperature=temperature)
    matches = (play_out(bot, advisor.rules, at_random(rng), rng) for _ in range(games))
    return [advisor.ledger(match.decisions).regret for match in matches]
