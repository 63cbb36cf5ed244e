"""The points that players of each grade lose on average.

Bots stand for these players: they err as people do (``solver.players.erring``). The more an option
costs, the less often they choose it. A temperature per grade sets how much they err: the bot loses
about as many points per decision as the middle of the grade. People with equal losses err
differently. Three more bots per grade therefore err in only a half, a quarter or an eighth of their
decisions, but lose more in these. A grade's figures are the mean loss of all four bots, and the
deviation between their games.

``./yatzy peers`` plays their games and writes the file of a ruleset. The file is part of the
repository. A new run makes the same file as long as numpy draws the same numbers from a seed.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import exp, log, sqrt
from pathlib import Path

import numpy as np

from game.core.worth.severity import FLAWLESS, GRADES, Grade, count_decisions
from game.data import make_data_path
from solver.advice import Advisor
from solver.arena.match import make_random_roller, play_out
from solver.dp.arrays import Floats
from solver.players.erring import Erring
from solver.rules import Ruleset
from solver.statistics.inference import NOTHING

SEED = 1952
GAMES = 1000  # games per grade
TRIED = 40  # games per temperature, when the program looks for the temperatures of the grades
TEMPERATURES = tuple(0.02 * 1.6**step for step in range(13))
SELDOM = (
    0.5,
    0.25,
    0.125,
)  # shares of decisions in which bots that seldom err do so
# temperatures to try for bots that seldom err
HOTTER = tuple(0.02 * 2.5**step for step in range(10))
FEWER = 4  # these bots play this many times fewer games
# The middle of a grade is the geometric mean of both ends. The best and the worst grade have only
# one end, so their middle is this end times one of these factors.
BEST_OF, WORST_OF = 0.5, 1.5
DIGITS = 4

ERRING = GRADES[1:]  # the grades with mistakes


@dataclass(frozen=True, slots=True)
class Peers:
    """The figures of a grade's bots: ``lost`` is points per game, ``rating`` points per decision,
    ``deviation`` the standard deviation of the loss between games."""

    lost: float
    rating: float
    temperature: float
    deviation: float


def make_peers_path(rules: Ruleset) -> Path:
    return make_data_path("peers", rules, "json")


@cache
def read_peers(rules: Ruleset) -> Mapping[str, Peers]:
    """Return the bots' figures by grade; empty without a file. Grade Flawless always loses 0."""
    if not make_peers_path(rules).exists():
        return {}
    stored = json.loads(make_peers_path(rules).read_text(encoding="utf-8"))
    rates, deviations = stored["temperatures"], stored["deviations"]
    return {FLAWLESS.id: Peers(0.0, 0.0, rates[ERRING[0].id], 0.0)} | {
        grade: Peers(losses, losses / count_decisions(rules), rates[grade], deviations[grade])
        for grade, losses in stored["lost"].items()
    }


def find_compared_grade(grade: Grade) -> Grade:
    """Return the grade whose bots are compared with a player of this grade: for Flawless the next
    grade, otherwise the grade itself."""
    return ERRING[0] if grade == FLAWLESS else grade


def make_peers_file(advisor: Advisor, *, games: int = GAMES, seed: int = SEED) -> str:
    """Play the bots' games, and return the file's text. A compiled advisor makes this faster."""
    rng = np.random.default_rng(seed)
    tried = [play_games(advisor, heat, TRIED, rng)[0] for heat in TEMPERATURES]
    heats = {}
    for at, grade in enumerate(ERRING):
        if at:
            below = ERRING[at - 1].below
            middle = below * WORST_OF if at == len(ERRING) - 1 else sqrt(below * grade.below)
        else:
            middle = grade.below * BEST_OF
        heats[grade.id] = find_temperature(middle, tried)
    always = {grade: play_games(advisor, heat, games, rng)[1] for grade, heat in heats.items()}
    kinds = {grade: [losses] for grade, losses in always.items()}
    for rate in SELDOM:
        # Bots that err in only this share of their decisions. Their losses are scaled so that their
        # mean is the grade's mean loss.
        tried = [play_games(advisor, heat, TRIED, rng, rate)[0] for heat in HOTTER]
        for name, losses in always.items():
            rating = losses.mean() / count_decisions(advisor.rules)
            if rating < max(tried):
                heat = find_temperature(rating, tried, HOTTER)
                theirs = play_games(advisor, heat, max(TRIED, games // FEWER), rng, rate)[1]
                kinds[name].append(theirs * (losses.mean() / theirs.mean()))
    document = {
        "games": games,
        "temperatures": {grade: round(heat, DIGITS) for grade, heat in heats.items()},
        "deviations": {
            grade: round(_calculate_deviation(players), DIGITS) for grade, players in kinds.items()
        },
        "lost": {
            grade: round(float(np.mean([losses.mean() for losses in players])), 3)
            for grade, players in kinds.items()
        },
    }
    return f"{json.dumps(document, indent=1)}\n"


def _calculate_deviation(players: Sequence[Floats]) -> float:
    """Return the standard deviation of the loss between games; all kinds of bots count equally."""
    return sqrt(sum(float(losses.var(ddof=1)) for losses in players) / len(players))


def find_temperature(
    rating: float, tried: Sequence[float], temperatures: Sequence[float] = TEMPERATURES
) -> float:
    """Return the temperature at which a bot loses ``rating`` points per decision. Interpolate on a
    log scale: bots at ``temperatures`` lost ``tried`` points per decision."""
    heats: Floats = np.log(temperatures)
    return exp(float(np.interp(log(rating), np.log(np.maximum(tried, NOTHING)), heats)))


def find_temperature_of(rules: Ruleset, points_lost: float) -> float:
    peers = [read_peers(rules)[grade.id] for grade in ERRING]
    return find_temperature(points_lost, [p.lost for p in peers], [p.temperature for p in peers])


def play_games(
    advisor: Advisor,
    temperature: float,
    games: int,
    rng: np.random.Generator,
    rate: float = 1.0,
) -> tuple[float, Floats]:
    """Return a bot's points lost per decision, and the points lost in each game."""
    bot = Erring(advisor, rate=rate, temperature=temperature)
    matches = (play_out(bot, advisor.rules, make_random_roller(rng), rng) for _ in range(games))
    losses = np.array([advisor.make_ledger(match.decisions).regret for match in matches])
    return float(losses.mean()) / count_decisions(advisor.rules), losses
