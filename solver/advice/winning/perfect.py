"""The distribution of the points in the rest of a game under perfect play for points.

The calculation starts with the position and passes probabilities forward from card to card. Within
a turn it chooses options as ``dp.turn.Carried`` does, for all upper totals of a row at once.
"""

from dataclasses import dataclass

import numpy as np

from solver.advice.advisor import Advisor
from solver.advice.winning.endgame import Ends, find_columns, find_most_points, list_ends
from solver.dp.arrays import Floats, Ints, find_roll_chances, hold_sizes
from solver.dp.turn import FORBIDDEN, average_rolls, choose_holds, find_first_best, spread_holds
from solver.rules.dice import Cup, Dice
from solver.rules.game import Hold, State
from solver.rules.position import Position
from solver.rules.rulesets import Ruleset


def predict_points(coach: Advisor, position: Position) -> Floats:
    """Return chances[points] of the points in the rest of the game, including the upper bonus."""
    rolls = _make_chances_of_dice(position.dice, position.rules.cup)
    playing = _Future(coach, position.filled, position.upper, position.chips_won)
    return playing.predict_points(rolls, position.rolls_left)


def predict_card_points(
    coach: Advisor, filled: int, upper: int, *, chips_won: bool = False
) -> Floats:
    """Return chances[points] of a card's further points; a full card can only add the bonus."""
    first = find_roll_chances(coach.rules.dice)[:, None]
    return _Future(coach, filled, upper, chips_won).predict_points(first, coach.rules.throws - 1)


def predict_totals(coach: Advisor, state: State) -> Floats:
    """Return chances[total] of this game's final score, with perfect play from now on."""
    playing = _Future(coach, state.filled, state.upper, state.chips_won)
    if state.deciding:
        rolls = _make_chances_of_dice(state.dice, state.rules.cup)
        totals = playing.predict_points(rolls, state.throws_left)
    else:
        kept = Hold(state.held).kept(state.dice) if state.dice else ()
        held = np.zeros((len(state.rules.cup.holds), 1))
        held[state.rules.cup.hold_index[kept]] = 1.0
        rolls = spread_holds(held, state.rules.dice)
        totals = playing.predict_points(rolls, state.throws_left - 1)
    return np.concatenate((np.zeros(state.points), totals))


def _make_chances_of_dice(dice: Dice, cup: Cup) -> Floats:
    """Return an array [roll, 0]: 1 for the roll that these dice show, and 0 for all others."""
    chances = np.zeros((len(cup.rolls), 1))
    chances[cup.roll_index[tuple(sorted(dice))]] = 1.0
    return chances


@dataclass(slots=True)
class _Card:
    """A row of filled boxes. mass[upper column, points so far] is a cell's probability."""

    row: int
    mass: Floats


class _Future:
    def __init__(self, coach: Advisor, filled: int, upper: int, chips_won: bool) -> None:
        self.coach = coach
        self.rules = coach.rules
        self.space = coach.space
        most = sum(find_most_points(self.rules, box) for box in self.rules.open(filled))
        self.wide = most + 1  # number of possible points, from 0 to the maximum, without the bonus
        self.begin = self._make_card(self.space.find_row(filled, chips_won=chips_won))
        self.begin.mass[self.space.find_column(upper), 0] = 1.0

    def predict_points(self, rolls: Floats, rolls_left: int) -> Floats:
        """Return chances[points] of the points in the rest of the game. rolls[roll, 0] is the
        chance that this roll is the next about which the player decides."""
        level = [self.begin]
        first, throws = find_roll_chances(self.rules.dice)[:, None], self.rules.throws - 1
        while level[0].row & self.rules.full != self.rules.full:
            level = self._play_turn(level, rolls, rolls_left)
            rolls, rolls_left = first, throws
        chances = np.zeros(self.wide + self.rules.bonus_points)
        for card in level:
            for column, mass in enumerate(card.mass):
                bonus = self.rules.bonus(column)
                chances[bonus : bonus + len(mass)] += mass
        return chances[: np.flatnonzero(chances)[-1] + 1]

    def _play_turn(self, level: list[_Card], rolls: Floats, rolls_left: int) -> list[_Card]:
        """Return the cards after a turn, with the chances of their cells. ``rolls`` has the chances
        of the next roll, as in ``predict_points``."""
        cards: dict[int, _Card] = {}
        for card in level:
            columns = np.flatnonzero(card.mass.any(axis=1))
            boxes = list_ends(self.rules, card.row)
            policy = _Policy(self._calculate_scores(boxes, columns), self.rules)
            for ends, chances in zip(boxes, policy.find_ends(rolls, rolls_left), strict=True):
                for n, (gain, step, row) in enumerate(ends.iter_results()):
                    share = card.mass[columns] * chances[ends.by_roll == n].sum(axis=0)[:, None]
                    after = cards.get(row) or cards.setdefault(row, self._make_card(row))
                    to = find_columns(self.rules, row)[columns + step]
                    _add_shares(after.mass[:, gain:], to, share[:, : self.wide - gain])
        return list(cards.values())

    def _make_card(self, row: int) -> _Card:
        return _Card(row, np.zeros((self.space.columns, self.wide)))

    def _calculate_scores(self, boxes: tuple[Ends, ...], columns: Ints) -> Floats:
        """Return the expected points after scoring, as [box, roll, column]; -infinity if
        illegal."""
        scores = np.full((len(boxes), len(self.rules.cup.rolls), len(columns)), -np.inf)
        for at, ends in enumerate(boxes):
            table = self.coach.values.rows(ends.row)
            after = np.minimum(columns + ends.step[:, None], self.space.columns - 1)
            worth = ends.gain[:, None] + np.take_along_axis(table, after, axis=1)
            allowed = ends.by_roll != FORBIDDEN
            scores[at, allowed] = worth[ends.by_roll[allowed]]
        return scores


def _add_shares(mass: Floats, to: Ints, share: Floats) -> None:
    """Add share[n] to mass[to[n]]. ``to`` repeats no column except the first and the last."""
    for edge in (0, len(mass) - 1):
        mass[edge, : share.shape[1]] += share[to == edge].sum(axis=0)
    inside = (to > 0) & (to < len(mass) - 1)
    mass[to[inside], : share.shape[1]] += share[inside]


class _Policy:
    """The best decisions within a turn; scores[box, roll, column] is the value of scoring."""

    def __init__(self, scores: Floats, rules: Ruleset) -> None:
        self.dice = rules.dice
        self.boxes, _, self.columns = scores.shape
        self.box = find_first_best(scores)
        self.hold: list[Ints] = []  # [rolls left - 1][roll, column]: number of the best hold
        best = scores.max(axis=0)
        for _ in range(rules.throws - 1):
            holds = average_rolls(best, self.dice)
            self.hold.append(choose_holds(holds, self.dice))
            best = np.take_along_axis(holds, self.hold[-1], axis=0)

    def find_ends(self, rolls: Floats, rolls_left: int) -> Floats:
        """Return an array [box, roll, column]: the chance that the turn ends with this roll in this
        box. rolls[roll] is the chance that this roll is the next about which the player decides."""
        rolls = np.broadcast_to(rolls, self.box.shape)
        for hold in self.hold[:rolls_left][::-1]:
            held = np.zeros((len(hold_sizes(self.dice)), self.columns))
            np.add.at(held, (hold, np.arange(self.columns)), rolls)
            rolls = spread_holds(held, self.dice)
        ends: Floats = (self.box == np.arange(self.boxes)[:, None, None]) * rolls
        return ends
