"""The standing tournament of the built-in players: exact, from the distributions of their scores.

Everybody has dice of its own, so that scores are independent, and a chance is a sum over them:

    win(one, other)  = sum over s of P(one = s) P(other < s)
    point(one)       = sum over s of P(one = s) prod over the others of P(other <= s)
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from solver.advice.options import in_order
from solver.arena.results import stored
from solver.dp.arrays import Floats
from solver.exact.distribution import Distribution
from solver.players import PLAYERS
from solver.rules import Ruleset


@dataclass(frozen=True)
class ExactStanding:
    """``wins[one, other]`` and ``ties[one, other]`` are chances in a game of these two alone.

    ``points[one]`` is the chance of the point of a game that all of them play.
    """

    names: tuple[str, ...]
    means: tuple[float, ...]
    points: Floats
    wins: Floats
    ties: Floats


def standing(rules: Ruleset) -> ExactStanding:
    """Return the standing of all players whose distribution is stored; nothing is calculated.

    A player that plays otherwise against others than alone has no distribution to compare.
    """
    playing = (player for player in PLAYERS.values() if player.plays(rules) and not player.alone)
    kept = {player.id: stored(player, rules) for player in playing}
    return exact_standing({name: result.distribution for name, result in kept.items() if result})


def exact_standing(distributions: Mapping[str, Distribution]) -> ExactStanding:
    """Return the best at one table first."""
    chances = _side_by_side([distribution.probabilities for distribution in distributions.values()])
    points = _points(chances)
    order = in_order((-points).tolist())
    chances, points = chances[order], points[order]
    names, means = (
        tuple(distributions),
        [distribution.mean for distribution in distributions.values()],
    )
    return ExactStanding(
        names=tuple(names[n] for n in order),
        means=tuple(means[n] for n in order),
        points=points,
        wins=chances @ _less(chances).T,
        ties=chances @ chances.T,
    )


def _side_by_side(rows: list[Floats]) -> Floats:
    """[player, score]"""
    most = max(map(len, rows), default=0)
    padded = [np.pad(row, (0, most - len(row))) for row in rows]
    return np.array(padded).reshape(len(rows), most)


def _less(chances: Floats) -> Floats:
    """[player, score]: the chance to score less."""
    less: Floats = chances.cumsum(axis=1) - chances
    return less


def _points(chances: Floats) -> Floats:
    at_most = chances.cumsum(axis=1)
    others = [np.delete(at_most, n, axis=0).prod(axis=0) for n in range(len(chances))]
    return np.array([mine @ theirs for mine, theirs in zip(chances, others, strict=True)])
