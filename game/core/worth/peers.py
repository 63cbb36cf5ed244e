"""The losses of players of a grade.

They are bots that err as people do (``solver.players.erring``): an option is drawn the less often
the more it costs, at one temperature for each grade, the one at which a bot loses about as many
points per decision as the middle of the grade. People who lose as much differ in how: so do others
of these bots, that err in a half, a quarter or an eighth of their decisions and the more there. A
grade has the mean of all four, and how far their games lie apart.

``./yatzy peers`` has them play and writes the file of a ruleset; it is a file of the repository,
always the same one as long as numpy draws the same numbers from a seed.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import exp, log, sqrt
from pathlib import Path

import numpy as np

from game.core.worth.severity import FLAWLESS, GRADES, Grade, decisions_of
from game.data import path_of
from solver.advice import Advisor
from solver.arena.match import at_random, play_out
from solver.dp.arrays import Floats
from solver.players.erring import Erring
from solver.rules import Ruleset
from solver.statistics.inference import NOTHING

SEED = 1952
GAMES = 1000  # of every grade
TRIED = 40  # games per temperature, to find those of the grades
TEMPERATURES = tuple(0.02 * 1.6**step for step in range(13))
SELDOM = (
    0.5,
    0.25,
    0.125,
)  # other bots err in this share of their decisions, at other temperatures
HOTTER = tuple(0.02 * 2.5**step for step in range(10))  # which are these,
FEWER = 4  # the factor by which they play fewer games
# The middle of a grade: of its two ends as a ratio, and for the two without a second end this.
BEST_OF, WORST_OF = 0.5, 1.5
DIGITS = 4

ERRING = GRADES[1:]  # who has any mistakes to compare


@dataclass(frozen=True, slots=True)
class Peers:
    """``lost`` is what they lose per game, ``rating`` per decision, ``temperature`` that of the
    bots that they are, and ``deviation`` how the loss varies from game to game."""

    lost: float
    rating: float
    temperature: float
    deviation: float


def file_of(rules: Ruleset) -> Path:
    return path_of("peers", rules, "json")


@cache
def peers(rules: Ruleset) -> Mapping[str, Peers]:
    """Return the bots' losses by grade; empty if they were never played. Flawless play needs no
    games."""
    if not file_of(rules).exists():
        return {}
    stored = json.loads(file_of(rules).read_text(encoding="utf-8"))
    rates, deviations = stored["temperatures"], stored["deviations"]
    return {FLAWLESS.id: Peers(0.0, 0.0, rates[ERRING[0].id], 0.0)} | {
        grade: Peers(losses, losses / decisions_of(rules), rates[grade], deviations[grade])
        for grade, losses in stored["lost"].items()
    }


def erring(grade: Grade) -> Grade:
    """Return the grade to compare this grade's mistakes with; without mistakes it is the next
    grade."""
    return ERRING[0] if grade == FLAWLESS else grade


def middle(grade: Grade) -> float:
    """Return the points lost per decision in the middle of a grade."""
    ends = [grade_below.below for grade_below in ERRING]
    at = ends.index(grade.below)
    if not at:
        return grade.below * BEST_OF
    below = ends[at - 1]
    return below * WORST_OF if at == len(ends) - 1 else sqrt(below * grade.below)


def made(advisor: Advisor, *, games: int = GAMES, seed: int = SEED) -> str:
    """Return the text of the file; the advisor had better be compiled."""
    rng = np.random.default_rng(seed)
    tried = [played(advisor, heat, TRIED, rng)[0] for heat in TEMPERATURES]
    heats = {grade.id: temperature_for(middle(grade), tried) for grade in ERRING}
    always = {grade: played(advisor, heat, games, rng)[1] for grade, heat in heats.items()}
    seldom = [_seldom(advisor, rate, always, games, rng) for rate in SELDOM]
    kinds = {
        grade: [losses, *(others[grade] for others in seldom if grade in others)]
        for grade, losses in always.items()
    }
    document = {
        "games": games,
        "temperatures": {grade: round(heat, DIGITS) for grade, heat in heats.items()},
        "deviations": {
            grade: round(_deviation(players), DIGITS) for grade, players in kinds.items()
        },
        "lost": {
            grade: round(float(np.mean([losses.mean() for losses in players])), 3)
            for grade, players in kinds.items()
        },
    }
    return f"{json.dumps(document, indent=1)}\n"


def _seldom(
    advisor: Advisor,
    rate: float,
    always: Mapping[str, Floats],
    games: int,
    rng: np.random.Generator,
) -> dict[str, Floats]:
    """Return the losses of each grade that fewer mistakes can reach, with the same total."""
    tried = [played(advisor, heat, TRIED, rng, rate)[0] for heat in HOTTER]
    seldom = {}
    for grade, losses in always.items():
        rating = losses.mean() / decisions_of(advisor.rules)
        if rating < max(tried):
            heat = temperature_for(rating, tried, HOTTER)
            theirs = played(advisor, heat, max(TRIED, games // FEWER), rng, rate)[1]
            seldom[grade] = theirs * (losses.mean() / theirs.mean())
    return seldom


def _deviation(players: Sequence[Floats]) -> float:
    """Return how the loss varies from game to game for a player who may be any of these."""
    return sqrt(sum(float(losses.var(ddof=1)) for losses in players) / len(players))


def temperature_for(
    rating: float, tried: Sequence[float], temperatures: Sequence[float] = TEMPERATURES
) -> float:
    """Between the temperatures that were tried, along straight lines of the logarithms."""
    heats: Floats = np.log(temperatures)
    return exp(float(np.interp(log(rating), np.log(np.maximum(tried, NOTHING)), heats)))


def played(
    advisor: Advisor,
    temperature: float,
    games: int,
    rng: np.random.Generator,
    rate: float = 1.0,
) -> tuple[float, Floats]:
    """Return the points lost per decision, and those lost in each game."""
    bot = Erring(advisor, rate=rate, temperature=temperature)
    matches = (play_out(bot, advisor.rules, at_random(rng), rng) for _ in range(games))
    losses = np.array([advisor.ledger(match.decisions).regret for match in matches])
    return float(losses.mean()) / decisions_of(advisor.rules), losses
