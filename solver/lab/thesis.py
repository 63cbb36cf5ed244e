"""Everything that chapter 4 of the study reports, worked out anew."""

from dataclasses import dataclass
from math import sqrt

import numpy as np

from solver.advice import Advisor
from solver.dp.arrays import Floats
from solver.dp.sweep import Progress
from solver.lab.dice_file import random_blocks
from solver.lab.dice_test import DiceTest, real_dice, virtual_dice
from solver.lab.disagreements import Disagreement, disagreements
from solver.lab.histograms import HUMANS, KEYS, Published, distance, published
from solver.lab.performance import Performance, Ten, in_tens, simulate
from solver.lab.printed import Repeated, repeated
from solver.lab.readings import Reading, readings
from solver.lab.results import Exact, exact
from solver.lab.same_value import SameValue, same_value
from solver.lab.statistics import ChiSquared
from solver.players import Player, find_player

GAMES = 100_000
SAME_VALUE_PLAYERS = ("dice-based", "scorecard-based", "optimal")
SAME_VALUE_GAMES = 5
PARTS = len(KEYS) + 3


@dataclass(frozen=True)
class Algorithm:
    """One player of the study beside ours; ``readings`` has one row where the text has no room."""

    player: Player
    published: Published
    exact: Exact
    simulated: Performance
    fit: ChiSquared
    readings: tuple[Reading, ...]

    @property
    def distance(self) -> float:
        return distance(self.exact.distribution.in_tens(), self.published.shares)

    def tens(self) -> list[tuple[Ten, float]]:
        """The published rows, each with our exact share."""
        ours = self.exact.distribution.in_tens()
        rows = in_tens(np.repeat(self.published.counts, 10) * _first_of_ten())
        return [(ten, share_of(ours, ten.low)) for ten in rows]


@dataclass(frozen=True)
class People:
    """The study's players; ``chance`` is that of so high a mean under perfect play."""

    published: Published
    perfect: Exact
    chance: float


@dataclass(frozen=True)
class Study:
    algorithms: tuple[Algorithm, ...]
    virtual: DiceTest
    real: DiceTest
    people: People
    printed: tuple[Repeated, ...]
    same_value: SameValue
    disagreements: tuple[Disagreement, ...]
    seed: int


def study(advisor: Advisor, *, seed: int = 1, progress: Progress | None = None) -> Study:
    """About half a minute when no distribution is kept from before."""
    report = progress or (lambda done, total: None)
    algorithms = []
    for number, player_id in enumerate(KEYS, start=1):
        algorithms.append(_algorithm(find_player(player_id), seed))
        report(number, PARTS)
    virtual = virtual_dice(seed=seed)
    report(len(KEYS) + 1, PARTS)
    printed = tuple(repeated(advisor))
    report(len(KEYS) + 2, PARTS)
    players = [find_player(name) for name in SAME_VALUE_PLAYERS]
    test = same_value(players, random_blocks(SAME_VALUE_GAMES, seed), advisor)
    report(PARTS, PARTS)
    people = _people(algorithms[0].exact)
    found = tuple(disagreements())
    return Study(tuple(algorithms), virtual, real_dice(), people, printed, test, found, seed)


def _algorithm(player: Player, seed: int) -> Algorithm:
    theirs = published(player.id)
    assert theirs is not None  # noqa: S101
    known = exact(player)
    games = simulate(player.open(), player.name, GAMES, seed)
    fit = games.fit(known.distribution)
    return Algorithm(player, theirs, known, games, fit, tuple(readings(player)))


def _people(perfect: Exact) -> People:
    """By the normal approximation, which is good for a mean of 300 games."""
    theirs = published(HUMANS)
    assert theirs is not None  # noqa: S101
    of = perfect.distribution
    away = (theirs.mean - of.mean) / (of.deviation / sqrt(theirs.games))
    return People(theirs, perfect, normal_tail(away))


def normal_tail(deviations: float) -> float:
    from math import erfc

    return erfc(deviations / sqrt(2)) / 2


def share_of(tens: Floats, low: int) -> float:
    return float(tens[low // 10]) if low // 10 < len(tens) else 0.0


def _first_of_ten() -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Counts of tens as counts of scores: all of a ten on its first score."""
    return np.tile(np.array([1] + [0] * 9, dtype=np.int64), 40)
