"""Maximises the chance to finish with more points than its opponents, instead of its points.

It looks at the opponents' cards. If it sees only totals, it assumes that their cards are like its
own card. Within a turn it calculates every option exactly. It assumes that the points after the
turn are normally distributed, with the exact mean and variance. The bonus and the box with most
fixed points are exceptions, because it knows their exact chances (``solver.tables``). Without
opponents it plays perfectly.
"""

from collections.abc import Sequence
from functools import cached_property
from math import erfc
from typing import NamedTuple

import numpy as np

from solver.advice import Advisor
from solver.dp.arrays import Floats, calculate_scale
from solver.dp.turn import Turn
from solver.players.base import PlayerEntry, gettext_noop
from solver.players.plain import PlainValues, find_best_action
from solver.players.values import ValuePlay
from solver.rules import Action, Ruleset, State
from solver.tables import OUTLOOK, open_table

# Games with the bonus also have more points in their upper boxes, about a fifth of the bonus.
WITH_BONUS = 1.2
NARROWEST = 0.05  # minimum variance of a score difference; with it, a lead of one point decides
POINT = 1e-7  # one point adds this to the chance, so that points decide between equal chances

_erfc = np.vectorize(erfc, otypes=[np.float64])


class CardRest(NamedTuple):
    """The points that a card can still add: their mean and variance, and the chances of the bonus
    and of the prize (``find_most_valuable_box``). Without the table ``explain``, ``prize`` is 0."""

    mean: Floats | float
    variance: Floats | float
    bonus: Floats | float
    prize: Floats | float


def find_win_chance(
    lead: Floats | float, mine: CardRest, theirs: CardRest, lumps: tuple[float, float]
) -> Floats:
    """Return the chance to finish ahead of another card, with a current lead of ``lead`` points.
    ``lumps`` are the points of the bonus and of the prize. If both cards get them, or neither card
    does, they cancel out. All other points count as normally distributed, with the mean and the
    variance that remain without the lumps."""
    mean, variance = lead + mine.mean - theirs.mean, mine.variance + theirs.variance
    # Pairs: additional points of lead, and the chance of this lead.
    cases: list[tuple[float, Floats | float]] = [(0.0, 1.0)]
    for points, my_chance, their_chance in zip(lumps, mine[2:], theirs[2:], strict=True):
        mean -= (my_chance - their_chance) * points
        variance -= points**2 * (my_chance * (1 - my_chance) + their_chance * (1 - their_chance))
        up, down = my_chance * (1 - their_chance), their_chance * (1 - my_chance)
        steps = (points, up), (0.0, 1 - up - down), (-points, down)
        cases = [(ahead + step, chance * share) for ahead, chance in cases for step, share in steps]
    scale = np.sqrt(2.0 * np.maximum(variance, NARROWEST))
    chances: Floats = 0.5 * sum(chance * _erfc(-(mean + ahead) / scale) for ahead, chance in cases)
    return chances


def find_most_valuable_box(rules: Ruleset) -> int:
    points = [category.points or 0 for category in rules.categories]
    return points.index(max(points))


def find_prize_scale(rules: Ruleset) -> float:
    """Return the factor that turns expected points of the most valuable box, as stored in the table
    ``explain``, into the chance to score in this box."""
    box = find_most_valuable_box(rules)
    return float(calculate_scale(rules)[box]) / (rules.categories[box].points or 1)


def estimate_rest(coach: Advisor, row: int, column: int) -> CardRest:
    outlook = coach.outlook or open_table(coach.rules, OUTLOOK)  # may raise MissingTable
    bonus, second = outlook.read_row(row)[column].astype(np.float64).tolist()
    mean, prize = float(coach.values.read_row(row)[column]), 0.0
    if coach.explain:
        prize = float(coach.explain.read_row(row)[column, find_most_valuable_box(coach.rules)])
    return CardRest(mean, second - mean * mean, bonus, prize * find_prize_scale(coach.rules))


def make_race_turn(coach: Advisor, state: State, others: Sequence[tuple[int, CardRest]]) -> Turn:
    """Return a turn that values every option by the chance to beat all opponents.

    ``others`` has each opponent's points without the bonus, and the points that the opponent's card
    can still add. The chances against different opponents count as independent.
    """
    rules, column = coach.rules, coach.space.find_column(state.upper)
    turn = Turn(coach.space, state.filled, column, state.chips_won, coach.values.rows)
    points = turn.scores
    lumps = (
        WITH_BONUS * rules.bonus_points,
        float(rules.categories[find_most_valuable_box(rules)].points or 0),
    )
    allowed = np.isfinite(points)
    gain, worth = turn.gains[allowed], points[allowed]
    outlook = coach.outlook or open_table(rules, OUTLOOK)  # may raise MissingTable
    bonus, second = turn.after(outlook.rows).astype(np.float64)[allowed].T
    prize = np.zeros(len(worth))
    if coach.explain:
        prize += turn.after(coach.explain.rows)[..., find_most_valuable_box(rules)][allowed]
    mean = worth - gain
    mine = CardRest(mean, second - mean * mean, bonus, prize * find_prize_scale(rules))
    chance: Floats = np.ones(len(worth))
    for theirs, remaining in others:
        chance = chance * find_win_chance(state.points - theirs + gain, mine, remaining, lumps)
    turn.scores = np.full(points.shape, -np.inf)
    turn.scores[allowed] = chance + POINT * worth
    return turn


class WinningPlay(ValuePlay):
    def __init__(self, rules: Ruleset) -> None:
        super().__init__(open_table(rules).read_all(), rules)

    @cached_property
    def _coach(self) -> Advisor:
        return Advisor.open(self.rules)

    def choose(self, state: State, rng: np.random.Generator, others: Sequence[int] = ()) -> Action:
        if not others:
            return PlainValues(self).choose(state, rng)
        remaining = estimate_rest(self._coach, *self._find_place(state))
        like_mine = [(total - state.bonus, remaining) for total in others]
        return find_best_action(make_race_turn(self._coach, state, like_mine), state)

    def choose_facing(
        self, state: State, rng: np.random.Generator, others: Sequence[State]
    ) -> Action:
        if not others:
            return PlainValues(self).choose(state, rng)
        seen = [
            (opponent.points, estimate_rest(self._coach, *self._find_place(opponent)))
            for opponent in others
        ]
        return find_best_action(make_race_turn(self._coach, state, seen), state)

    def _find_place(self, state: State) -> tuple[int, int]:
        row = self.space.find_row(state.filled, chips_won=state.chips_won)
        return row, self.space.find_column(state.upper)


def make(rules: Ruleset, reading: str) -> WinningPlay:
    return WinningPlay(rules)


PLAYER = PlayerEntry(
    "to-win",
    gettext_noop("Plays to win"),
    gettext_noop("Looks at the other players' cards, and plays for the highest chance to win."),
    make,
    alone="optimal",
)
