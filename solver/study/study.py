"""Everything that chapter 4 of the study reports, worked out anew."""

from dataclasses import dataclass

from solver.advice import Advisor
from solver.arena.dice_file import random_blocks
from solver.arena.performance import Performance, simulate
from solver.arena.results import Exact, exact
from solver.arena.same_value import SameValue, same_value
from solver.dp.sweep import Progress
from solver.players import PlayerEntry, find_player
from solver.rules import YATZY
from solver.statistics.chi_squared import ChiSquared
from solver.statistics.fairness import DiceTest, virtual_dice
from solver.study.disagreements import Disagreement, disagreements
from solver.study.histograms import KEYS, Published, distance, published_of
from solver.study.people import StudyPeople, people
from solver.study.printed import Repeated, repeated
from solver.study.published import real_dice
from solver.study.readings import Reading, readings

GAMES = 100_000
SAME_VALUE_PLAYERS = ("dice-based", "scorecard-based", "optimal")
SAME_VALUE_GAMES = 5
PARTS = len(KEYS) + 3


@dataclass(frozen=True)
class Algorithm:
    """One player of the study beside ours; ``readings`` has one row where the text has no room."""

    player: PlayerEntry
    published: Published
    exact: Exact
    simulated: Performance
    fit: ChiSquared
    readings: tuple[Reading, ...]

    @property
    def distance(self) -> float:
        return distance(self.exact.distribution.in_tens(), self.published.shares)


@dataclass(frozen=True)
class Study:
    algorithms: tuple[Algorithm, ...]
    virtual: DiceTest
    real: DiceTest
    people: StudyPeople
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
    test = same_value(players, random_blocks(SAME_VALUE_GAMES, seed, advisor.rules), advisor)
    report(PARTS, PARTS)
    theirs = people(algorithms[0].exact.distribution)
    found = tuple(disagreements())
    return Study(tuple(algorithms), virtual, real_dice(), theirs, printed, test, found, seed)


def _algorithm(player: PlayerEntry, seed: int) -> Algorithm:
    known = exact(player, YATZY)
    games = simulate(player.open(YATZY), YATZY, player.name, GAMES, seed)
    fit = games.fit(known.distribution)
    return Algorithm(player, published_of(player.id), known, games, fit, tuple(readings(player)))
