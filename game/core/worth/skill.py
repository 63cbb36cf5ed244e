"""A player's skill: the average score over endless games, and its range of 95 %.

A score is luck and play together; what the decisions cost is play alone, so that it varies far less
from game to game, and how much it varies is known before a player's first game: the peers of
``peers.py`` say how much it does for anyone who loses so much on average.

    skill = perfect play - mean of L, weighted by
            prior(L) * s(L)^2 / (2 s(L)^2 + sum of (loss of a game - L)^2) ^ (1 + games / 2)

L is what a player may lose per game, and s(L) how much the peers vary who lose as much. The second
line is the likelihood if how much this player varies is known from the peers as well as from two
games. Before a site has players of its own, everything from the best of the peers to the worst is
as likely as twice as much; later the prior is the mean of what its players lose.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from math import sqrt

import numpy as np

from game.core.worth.peers import peers
from game.core.worth.repetition import credit
from game.core.worth.severity import Grade, decisions_of, erring_grade
from solver.advice import is_mistake
from solver.dp.arrays import Floats
from solver.rules import YATZY, Ruleset
from solver.statistics.inference import Interval, around
from solver.statistics.student import t_quantile

VARIES = 2.0  # games: so well is a player's own spread known from the peers
PEERS_GAMES = 4.0  # and so well that of a difference between two players
BEYOND = 2.0  # times better than the best of the peers, or worse than the worst
STEPS = 600
TAIL = 0.025


@dataclass(frozen=True, slots=True)
class Moments:
    """Size, mean and mean of squares of a sample; a game that counts in part adds to the size as
    much as it counts."""

    count: float
    mean: float
    square: float

    @property
    def deviation(self) -> float:
        if self.count < 2:
            return 0.0
        return sqrt(max(0.0, self.square - self.mean**2) * self.count / (self.count - 1))

    @property
    def interval(self) -> Interval | None:
        """Around the mean; a single value has none, and equal ones have one without a width."""
        if self.count < 2:
            return None
        degrees, error = self.count - 1, self.deviation / sqrt(self.count)
        half = t_quantile(degrees) * error
        return Interval(self.mean, self.mean - half, self.mean + half, error, degrees)


@dataclass(frozen=True, slots=True)
class Skill:
    """``lost`` is in points per game, between ``least`` and ``most`` with 95 % certainty."""

    rules: Ruleset
    value_start: float
    lost: float
    least: float
    most: float
    games: int

    @property
    def estimate(self) -> float:
        return self.value_start - self.lost

    @property
    def low(self) -> float:
        return self.value_start - self.most

    @property
    def high(self) -> float:
        return self.value_start - self.least

    @property
    def numbers(self) -> tuple[float, float, float]:
        return self.estimate, self.low, self.high

    @property
    def grade(self) -> Grade:
        return self._grade(self.lost)

    @property
    def grades(self) -> tuple[Grade, Grade]:
        """The best and the worst grade of the range."""
        return self._grade(self.least), self._grade(self.most)

    def _grade(self, points_lost: float) -> Grade:
        return erring_grade(points_lost / decisions_of(self.rules))


@dataclass(frozen=True, slots=True)
class LossSpread:
    """The spread between games of the loss of a player with a given average loss."""

    lost: Floats  # the possible averages, in equal ratios
    variances: Floats

    def at(self, loss: float) -> float:
        """Return the variance; below the least and above the most it is theirs."""
        logs = np.log(self.lost), np.log(self.variances)
        return float(np.exp(np.interp(np.log(max(loss, 1e-9)), *logs)))

    def weights(self, losses: Moments, prior: Floats) -> Floats:
        """Return how likely each average is after these games."""
        apart = losses.square - 2 * losses.mean * self.lost + self.lost**2
        known = VARIES * self.variances + losses.count * apart
        likely = np.log(prior) + VARIES / 2 * np.log(self.variances)
        likely -= (VARIES + losses.count) / 2 * np.log(known)
        weights: Floats = np.exp(likely - likely.max())
        weights /= weights.sum()
        return weights


@cache
def spread_of(rules: Ruleset) -> LossSpread:
    """Return the spread of a ruleset's peers; a ruleset without peers has those of Yatzy, scaled by
    its number of decisions."""
    known, scale = peers(rules), 1.0
    if not known:
        known, scale = peers(YATZY), decisions_of(rules) / decisions_of(YATZY)
    levels = [(scale * peer.lost, scale * peer.deviation) for peer in known.values() if peer.rating]
    means, deviations = np.log(sorted(levels)).T
    logs = np.linspace(means[0] - np.log(BEYOND), means[-1] + np.log(BEYOND), STEPS)
    slope = (deviations[-1] - deviations[0]) / (means[-1] - means[0])
    beyond = slope * (logs - logs.clip(means[0], means[-1]))
    return LossSpread(np.exp(logs), np.exp(2 * (np.interp(logs, means, deviations) + beyond)))


SHIPPED: Floats = np.full(STEPS, 1 / STEPS)


def prior_of(players: Iterable[Moments], rules: Ruleset) -> Floats:
    """Return the mean of what these players may lose; the shipped prior counts as one of them."""
    spread = spread_of(rules)
    each = [SHIPPED, *(spread.weights(losses, SHIPPED) for losses in players)]
    prior: Floats = np.mean(each, axis=0)
    return prior


def skill_of(
    losses: Moments, games: int, rules: Ruleset, value_start: float, prior: Floats = SHIPPED
) -> Skill:
    """Return the estimate; without games it is what the prior expects."""
    spread = spread_of(rules)
    weights = spread.weights(losses, prior)
    low, high = np.interp([TAIL, 1 - TAIL], np.cumsum(weights) - weights / 2, spread.lost)
    points_lost = float(weights @ spread.lost)
    return Skill(rules, value_start, points_lost, float(low), float(high), games)


def better_by(differences: Moments, skills: tuple[Skill, Skill]) -> Interval | None:
    """Points a game by which one of two plays better, from what each lost on the same dice."""
    if not differences.count:
        return None
    known = sum(spread_of(skill.rules).at(skill.lost) for skill in skills)
    squares = differences.deviation**2 * (differences.count - 1)
    degrees = PEERS_GAMES + differences.count - 1
    variance = (PEERS_GAMES * known + squares) / degrees
    return around(differences.mean, variance / differences.count, degrees)


def accuracy(loss: float, rules: Ruleset) -> float:
    """Return the credit of what a game lost a decision: it falls with the points lost, whichever
    way they were lost, and is 1 of a game without a mistake and of no other."""
    return credit(loss / decisions_of(rules)) if is_mistake(loss) else 1.0
