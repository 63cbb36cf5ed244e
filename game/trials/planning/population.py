"""The people of a simulated trial: how much their games cost, or what they score.

Shapes are those of bots: everybody has a temperature between a grandmaster's and a casual player's,
which falls from game to game, and a game lies as far from what its level is good for as one that
was drawn from the bank. Sizes are those of the plan's ``Spread``, as its formulas take them: in the
games that the trial asks about people differ by ``between``, from the games before to these they
change differently by ``change``, and games differ by ``within``, of whose variance the ``dice``
are common to all who play the same ones. So formulas and simulation may be held together.
"""

from dataclasses import dataclass
from functools import cache
from random import Random

import numpy as np
import numpy.typing as npt

from game.trials.design.phases import BEFORE
from game.trials.planning.bots import Bank, bank
from game.trials.planning.simulated import SimulatedTrial
from solver.players.erring import Bot
from solver.rules import PLAYED, find_ruleset
from solver.statistics.chi_squared import Floats

PEOPLE = 400  # of whom everybody who takes part is one, at levels that are evenly spread
PERFECT = 245.0  # about what scores lie around; no difference depends on it


@dataclass(frozen=True)
class Population:
    """A row a person, a column a game; ``levels`` are what a game of theirs costs on average.

    ``at`` is the place of each game among the levels of the bank, whose ``accidents`` are how far
    games lie from their level's mean; ``deals``: what dice are worth to all, in deviations.
    """

    levels: Floats
    at: Floats
    accidents: Floats
    deals: Floats
    dice: float
    shared_dice: bool
    scored: bool

    def drawn(self, people: int, rng: np.random.Generator) -> "Drawn":
        who = rng.integers(len(self.levels), size=people)
        at = self.at[who]
        rows = (at + rng.random(at.shape)).astype(np.int64)
        accidents = self.accidents[rows, rng.integers(len(self.deals), size=at.shape)]
        if self.shared_dice:
            accidents = accidents * np.sqrt(1 - self.dice) + self._luck(rows, rng)
        costs = self.levels[who]
        values = PERFECT - costs + accidents if self.scored else costs + accidents
        return Drawn(costs[:, 0], values)

    def _luck(self, rows: npt.NDArray[np.int64], rng: np.random.Generator) -> Floats:
        """What the dice of each game are worth to everybody, as far as games of a level vary."""
        games = rows.shape[1]
        dealt = self.deals[rng.choice(len(self.deals), games, replace=games > len(self.deals))]
        found: Floats = self.accidents.std(1)[rows] * dealt[None, :] * np.sqrt(self.dice)
        return found


@dataclass(frozen=True)
class Drawn:
    """Those who take part: what a first game costs them on average, and a value a game."""

    levels: Floats
    values: Floats


@cache
def population(trial: SimulatedTrial) -> Population:
    of = bank(find_ruleset(trial.ruleset, PLAYED))
    phases = np.array(trial.order)
    asked, before = phases == trial.asks, phases == BEFORE
    heats = _temperatures(of, len(phases))
    costs = np.interp(heats, of.temperatures, of.cost.mean(1))
    games = of.score if trial.outcome == "score" else of.cost
    accidents = games - games.mean(1, keepdims=True)
    noise = np.interp(heats[:, asked], of.temperatures, accidents.var(1)).mean()
    apart = np.interp(heats[:, asked], of.temperatures, accidents.std(1)).mean()
    return Population(
        levels=_levels(costs, asked, before, trial),
        at=np.interp(heats, of.temperatures, np.arange(len(games), dtype=float)),
        accidents=accidents * trial.spread.within / np.sqrt(noise),
        deals=_deals(accidents),
        # What two of different levels share is less than what is of the dice for each of them.
        dice=min(1.0, trial.spread.dice * noise / apart**2),
        shared_dice=trial.shared_dice,
        scored=trial.outcome == "score",
    )


def _temperatures(of: Bank, games: int) -> Floats:
    learner = Bot(1.0, Random())  # noqa: S311 - of which nothing is drawn
    unlearnt = np.array([learner.temperature_in(game) for game in range(1, games + 1)])
    found: Floats = np.linspace(*of.ends, PEOPLE)[:, None] * unlearnt
    return found


def _levels(
    costs: Floats,
    asked: npt.NDArray[np.bool_],
    before: npt.NDArray[np.bool_],
    trial: SimulatedTrial,
) -> Floats:
    """All learn as bots do on average, and differ as far as the plan says."""
    mean = costs.mean(0)
    apart = costs - mean
    there = apart[:, asked].mean(1)
    wider = trial.spread.between / there.std()
    course = apart - there[:, None]
    if before.any():
        changes = (apart[:, before].mean(1) - there).std()
        course = course * trial.spread.change / changes
    else:
        course = course * wider
    found: Floats = mean + wider * there[:, None] + course
    return found


def _deals(accidents: Floats) -> Floats:
    """What the dice of each game were worth to all levels, with a deviation of 1."""
    worth = (accidents / accidents.std(1, keepdims=True)).mean(0)
    found: Floats = (worth - worth.mean()) / worth.std()
    return found
