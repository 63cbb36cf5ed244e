"""A player's skill: the estimate of the average score over endless games, with a 95 % range.

A score contains luck; the cost of decisions does not, so it varies much less from game to game. The
bots of ``peers.py`` show how much the loss of players varies between games, before a player's first
game.

    skill = perfect play - mean of L, weighted by
            prior(L) * s(L)^2 / (2 s(L)^2 + sum of (loss of a game - L)^2) ^ (1 + games / 2)

L is a possible average loss per game, and s(L) the deviation between games of bots with that loss.
The second line is the likelihood if the bots' deviation counts as much as two games of the player.
While a site has few players, the prior is uniform on a log scale of L, from half the loss of the
best bots to twice the loss of the worst; later it is the mean over the site's players.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from math import sqrt

import numpy as np

from game.core.worth.peers import read_peers
from game.core.worth.repetition import calculate_credit
from game.core.worth.severity import Grade, count_decisions, find_erring_grade
from solver.advice import is_mistake
from solver.dp.arrays import Floats
from solver.rules import YATZY, Ruleset
from solver.statistics.inference import Interval, build_interval, t_quantile

VARIES = 2.0  # games; weight of the bots' deviation in a player's estimated deviation
PEERS_GAMES = 4.0  # games; weight of the bots' deviation when two players are compared
BEYOND = 2.0  # factor by which the prior extends beyond the losses of the best and the worst bots
STEPS = 600
TAIL = 0.025


@dataclass(frozen=True, slots=True)
class Moments:
    """The size, mean and mean square of a sample. A game that counts in part adds its weight."""

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
        """The confidence interval of the mean; None if there are fewer than two values."""
        if self.count < 2:
            return None
        degrees, error = self.count - 1, self.deviation / sqrt(self.count)
        half = t_quantile(degrees) * error
        return Interval(self.mean, self.mean - half, self.mean + half, error, degrees)


@dataclass(frozen=True, slots=True)
class Skill:
    """A skill estimate. ``lost`` is points per game, with a 95 % range ``least`` to ``most``."""

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
        return self._find_grade(self.lost)

    @property
    def grades(self) -> tuple[Grade, Grade]:
        """The best and the worst grade in the range of the estimate."""
        return self._find_grade(self.least), self._find_grade(self.most)

    def _find_grade(self, points_lost: float) -> Grade:
        return find_erring_grade(points_lost / count_decisions(self.rules))


@dataclass(frozen=True, slots=True)
class LossSpread:
    """The variance of a player's loss between games, for each possible average loss."""

    lost: Floats  # possible average losses in points, with a constant ratio between neighbours
    variances: Floats

    def find_variance(self, loss: float) -> float:
        """Return the variance for this average loss. It is constant outside the range ``lost``."""
        logs = np.log(self.lost), np.log(self.variances)
        return float(np.exp(np.interp(np.log(max(loss, 1e-9)), *logs)))

    def calculate_weights(self, losses: Moments, prior: Floats) -> Floats:
        """Return the probability that a player has each average loss in ``lost``, from the losses
        in the player's games and the prior."""
        apart = losses.square - 2 * losses.mean * self.lost + self.lost**2
        known = VARIES * self.variances + losses.count * apart
        likely = np.log(prior) + VARIES / 2 * np.log(self.variances)
        likely -= (VARIES + losses.count) / 2 * np.log(known)
        weights: Floats = np.exp(likely - likely.max())
        weights /= weights.sum()
        return weights


@cache
def find_spread(rules: Ruleset) -> LossSpread:
    """Return how much the points lost by a ruleset's bots vary from game to game. If the ruleset
    has no bots, use the bots of Yatzy, scaled by the number of decisions."""
    known, scale = read_peers(rules), 1.0
    if not known:
        known, scale = read_peers(YATZY), count_decisions(rules) / count_decisions(YATZY)
    levels = [(scale * peer.lost, scale * peer.deviation) for peer in known.values() if peer.rating]
    means, deviations = np.log(sorted(levels)).T
    logs = np.linspace(means[0] - np.log(BEYOND), means[-1] + np.log(BEYOND), STEPS)
    slope = (deviations[-1] - deviations[0]) / (means[-1] - means[0])
    beyond = slope * (logs - logs.clip(means[0], means[-1]))
    return LossSpread(np.exp(logs), np.exp(2 * (np.interp(logs, means, deviations) + beyond)))


SHIPPED: Floats = np.full(STEPS, 1 / STEPS)


def calculate_prior(players: Iterable[Moments], rules: Ruleset) -> Floats:
    """Return the prior: the probability of each average loss, as a mean over these players. The
    prior that comes with the program counts as one more player."""
    spread = find_spread(rules)
    each = [SHIPPED, *(spread.calculate_weights(losses, SHIPPED) for losses in players)]
    prior: Floats = np.mean(each, axis=0)
    return prior


def estimate_skill(
    losses: Moments, games: int, rules: Ruleset, value_start: float, prior: Floats = SHIPPED
) -> Skill:
    """Return the skill estimate from these losses; without games, it is the mean of the prior."""
    spread = find_spread(rules)
    weights = spread.calculate_weights(losses, prior)
    low, high = np.interp([TAIL, 1 - TAIL], np.cumsum(weights) - weights / 2, spread.lost)
    losses_per_game = (weights @ spread.lost, low, high)
    # An average score is never below 0.
    mean, least, most = (min(float(loss), value_start) for loss in losses_per_game)
    return Skill(rules, value_start, mean, least, most, games)


def compare_players(differences: Moments, skills: tuple[Skill, Skill]) -> Interval | None:
    """Return a confidence interval of one player's lead in points per game over another on the same
    dice, or None if they have no game in common."""
    if not differences.count:
        return None
    known = sum(find_spread(skill.rules).find_variance(skill.lost) for skill in skills)
    squares = differences.deviation**2 * (differences.count - 1)
    degrees = PEERS_GAMES + differences.count - 1
    variance = (PEERS_GAMES * known + squares) / degrees
    return build_interval(differences.mean, variance / differences.count, degrees)


def calculate_accuracy(loss: float, rules: Ruleset) -> float:
    """Return a game's accuracy from its average loss: 1 only for a game without a mistake."""
    return calculate_credit(loss / count_decisions(rules)) if is_mistake(loss) else 1.0
