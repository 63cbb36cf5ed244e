"""The best chance to win from every card that the game can still reach.

With u the payoff of the remaining points, s the points scored from now on, and c the upper total,

    W(full card, c)[s] = u(s + bonus(c))
    W(card, c)[s]      = E best over holds and boxes of W(card + box, c + step)[s + points]

This calculation is ``dp.kernels`` with points as a third dimension, because the best option may
depend on the points that the player still needs. Only reachable cards are calculated. Cards that
are already won or lost need no calculation. If the bonus is out of reach, one upper total
represents all upper totals.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from solver.dp.arrays import Floats, Ints
from solver.dp.outcomes import build_outcomes, list_gains
from solver.dp.space import Space
from solver.dp.turn import FORBIDDEN, LANES, Turn, evaluate_start, list_outcomes
from solver.rules.dice import FACES
from solver.rules.rulesets import Ruleset

Marks = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Payoff:
    worth: Floats  # [points]: chance to win; larger indices have the chance of the last entry

    @property
    def settled(self) -> int:
        """The smallest number of points after which more points do not change the chance."""
        changes = np.flatnonzero(np.diff(self.worth))
        return int(changes[-1]) + 1 if len(changes) else 0

    @property
    def begins(self) -> int:
        """The smallest number of points whose chance differs from the chance of 0 points."""
        changes = np.flatnonzero(np.diff(self.worth))
        return int(changes[0]) + 1 if len(changes) else 0

    def pay(self, points: int) -> float:
        return float(self.worth[min(points, len(self.worth) - 1)])

    def shift_by(self, points: int) -> "Payoff":
        """Return the payoff of the points still to come, for a player who has these points."""
        return Payoff(self.worth[min(points, len(self.worth) - 1) :])

    def calculate_expected(self, chances: Floats) -> float:
        """Return the expected payoff; chances[points] is the chance of each number of points."""
        at = np.minimum(np.arange(len(chances)), len(self.worth) - 1)
        return float(chances @ self.worth[at])


def make_target_payoff(points: int) -> Payoff:
    """Return the payoff of reaching a total: 1 with at least this many points, otherwise 0."""
    worth = np.zeros(max(points, 0) + 1)
    worth[-1] = 1.0
    return Payoff(worth)


def make_duel_payoff(chances: Floats) -> Payoff:
    """Return the payoff against an opponent with chances[total] of each total; ties count 1/2."""
    return Payoff(np.append(chances.cumsum() - chances / 2, 1.0))


@dataclass(frozen=True, slots=True)
class Ends:
    """The possible results of a turn that fills this box: points, upper total and next card."""

    box: int
    by_roll: Ints  # [roll]: index of the result, or FORBIDDEN
    gain: Ints  # [result]: points, including a chip
    step: Ints  # [result]: increase of the upper total
    row: Ints  # [result]: row of the next card

    def iter_results(self) -> Iterator[tuple[int, int, int]]:
        """Yield (points, increase of the upper total, next row) for each result."""
        return zip(self.gain.tolist(), self.step.tolist(), self.row.tolist(), strict=True)


@lru_cache(maxsize=1 << 12)
def list_ends(rules: Ruleset, row: int) -> tuple[Ends, ...]:
    """Return the ``Ends`` of each open box of a card, whose filled boxes are ``row``."""
    outcomes, ends = build_outcomes(rules), []
    for box, of_roll in zip(rules.open(row & rules.full), list_outcomes(rules, row), strict=True):
        used, which = np.unique(of_roll, return_inverse=True)
        if used[0] == FORBIDDEN:
            used, which = used[1:], which - 1
        gain, step, after = outcomes.points[used], outcomes.step[used], row | outcomes.row[used]
        ends.append(Ends(box, which, gain, step, after))
    return tuple(ends)


@lru_cache(maxsize=1 << 12)
def find_columns(rules: Ruleset, row: int) -> Ints:
    """Return each upper total's column in the table, also for totals above the threshold. Totals
    with the bonus share the last column. Totals that cannot reach the bonus share column 0."""
    totals = np.arange(rules.bonus_threshold + rules.dice * FACES + 1)
    hopeless = totals + max(rules.list_upper_totals(rules.full & ~row)) < rules.bonus_threshold
    return np.where(hopeless, 0, np.minimum(totals, rules.bonus_threshold))


@lru_cache(maxsize=256)
def find_most_points(rules: Ruleset, box: int) -> int:
    """Return the highest score of a turn that ends in this box, including a chip."""
    return max(gain for gain, _ in list_gains(rules, box, chips_won=True))


@dataclass(slots=True)
class _Card:
    """A row of filled boxes. For each cell [upper column, points so far], two arrays have the
    chance to win from the cell, and whether a game reaches it."""

    row: int
    reached: Marks
    values: Floats


class Endgame:
    """The chance to win from every card that can follow this card. The points of the payoff are the
    points in the rest of the game, including the upper bonus."""

    def __init__(
        self, rules: Ruleset, filled: int, upper: int, payoff: Payoff, *, chips_won: bool = False
    ) -> None:
        self.rules = rules
        self.space = Space(rules)
        self.worth, self.begins, self.settled = payoff.worth, payoff.begins, payoff.settled
        self.row = self.space.find_row(filled, chips_won=chips_won)
        self.column = self.space.find_column(upper)
        boxes = range(len(rules.categories))
        self.wide = self.settled + max(find_most_points(rules, box) for box in boxes) + 1
        self.cells = 0  # number of calculated cells [column, points] of all cards
        self._cards: dict[int, _Card] = {}
        level = self._find_next_cards([(self.row, np.array([self.column]), np.array([0]))])
        levels = []
        while level:
            levels.append(level)
            level = self._find_next_cards(
                (card.row, *self._find_undecided_cells(card)) for card in level
            )
        for level in reversed(levels):
            for card in level:
                self._fill_values(card)

    @property
    def turn(self) -> Turn:
        """The next turn of this card, whose values are chances to win instead of points."""
        filled, chips_won = self.row & self.rules.full, self.row > self.rules.full
        turn = Turn(self.space, filled, self.column, chips_won, self._refuse_to_read)
        scores = np.full((len(turn.boxes), len(self.rules.cup.rolls)), -np.inf)
        for at, ends in enumerate(list_ends(self.rules, self.row)):
            worth = [
                self._cards[row].values[find_columns(self.rules, row)[self.column + step], gain]
                for gain, step, row in ends.iter_results()
            ]
            scores[at] = np.array([*worth, -np.inf])[ends.by_roll]
        turn.scores = scores
        return turn

    def _refuse_to_read(self, rows: Ints) -> Floats:
        raise AssertionError("the scores of this turn are known")

    def _find_next_cards(self, cells: Iterable[tuple[int, Ints, Ints]]) -> list[_Card]:
        """Return the next cards after a turn from these cells, and mark the cells reached there."""
        cards: dict[int, _Card] = {}
        for row, columns, points in cells:
            for ends in list_ends(self.rules, row):
                for gain, step, after in ends.iter_results():
                    card = cards.get(after) or cards.setdefault(after, self._make_card(after))
                    column = find_columns(self.rules, after)[columns + step]
                    card.reached[column, points + gain] = True
        return list(cards.values())

    def _find_undecided_cells(self, card: _Card) -> tuple[Ints, Ints]:
        """Return the columns and points of cells that games reach and that are still undecided."""
        most = sum(find_most_points(self.rules, box) for box in self._open(card.row))
        least = max(0, self.begins - most - self.rules.bonus_points)
        columns, points = np.nonzero(card.reached[:, least : self.settled])
        return columns, points + least

    def _make_card(self, row: int) -> _Card:
        """Create the card of a row, with the chances of cells that are already won or lost."""
        values = np.full((self.space.columns, self.wide), self.worth[0])
        values[:, self.settled :] = self.worth[-1]
        reached = np.zeros(values.shape, dtype=np.bool_)
        card = self._cards[row] = _Card(row, reached, values)
        return card

    def _open(self, row: int) -> tuple[int, ...]:
        return self.rules.open(row & self.rules.full)

    def _fill_values(self, card: _Card) -> None:
        if not self._open(card.row):
            for column in range(self.space.columns):
                points = np.arange(self.settled) + self.rules.bonus(column)
                card.values[column, : self.settled] = self.worth[np.minimum(points, self.settled)]
            return
        cells = self._find_undecided_cells(card)
        self.cells += len(cells[0])
        for at in range(0, len(cells[0]), LANES):
            some = cells[0][at : at + LANES], cells[1][at : at + LANES]
            scores = self._calculate_scores(list_ends(self.rules, card.row), *some)
            card.values[some] = evaluate_start(scores, self.rules.throws, self.rules.dice)

    def _calculate_scores(self, open_boxes: Iterable[Ends], columns: Ints, points: Ints) -> Floats:
        """Return an array [roll, n]: the best chance to win if the roll is scored now, with upper
        column columns[n] and points[n] so far. FORBIDDEN (-1) selects the last row of ``worth``."""
        best = np.full((len(self.rules.cup.rolls), len(columns)), -np.inf)
        for ends in open_boxes:
            worth = np.full((len(ends.gain) + 1, len(columns)), -np.inf)
            for n, (gain, step, row) in enumerate(ends.iter_results()):
                column = find_columns(self.rules, row)[columns + step]
                worth[n] = self._cards[row].values[column, points + gain]
            np.maximum(best, worth[ends.by_roll], out=best)
        return best
