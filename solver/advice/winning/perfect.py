"""The distribution of the points still to come under perfect play for points.

The calculation starts with the position and moves probabilities forward, card by card. Within a
turn they follow the choices of ``dp.turn.Carried``, but for all upper totals of a row at once.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import erfc, factorial, sqrt

import numpy as np

from solver.advice.advisor import Advisor
from solver.advice.winning.chances import MOST_OPEN, TooEarly, build_winning_turn
from solver.advice.winning.endgame import (
    Ends,
    find_columns,
    find_most_points,
    list_ends,
    make_target_payoff,
)
from solver.dp.arrays import Floats, Ints, calculate_scale, find_roll_chances, hold_sizes
from solver.dp.turn import (
    FORBIDDEN,
    Turn,
    average_rolls,
    choose_holds,
    find_first_best,
    spread_holds,
)
from solver.rules.dice import Cup, Dice
from solver.rules.game import Hold, State
from solver.rules.position import Position
from solver.rules.rulesets import Ruleset

# A factor of the bonus points, because games with the bonus also score more in upper boxes. This
# value makes the mean error over early cards smallest.
WITH_BONUS = 1.2
NARROWEST = 1.0  # least variance of the normal part, in points squared
MOST_CHIPS = 3
SELDOM = 1e-9  # the smallest chance that may be a divisor
Ways = list[tuple[Floats, float]]  # pairs of chances[card] and points
_erfc = np.frompyfunc(erfc, 1, 1)


def predict_points(coach: Advisor, position: Position) -> Floats:
    """Return chances[points] of the points still to come, including the upper bonus, as in V."""
    lies = _make_chances_of_dice(position.dice, position.rules.cup)
    playing = _Rest(coach, position.filled, position.upper, position.chips_won)
    return playing.after(lies, position.rolls_left)


def predict_card_points(
    coach: Advisor, filled: int, upper: int, *, chips_won: bool = False
) -> Floats:
    """Return chances[points] of the points that a card still gets; a full card gets the bonus."""
    first = find_roll_chances(coach.rules.dice)[:, None]
    return _Rest(coach, filled, upper, chips_won).after(first, coach.rules.throws - 1)


def predict_totals(coach: Advisor, state: State) -> Floats:
    """Return chances[total] of this game's final score under perfect play from now on."""
    playing = _Rest(coach, state.filled, state.upper, state.chips_won)
    if state.deciding:
        lies = _make_chances_of_dice(state.dice, state.rules.cup)
        totals = playing.after(lies, state.throws_left)
    else:
        kept = Hold(state.held).kept(state.dice) if state.dice else ()
        held = np.zeros((len(state.rules.cup.holds), 1))
        held[state.rules.cup.hold_index[kept]] = 1.0
        lies = spread_holds(held, state.rules.dice)
        totals = playing.after(lies, state.throws_left - 1)
    return np.concatenate((np.zeros(state.points), totals))


def _make_chances_of_dice(dice: Dice, cup: Cup) -> Floats:
    """Return [roll, 0]: 1 for the roll with these dice, 0 for all other rolls."""
    chances = np.zeros((len(cup.rolls), 1))
    chances[cup.roll_index[tuple(sorted(dice))]] = 1.0
    return chances


@dataclass(slots=True)
class _Card:
    """A row of filled boxes; mass[upper column, points so far] is the probability to reach it."""

    row: int
    mass: Floats


