"""The points a player loses per game, estimated from few games.

A score is luck and play together; what the decisions cost is play alone, so that it varies far less
from game to game, and how much it varies is known before a player's first game: the peers of
``peers.py`` say how much it does for anyone who loses so much on average.

A level is what the games make of a beginning in which everything from the best of those peers to
the worst is as likely as twice as much: its mean is drawn towards that, the less the more games
there are. Of somebody whose games vary more than those of the peers the range is wider, and of
somebody whose games vary less narrower, as soon as there are games enough to tell.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np

from game.core.worth.peers import peers
from game.core.worth.skill import Moments
from solver.dp.arrays import Floats
from solver.rules import Ruleset
from solver.statistics.inference import Interval, around

PEERS_GAMES = 4.0  # as many games of the player's own say as much of the spread as the peers do
BEYOND = 2.0  # times better than the best of the peers, or worse than the worst
STEPS = 600
TAIL = 0.025


@dataclass(frozen=True, slots=True)
class LossLevel:
    """Points lost a game, and the range of 95 % in which they lie."""

    lost: float
    low: float
    high: float
    games: int

    @property
    def half(self) -> float:
        return (self.high - self.low) / 2


@dataclass(frozen=True, slots=True)
class LossSpread:
    """The spread between games of the loss of a player with a given average loss."""

    lost: Floats  # what the levels may be
    variances: Floats

    def at(self, loss: float) -> float:
        """Below the least and above the most it is theirs."""
        return float(np.exp(np.interp(np.log(max(loss, 1e-9)), self._logs, np.log(self.variances))))

    @property
    def _logs(self) -> Floats:
        logs: Floats = np.log(self.lost)
        return logs


@cache
def spread_of(rules: Ruleset) -> LossSpread | None:
    """Return the spread of a ruleset, or None if no peers have played it."""
    levels = [(peer.at(()).mean, peer.deviation) for peer in peers(rules).values() if peer.rating]
    if not levels:
        return None
    means, deviations = np.log(sorted(levels)).T
    logs = np.linspace(means[0] - np.log(BEYOND), means[-1] + np.log(BEYOND), STEPS)
    slope = (deviations[-1] - deviations[0]) / (means[-1] - means[0])
    beyond = slope * (logs - logs.clip(means[0], means[-1]))
    return LossSpread(np.exp(logs), np.exp(2 * (np.interp(logs, means, deviations) + beyond)))


def level(losses: Moments, rules: Ruleset) -> LossLevel | None:
    """Return the grade; None before the first game, or if nothing is known of its peers."""
    spread = spread_of(rules)
    if spread is None or not losses.count:
        return None
    squares = losses.deviation**2 * (losses.count - 1) / spread.at(losses.mean)
    stretch = (PEERS_GAMES + squares) / (PEERS_GAMES + losses.count - 1)
    errors = spread.variances * stretch / losses.count
    likely = -0.5 * (np.log(errors) + (losses.mean - spread.lost) ** 2 / errors)
    weights = np.exp(likely - likely.max())
    weights /= weights.sum()
    sums = np.cumsum(weights) - weights / 2
    low, high = np.interp([TAIL, 1 - TAIL], sums, spread.lost)
    return LossLevel(float(weights @ spread.lost), float(low), float(high), losses.count)


def better_by(
    differences: Moments, levels: tuple[LossLevel, LossLevel], rules: Ruleset
) -> Interval | None:
    """Points a game by which one of two plays better, from what each lost on the same dice."""
    spread = spread_of(rules)
    if spread is None or not differences.count:
        return None
    known = sum(spread.at(level.lost) for level in levels)
    squares = differences.deviation**2 * (differences.count - 1)
    degrees = PEERS_GAMES + differences.count - 1
    variance = (PEERS_GAMES * known + squares) / degrees
    return around(differences.mean, variance / differences.count, degrees)
