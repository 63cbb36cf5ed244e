"""The chance to end above somebody else who still plays, about; and a turn played by it.

Both are taken to play for points once this turn is over. What they then add has a mean, a variance
and a chance of the upper bonus, which are exact (``solver.tables``, values and outlook). The bonus
comes all at once or not at all; the rest of the difference is taken to be normal.
"""

from collections.abc import Sequence
from math import erfc, sqrt
from typing import NamedTuple

import numpy as np

from solver.advice import Advisor
from solver.dp.arrays import Floats, points_scale
from solver.dp.turn import Turn
from solver.rules import Ruleset, State
from solver.tables import OUTLOOK, Table, open_table

# Whoever has the bonus has more points above, too, by about a fifth of it.
WITH_BONUS = 1.2
NARROWEST = 0.05  # of the variance of a difference: nothing is open, and one point is enough
# Where the chances are equal, points decide: so much of a chance is a point.
POINT = 1e-7


class CardRest(NamedTuple):
    """Of what a card still adds: ``bonus`` and ``prize`` are chances to get them.

    Without the table of what boxes bring the prize is part of the rest.
    """

    mean: float
    variance: float
    bonus: float
    prize: float


class Lumps(NamedTuple):
    """What comes all at once: the points of the bonus, and those of the dearest box."""

    bonus: float
    prize: float


def ahead(
    lead: float,
    mean: float,
    variance: float,
    bonus: float,
    prize: float,
    their_mean: float,
    their_variance: float,
    their_bonus: float,
    their_prize: float,
    of_bonus: float,
    of_prize: float,
) -> float:
    """``lead`` is what one has more without the rest of both, ``of_`` are the ``Lumps``.

    One of the two gets each of these lumps, the other one does, or they cancel out.
    """
    middle = lead + mean - their_mean
    middle -= (bonus - their_bonus) * of_bonus + (prize - their_prize) * of_prize
    left = variance + their_variance
    left -= of_bonus * of_bonus * (bonus * (1 - bonus) + their_bonus * (1 - their_bonus))
    left -= of_prize * of_prize * (prize * (1 - prize) + their_prize * (1 - their_prize))
    scale = sqrt(2.0 * max(left, NARROWEST))
    more, less = bonus * (1 - their_bonus), their_bonus * (1 - bonus)
    up, down = prize * (1 - their_prize), their_prize * (1 - prize)
    chance = 0.0
    for one, likely in ((of_bonus, more), (0.0, 1 - more - less), (-of_bonus, less)):
        for other, share in ((of_prize, up), (0.0, 1 - up - down), (-of_prize, down)):
            if likely * share > 0.0:
                chance += likely * share * erfc(-(middle + one + other) / scale)
    return 0.5 * chance


_ahead = np.frompyfunc(ahead, 11, 1)


def dearest(rules: Ruleset) -> int:
    """The box of fixed points that brings most."""
    points = [category.points or 0 for category in rules.categories]
    return points.index(max(points))


def lumps(rules: Ruleset) -> Lumps:
    prize = rules.categories[dearest(rules)].points or 0
    return Lumps(WITH_BONUS * rules.bonus_points, float(prize))


def prize_scale(rules: Ruleset) -> float:
    """From what the table of boxes holds to the chance of the dearest one."""
    box = dearest(rules)
    return float(points_scale(rules)[box]) / (rules.categories[box].points or 1)


def rest_of_row(coach: Advisor, row: int, column: int) -> CardRest:
    bonus, second = _outlook(coach).row(row)[column].astype(np.float64).tolist()
    mean, prize = float(coach.values.row(row)[column]), 0.0
    if coach.explain:
        prize = float(coach.explain.row(row)[column, dearest(coach.rules)])
    return CardRest(mean, second - mean * mean, bonus, prize * prize_scale(coach.rules))


def _outlook(coach: Advisor) -> Table:
    return coach.outlook or open_table(coach.rules, OUTLOOK)  # which says that it is missing


def points_of(coach: Advisor, turn: Turn) -> Floats:
    """[open box, roll]: what scoring is worth in points."""
    card = turn.filled, turn.upper, turn.chips_won
    return Turn(coach.space, *card, coach.values.rows).scores


def race_turn(coach: Advisor, state: State, others: Sequence[tuple[int, CardRest]]) -> Turn:
    """The turn of this state in chances, to be above all the others, who have nothing in common.

    ``others`` are their points without the bonus, and what they still add.
    """
    column = coach.space.column(state.upper)
    turn = Turn(coach.space, state.filled, column, state.chips_won, coach.values.rows)
    points = points_of(coach, turn)
    allowed = np.isfinite(points)
    gain, worth = turn.gains[allowed], points[allowed]
    bonus, second = turn.after(_outlook(coach).rows).astype(np.float64)[allowed].T
    prize = np.zeros(len(worth))
    if coach.explain:
        prize += turn.after(coach.explain.rows)[..., dearest(coach.rules)][allowed]
    mean = worth - gain
    mine = mean, second - mean * mean, bonus, prize * prize_scale(coach.rules)
    chance: Floats = np.ones(len(worth))
    for theirs, rest in others:
        lead = state.points - theirs + gain
        found = np.asarray(_ahead(lead, *mine, *rest, *lumps(coach.rules)), dtype=np.float64)
        chance = chance * found
    turn.scores = np.full(points.shape, -np.inf)
    turn.scores[allowed] = chance + POINT * worth
    return turn