class _Rest:
    def __init__(self, coach: Advisor, filled: int, upper: int, chips_won: bool) -> None:
        self.coach = coach
        self.rules = coach.rules
        self.space = coach.space
        most = sum(find_most_points(self.rules, box) for box in self.rules.open(filled))
        self.wide = most + 1  # the number of possible points, 0 to most, without the bonus
        self.begin = self._make_card(self.space.find_row(filled, chips_won=chips_won))
        self.begin.mass[self.space.find_column(upper), 0] = 1.0

    def after(self, falls: Floats, rolls_left: int) -> Floats:
        """Return chances[points] of the points still to come. falls[roll, 0] is the chance that the
        player's next decision is about this roll."""
        level = [self.begin]
        first, throws = find_roll_chances(self.rules.dice)[:, None], self.rules.throws - 1
        while level[0].row & self.rules.full != self.rules.full:
            level = self._play_turn(level, falls, rolls_left)
            falls, rolls_left = first, throws
        chances = np.zeros(self.wide + self.rules.bonus_points)
        for card in level:
            for column, mass in enumerate(card.mass):
                bonus = self.rules.bonus(column)
                chances[bonus : bonus + len(mass)] += mass
        return chances[: np.flatnonzero(chances)[-1] + 1]

    def _play_turn(self, level: list[_Card], falls: Floats, rolls_left: int) -> list[_Card]:
        cards: dict[int, _Card] = {}
        for card in level:
            columns = np.flatnonzero(card.mass.any(axis=1))
            boxes = list_ends(self.rules, card.row)
            policy = _Policy(self._calculate_scores(boxes, columns), self.rules)
            for ends, chances in zip(boxes, policy.ends(falls, rolls_left), strict=True):
                for n, (gain, step, row) in enumerate(ends.each()):
                    share = card.mass[columns] * chances[ends.of == n].sum(axis=0)[:, None]
                    after = cards.get(row) or cards.setdefault(row, self._make_card(row))
                    to = find_columns(self.rules, row)[columns + step]
                    _add_shares(after.mass[:, gain:], to, share[:, : self.wide - gain])
        return list(cards.values())

    def _make_card(self, row: int) -> _Card:
        return _Card(row, np.zeros((self.space.columns, self.wide)))

    def _calculate_scores(self, boxes: tuple[Ends, ...], columns: Ints) -> Floats:
        """Return [box, roll, column]: the expected points after scoring; -infinity if forbidden."""
        scores = np.full((len(boxes), len(self.rules.cup.rolls), len(columns)), -np.inf)
        for at, ends in enumerate(boxes):
            table = self.coach.values.rows(ends.row)
            after = np.minimum(columns + ends.step[:, None], self.space.columns - 1)
            worth = ends.gain[:, None] + np.take_along_axis(table, after, axis=1)
            allowed = ends.of != FORBIDDEN
            scores[at, allowed] = worth[ends.of[allowed]]
        return scores


def _add_shares(mass: Floats, to: Ints, share: Floats) -> None:
    """Add share[n] to mass[to[n]]; ``to`` repeats no column except the first and the last."""
    for edge in (0, len(mass) - 1):
        mass[edge, : share.shape[1]] += share[to == edge].sum(axis=0)
    inside = (to > 0) & (to < len(mass) - 1)
    mass[to[inside], : share.shape[1]] += share[inside]


class _Policy:
    """The best decisions within a turn; scores[box, roll, column] is the value of scoring."""

    def __init__(self, scores: Floats, rules: Ruleset) -> None:
        self.dice = rules.dice
        self.boxes, self.rolls, self.columns = scores.shape
        self.box = find_first_best(scores)
        self.hold: list[Ints] = []  # [rolls left - 1][roll, column]
        best = scores.max(axis=0)
        for _ in range(rules.throws - 1):
            holds = average_rolls(best, self.dice)
            self.hold.append(choose_holds(holds, self.dice))
            best = np.take_along_axis(holds, self.hold[-1], axis=0)

    def ends(self, falls: Floats, rolls_left: int) -> Floats:
        """Return [box, roll, column]: the chance that the turn ends with this roll in this box.
        falls[roll] is the chance that the player's next decision is about this roll."""
        falls = np.broadcast_to(falls, (self.rolls, self.columns))
        for hold in self.hold[:rolls_left][::-1]:
            held = np.zeros((len(hold_sizes(self.dice)), self.columns))
            np.add.at(held, (hold, np.arange(self.columns)), falls)
            falls = spread_holds(held, self.dice)
        ends: Floats = (self.box == np.arange(self.boxes)[:, None, None]) * falls
        return ends


def calculate_chance(coach: Advisor, state: State, total: int) -> float:
    """Return the chance that best play reaches the total; raise TooEarly early in a game."""
    open_boxes = len(coach.rules.open(state.filled))
    if open_boxes > MOST_OPEN:
        raise TooEarly(open_boxes, MOST_OPEN)
    if not open_boxes:
        return float(state.total >= total)
    column = coach.space.find_column(state.upper)
    worth = make_target_payoff(total - state.points).worth.tobytes()
    return _calculate_current_chance(
        build_winning_turn(coach.rules, state.filled, column, state.chips_won, worth), state
    )


def estimate_chance(coach: Advisor, state: State, total: int) -> float | None:
    """Return an estimate of the chance to reach the total, or None if a needed table is missing."""
    if coach.outlook is None or coach.explain is None:
        return None
    column = coach.space.find_column(state.upper)
    turn = Turn(coach.space, state.filled, column, state.chips_won, coach.values.rows)
    row = coach.space.find_row(turn.filled, chips_won=turn.chips_won)
    scores = [
        np.append(_estimate_chances_after_ends(coach, turn, ends, total - state.points), -np.inf)[
            ends.of
        ]
        for ends in list_ends(coach.rules, row)
    ]
    turn.scores = np.array(scores)
    return _calculate_current_chance(turn, state)


