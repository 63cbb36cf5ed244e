"""The permanent tournament of the built-in players: exact results from their score distributions.

Every player has separate dice, so scores are independent, and a probability is a sum over scores:

    win(one, other)  = sum over s of P(one = s) P(other < s)
    point(one)       = sum over s of P(one = s) prod over the others of P(other <= s)
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from solver.advice.options import sort_by_cost
from solver.arena.results import read_result
from solver.dp.arrays import Floats
from solver.exact.distribution import Distribution
from solver.players import PLAYERS
from solver.rules import Ruleset


@dataclass(frozen=True)
class ExactStanding:
    """The exact result of the tournament. In a game of two, ``wins[a, b]`` is the probability that
    player a beats player b, and ``ties[a, b]`` that they tie. If all play together, ``points[a]``
    is the probability that player a has the highest score, possibly tied."""

    names: tuple[str, ...]
    means: tuple[float, ...]
    points: Floats
    wins: Floats
    ties: Floats


def rank_players(rules: Ruleset) -> ExactStanding:
    """Return the standing of all players that have a fixed, stored score distribution."""
    playing = (player for player in PLAYERS.values() if player.plays(rules) and not player.alone)
    kept = {player.id: read_result(player, rules) for player in playing}
    return rank_distributions({name: exact.distribution for name, exact in kept.items() if exact})


def rank_distributions(distributions: Mapping[str, Distribution]) -> ExactStanding:
    """Return the standing, the player with the highest ``points`` first."""
    rows = [distribution.probabilities for distribution in distributions.values()]
    most = max(map(len, rows), default=0)
    padded = [np.pad(row, (0, most - len(row))) for row in rows]
    chances = np.array(padded).reshape(len(rows), most)
    at_most = chances.cumsum(axis=1)
    others = [np.delete(at_most, n, axis=0).prod(axis=0) for n in range(len(chances))]
    points = np.array([mine @ theirs for mine, theirs in zip(chances, others, strict=True)])
    order = sort_by_cost((-points).tolist())
    chances, points = chances[order], points[order]
    names, means = (
        tuple(distributions),
        [distribution.mean for distribution in distributions.values()],
    )
    return ExactStanding(
        names=tuple(names[n] for n in order),
        means=tuple(means[n] for n in order),
        points=points,
        wins=chances @ (chances.cumsum(axis=1) - chances).T,  # P(one = s) P(other < s)
        ties=chances @ chances.T,
    )
