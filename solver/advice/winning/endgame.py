"""The best chance to win from every card that can still come, and so the chance of every option.

With u the payoff of the points still to come, s the points scored since, and c the upper total,

    W(full card, c)[s] = u(s + bonus(c))
    W(card, c)[s]      = E best over holds and boxes of W(card + box, c + step)[s + points]

This is ``dp.kernels`` with points as a third dimension, because the best option may depend on the
points still needed. Only reachable cards are calculated. Won cards and lost cards need no
calculation. If the bonus is out of reach, one upper total stands for all.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from solver.dp.arrays import Floats, Ints
from solver.dp.outcomes import gains, outcomes_of
from solver.dp.space import Space
from solver.dp.turn import FORBIDDEN, LANES, Turn, outcomes_on, start
from solver.rules.dice import FACES
from solver.rules.rulesets import Ruleset

Marks = npt.NDArray[np.bool_]


# Payoffs


@dataclass(frozen=True)
class Payoff:
    """The chance to win, as a function of the final points."""

    worth: Floats  # [points]: the chance to win, constant from the last entry on

    @property
    def settled(self) -> int:
        """The lowest number of points from which on the chance does not change."""
        changes = np.flatnonzero(np.diff(self.worth))
        return int(changes[-1]) + 1 if len(changes) else 0

    @property
    def begins(self) -> int:
        """The lowest number of points whose chance differs from the chance of 0 points."""
        changes = np.flatnonzero(np.diff(self.worth))
        return int(changes[0]) + 1 if len(changes) else 0

    def of(self, points: int) -> float:
        return float(self.worth[min(points, len(self.worth) - 1)])

    def after(self, points: int) -> "Payoff":
        """Return the payoff of the rest of the game after the player has scored these points."""
        return Payoff(self.worth[min(points, len(self.worth) - 1) :])

    def expected(self, chances: Floats) -> float:
        """Return the expected payoff; chances[points] is the probability of these points."""
        at = np.minimum(np.arange(len(chances)), len(self.worth) - 1)
        return float(chances @ self.worth[at])


def at_least(points: int) -> Payoff:
    """Return the payoff of reaching a total: 1 from this number of points on, 0 below it."""
    worth = np.zeros(max(points, 0) + 1)
    worth[-1] = 1.0
    return Payoff(worth)


def against(chances: Floats) -> Payoff:
    """Return the payoff against an opponent with these chances[total]; a tie counts 1/2."""
    return Payoff(np.append(chances.cumsum() - chances / 2, 1.0))


# The ends of a turn


@dataclass(frozen=True, slots=True)
class Ends:
    """The possible ends of a turn that fills one open box."""

    box: int
    of: Ints  # [roll]: the index of the end, or FORBIDDEN
    gain: Ints  # [end]: points, including a chip
    step: Ints  # [end]: change of the upper total
    row: Ints  # [end]: row of the next card

    def each(self) -> Iterator[tuple[int, int, int]]:
        """Yield gain, step and row of every end."""
        return zip(self.gain.tolist(), self.step.tolist(), self.row.tolist(), strict=True)


@lru_cache(maxsize=1 << 12)
def ends_of(rules: Ruleset, row: int) -> tuple[Ends, ...]:
    """Return the ends of the open boxes of this row, in the order of the card."""
    outcomes, ends = outcomes_of(rules), []
    for box, of_roll in zip(rules.open(row & rules.full), outcomes_on(rules, row), strict=True):
        used, which = np.unique(of_roll, return_inverse=True)
        if used[0] == FORBIDDEN:
            used, which = used[1:], which - 1
        gain, step, after = outcomes.points[used], outcomes.step[used], row | outcomes.row[used]
        ends.append(Ends(box, which, gain, step, after))
    return tuple(ends)


@lru_cache(maxsize=1 << 12)
def columns_of(rules: Ruleset, row: int) -> Ints:
    """Return the column of each upper total, also of totals above the threshold. All totals that
    secure the bonus share the last column, and all that cannot reach it the first."""
    totals = np.arange(rules.bonus_threshold + rules.dice * FACES + 1)
    hopeless = totals + max(rules.upper_totals(rules.full & ~row)) < rules.bonus_threshold
    return np.where(hopeless, 0, np.minimum(totals, rules.bonus_threshold))


@lru_cache(maxsize=256)
def most_of(rules: Ruleset, box: int) -> int:
    """Return the maximum points of a turn that ends in this box, including a chip."""
    return max(gain for gain, _ in gains(rules, box, chips_won=True))


# The cards that can follow


@dataclass(slots=True)
class _Card:
    """A row of the table: the cells [column, points] that a game can reach, and their chances."""

    row: int
    reached: Marks
    values: Floats


class Endgame:
    """Every card that may follow a turn from this card, with its chance to win. The payoff is a
    function of the points still to come, including the upper bonus, as in V."""

    def __init__(
        self, rules: Ruleset, filled: int, upper: int, payoff: Payoff, *, chips_won: bool = False
    ) -> None:
        self.rules = rules
        self.space = Space(rules)
        self.worth, self.begins, self.settled = payoff.worth, payoff.begins, payoff.settled
        self.row = self.space.row(filled, chips_won=chips_won)
        self.column = self.space.column(upper)
        self.wide = self.settled + most_of_a_turn(rules) + 1
        self.cells = 0  # number of calculated pairs [column, points] of all cards
        self._cards: dict[int, _Card] = {}
        for level in reversed(list(self._levels())):
            for card in level:
                self._value(card)

    @property
    def turn(self) -> Turn:
        """The turn of the position, with chances instead of points as values."""
        filled, chips_won = self.row & self.rules.full, self.row > self.rules.full
        turn = Turn(self.space, filled, self.column, chips_won, self._no_table)
        scores = np.full((len(turn.boxes), len(self.rules.cup.rolls)), -np.inf)
        for at, ends in enumerate(ends_of(self.rules, self.row)):
            worth = [self._after(*end) for end in ends.each()]
            scores[at] = np.array([*worth, -np.inf])[ends.of]
        turn.scores = scores
        return turn

    def _after(self, gain: int, step: int, row: int) -> float:
        column = columns_of(self.rules, row)[self.column + step]
        return float(self._cards[row].values[column, gain])

    def _no_table(self, rows: Ints) -> Floats:
        raise AssertionError("the scores of this turn are known")

    # The reachable cards, by the number of filled boxes

    def _levels(self) -> Iterator[list[_Card]]:
        level = self._after_all([(self.row, np.array([self.column]), np.array([0]))])
        while level:
            yield level
            level = self._after_all((card.row, *self._find_undecided_cells(card)) for card in level)

    def _after_all(self, cells: Iterable[tuple[int, Ints, Ints]]) -> list[_Card]:
        """Return the cards one turn after these cells; mark the cells that the turns reach."""
        cards: dict[int, _Card] = {}
        for row, columns, points in cells:
            for ends in ends_of(self.rules, row):
                for gain, step, after in ends.each():
                    card = cards.get(after) or cards.setdefault(after, self._card(after))
                    column = columns_of(self.rules, after)[columns + step]
                    card.reached[column, points + gain] = True
        return list(cards.values())

    def _find_undecided_cells(self, card: _Card) -> tuple[Ints, Ints]:
        """Return the reached cells in which the player can still win or lose."""
        most = sum(most_of(self.rules, box) for box in self._open(card.row))
        least = max(0, self.begins - most - self.rules.bonus_points)
        columns, points = np.nonzero(card.reached[:, least : self.settled])
        return columns, points + least

    def _card(self, row: int) -> _Card:
        """Return a new card with the chances of the cells that are won or lost already."""
        values = np.full((self.space.columns, self.wide), self.worth[0])
        values[:, self.settled :] = self.worth[-1]
        reached = np.zeros(values.shape, dtype=np.bool_)
        card = self._cards[row] = _Card(row, reached, values)
        return card

    def _open(self, row: int) -> tuple[int, ...]:
        return self.rules.open(row & self.rules.full)

    # The values of the cards, the fullest first

    def _value(self, card: _Card) -> None:
        if not self._open(card.row):
            for column in range(self.space.columns):
                points = np.arange(self.settled) + self.rules.bonus(column)
                card.values[column, : self.settled] = self.worth[np.minimum(points, self.settled)]
            return
        cells = self._find_undecided_cells(card)
        self.cells += len(cells[0])
        for at in range(0, len(cells[0]), LANES):
            some = cells[0][at : at + LANES], cells[1][at : at + LANES]
            scores = self._scores(ends_of(self.rules, card.row), *some)
            card.values[some] = start(scores, self.rules.throws, self.rules.dice)

    def _scores(self, open_boxes: Iterable[Ends], columns: Ints, points: Ints) -> Floats:
        """Return the best chance without a roll left, as [roll, cell]. FORBIDDEN (-1) is the index
        of the last row of ``worth``."""
        best = np.full((len(self.rules.cup.rolls), len(columns)), -np.inf)
        for ends in open_boxes:
            worth = np.full((len(ends.gain) + 1, len(columns)), -np.inf)
            for n, (gain, step, row) in enumerate(ends.each()):
                column = columns_of(self.rules, row)[columns + step]
                worth[n] = self._cards[row].values[column, points + gain]
            np.maximum(best, worth[ends.of], out=best)
        return best


def most_of_a_turn(rules: Ruleset) -> int:
    return max(most_of(rules, box) for box in range(len(rules.categories)))