def _calculate_current_chance(turn: Turn, state: State) -> float:
    """Return the chance to win with the rolled dice, or with the held dice before the next roll."""
    cup = turn.rules.cup
    if state.deciding:
        return float(turn.best(state.throws_left)[cup.roll_index[tuple(sorted(state.dice))]])
    kept = Hold(state.held).kept(state.dice) if state.dice else ()
    return float(turn.holds(state.throws_left)[cup.hold_index[kept]])


def _estimate_chances_after_ends(coach: Advisor, turn: Turn, ends: Ends, needed: int) -> Floats:
    """Return [end]: the chance to reach the needed points after each possible end of the turn."""
    columns = np.minimum(turn.upper + ends.step, coach.space.columns - 1)
    worth = np.empty(len(ends.row))
    for row in np.unique(ends.row).tolist():
        these = ends.row == row
        worth[these] = _estimate_chance_of_rest(
            coach, row, columns[these], needed - ends.gain[these]
        )
    return worth


def _estimate_chance_of_rest(coach: Advisor, row: int, columns: Ints, needed: Ints) -> Floats:
    """Return [n]: the chance of at least needed[n] more points from row and columns[n]."""
    rules = coach.rules
    if row & rules.full == rules.full:
        bonus = np.array([rules.bonus(column) for column in columns.tolist()])
        return (bonus >= needed).astype(np.float64)
    mean = coach.values.read_row(row)[columns]
    second = coach.outlook.read_row(row)[columns, 1].astype(np.float64)  # type: ignore[union-attr]
    left, variance = mean.copy(), second - mean * mean
    ways: Ways = [(np.ones(len(mean)), 0.0)]
    for lump in _list_lumps(coach, row, columns):
        expected = sum((chance * points for chance, points in lump), np.zeros(len(mean)))
        squares = sum((chance * points**2 for chance, points in lump), np.zeros(len(mean)))
        left -= expected
        variance -= squares - expected * expected
        ways = [(chance * more, at + points) for chance, at in ways for more, points in lump]
    deviation = np.sqrt(np.maximum(variance, NARROWEST))
    short = needed - 0.5 - left
    return sum(
        (chance * _calculate_normal_tail(short - at, deviation) for chance, at in ways),
        np.zeros(len(mean)),
    )


def _list_lumps(coach: Advisor, row: int, columns: Ints) -> Iterator[Ways]:
    """Yield (chances, points) of each part of the score that is not normally distributed."""
    rules, joker = coach.rules, coach.rules.joker
    bonus = coach.outlook.read_row(row)[columns, 0].astype(np.float64)  # type: ignore[union-attr]
    yield _make_two_point_lump(bonus, WITH_BONUS * rules.bonus_points)
    expected = coach.explain.read_row(row)[columns] * calculate_scale(rules)  # type: ignore[union-attr]
    for box in rules.open(row & rules.full):
        category = rules.categories[box]
        if category.points and not (joker and category.id == joker.box):
            yield _make_two_point_lump(expected[:, box] / category.points, category.points)
    if joker:
        chips = (coach.values.read_row(row)[columns] - expected.sum(axis=1)) / joker.chip
        box = rules.index[joker.box]
        if row > rules.full:
            yield _make_poisson_lump(np.ones(len(chips)), chips, 0, joker.chip)
        elif not row >> box & 1:
            points = rules.categories[box].points or 0
            likely = np.clip(expected[:, box] / points, SELDOM, 1.0)
            lump = _make_poisson_lump(likely, chips / likely, points, joker.chip)
            yield [(1.0 - likely, 0.0), *lump]


def _make_two_point_lump(chance: Floats, points: float) -> Ways:
    likely = np.clip(chance, 0.0, 1.0)
    return [(1.0 - likely, 0.0), (likely, points)]


def _make_poisson_lump(likely: Floats, each: Floats, points: int, chip: int) -> Ways:
    """Return (chances, points) of the joker's box with 0, 1, 2 ... chips; the mean is ``each``. The
    last pair includes all higher numbers of chips."""
    mean = np.maximum(each, 0.0)
    chances = [np.exp(-mean) * mean**many / factorial(many) for many in range(MOST_CHIPS)]
    chances.append(1.0 - sum(chances))
    return [(likely * chance, points + many * chip) for many, chance in enumerate(chances)]


def _calculate_normal_tail(least: Floats, deviation: Floats) -> Floats:
    return 0.5 * np.asarray(_erfc(least / (sqrt(2.0) * deviation)), dtype=np.float64)
