"""How often a series of games counts as too good: of who plays honestly, and who asks a solver.

Whoever asks one takes its move in a share of the decisions, and errs in the others as bots of a
grade do (``solver.players.erring``). So does an honest person who errs seldom: what games cost
cannot tell the two apart, and somebody counts as too good by the total alone.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from game.judgement.peers import ERRING, peers
from game.judgement.severity import Grade
from game.judgement.too_good import expert_games, played
from solver.advice import Advisor
from solver.statistics.likeness import share_of_series, suspicious

ASKED = (0.0, 0.3, 0.6, 1.0)  # shares of decisions in which the solver decides
SEED = 1977


@dataclass(frozen=True, slots=True)
class Detection:
    """``lost`` a game, and the share of series of games that count as too good."""

    grade: Grade
    asked: float
    lost: float
    found: float


def detections(
    advisor: Advisor, *, games: int, series: int, once_in: int, seed: int = SEED
) -> Iterator[Detection]:
    """``series``: so many games together; ``games`` of everybody are played to work that out."""
    limit = suspicious(expert_games(advisor.rules), series, once_in)
    rng = np.random.default_rng(seed)
    for grade in ERRING:
        temperature = peers(advisor.rules)[grade.id].temperature
        for asked in ASKED:
            lost = played(advisor, temperature, games, rng, 1 - asked)
            found = 0.0 if limit is None else share_of_series(lost, series, limit)
            yield Detection(grade, asked, sum(lost) / games, found)
