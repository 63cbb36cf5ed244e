"""Many turns at once in numpy: what ``dp.turn`` works out for one card, with a card a column.

For positions that have nothing in common. One call of numpy then serves hundreds of cards, where
a turn alone spends more time on calling than on counting. The numbers are those of ``Turn`` but for
the order in which they are added up; where options are equal, what is carried may be that of
another of them.
"""

from functools import cache, cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from solver.dp import arrays, lanes
from solver.dp.arrays import Floats, Ints, hold_sizes
from solver.dp.space import PREFER_DIE, PREFER_LOWER_BOX, Space
from solver.dp.turn import Rows, Turn
from solver.rules.rulesets import Ruleset

Flags = npt.NDArray[np.bool_]


class StartCards(NamedTuple):
    """What turns start from, an entry a turn; ``upper`` may be more than secures the bonus."""

    filled: Ints
    upper: Ints
    chips_won: Flags


class Expected(NamedTuple):
    """[..., card]: the value, and what is carried beside it by whoever plays for the value.

    Carried are the chance of the bonus and the second moment of the rest, or nothing.
    """

    value: Floats
    carried: tuple[Floats, ...] = ()

    @property
    def planes(self) -> tuple[Floats, ...]:
        return (self.value, *self.carried)

    def at(self, *index: Any) -> "Expected":
        value, *carried = (plane[index] for plane in self.planes)
        return Expected(value, tuple(carried))

    def above(self, other: "Expected") -> "Expected":
        """One below the other, as one."""
        both = zip(self.planes, other.planes, strict=True)
        value, *carried = (np.concatenate(planes) for planes in both)
        return Expected(value, tuple(carried))

    def put(self, index: Any, other: "Expected") -> None:
        for mine, theirs in zip(self.planes, other.planes, strict=True):
            mine[index] = theirs


class BoxResults(NamedTuple):
    """The different points of one box, their steps of the upper total, and [roll]: which it has."""

    points: Ints
    steps: Ints
    of_roll: Ints


class Ways(NamedTuple):
    """Ends of turns, an entry each: the last roll of a card goes into a box."""

    roll: Ints
    card: Ints
    box: Ints
    chance: Floats

    def and_also(self, other: "Ways") -> "Ways":
        roll, card, box, chance = (np.concatenate(both) for both in zip(self, other, strict=True))
        return Ways(roll, card, box, chance)


class JokerOptions(NamedTuple):
    """What rolls of one face may do under joker rules, an entry for each option of each card."""

    card: Ints
    roll: Ints
    box: Ints
    gain: Ints  # with the chip
    row: Ints  # of the card that follows
    step: Ints

    def where(self, wanted: Flags) -> "JokerOptions":
        return JokerOptions(*(one[wanted] for one in self))


@cache
def results(rules: Ruleset, box: int) -> BoxResults:
    points, of_roll = np.unique(arrays.points_of(rules)[box], return_inverse=True)
    return BoxResults(points, points * bool(rules.categories[box].face), of_roll)


@lru_cache(maxsize=1 << 13)
def jokers_of(rules: Ruleset, filled: int, chips_won: bool) -> Ints:
    """[(roll, box, gain, row, step), option] of one card."""
    turn = Turn(Space(rules), filled, 0, chips_won, lambda _: np.empty(0))
    found = [
        (turn.rolls[dice], option.category, option.points + option.chip, *turn.follows(option))
        for dice, option in turn.special_options()
    ]
    return np.array(found, dtype=np.int64).reshape(-1, 5).T


class ManyTurns:
    """Worked out as far as it is asked for, and everything once."""

    def __init__(self, space: Space, cards: StartCards, values: Rows, moments: Rows | None) -> None:
        self.space = space
        self.rules: Ruleset = space.rules
        self.dice = space.rules.dice
        self._cup = space.rules.cup
        self.cards = cards
        numbers, self._follows = self._cards_that_follow()
        self._numbers = numbers
        self._values = values(numbers)
        self._moments = moments(numbers) if moments else None
        self._best: dict[int, Expected] = {}
        self._holds: dict[int, Expected] = {}
        self._chosen: dict[int, Ints] = {}  # by throws left: the best hold, or with none the box

    def __len__(self) -> int:
        return len(self.cards.filled)

    def _cards_that_follow(self) -> tuple[Ints, Ints]:
        """The rows that are needed, and [box, card]: which of them follows."""
        flag = self.cards.chips_won.astype(np.int64) << self.space.boxes
        after = self.cards.filled | 1 << np.arange(self.space.boxes)[:, None] | flag
        numbers = np.unique(np.concatenate((after.ravel(), self.jokers.row)))
        return numbers, np.searchsorted(numbers, after)

    @cached_property
    def jokers(self) -> JokerOptions:
        if not self.rules.joker:
            return JokerOptions(*np.empty((6, 0), dtype=np.int64))
        cards = zip(self.cards.filled.tolist(), self.cards.chips_won.tolist(), strict=True)
        found = [jokers_of(self.rules, filled, won) for filled, won in cards]
        card = np.repeat(np.arange(len(found)), [one.shape[1] for one in found])
        return JokerOptions(card, *np.concatenate(found, axis=1))

    @property
    def _alike(self) -> list[int]:
        return [self._cup.roll_index[dice] for dice in self._cup.alike]

    def boxes(self, rolls: Ints) -> tuple[Ints, Expected]:
        """[box, card]: the points of the roll that lies there, and what scoring it is worth."""
        points = arrays.points_of(self.rules)[:, rolls]
        found = self._scored(self._follows, points, arrays.upper_steps_of(self.rules)[:, rolls])
        found.value[self._filled()] = -np.inf
        if self.rules.joker:
            jokers = self.jokers.where(self.jokers.roll == rolls[self.jokers.card])
            found.value[:, np.isin(rolls, self._alike)] = -np.inf
            found.put((jokers.box, jokers.card), self._played(jokers))
            points[jokers.box, jokers.card] = jokers.gain
        return points, found

    def _filled(self) -> Flags:
        """[box, card]"""
        filled: Flags = self.cards.filled >> np.arange(self.space.boxes)[:, None] & 1 == 1
        return filled

    def holds(self, rolls_left: int) -> Expected:
        """[hold, card], with so many throws to come."""
        if rolls_left not in self._holds:
            best = self.best(rolls_left - 1)
            value, *carried = (lanes.thrown(one, self.dice) for one in best.planes)
            self._holds[rolls_left] = Expected(value, tuple(carried))
        return self._holds[rolls_left]

    def best(self, rolls_left: int) -> Expected:
        """[roll, card], with so many throws to come."""
        if rolls_left not in self._best:
            found = self._best_holds(rolls_left) if rolls_left else self._best_boxes()
            self._best[rolls_left] = found
        return self._best[rolls_left]

    def _best_holds(self, rolls_left: int) -> Expected:
        holds = self.holds(rolls_left)
        liked = holds.value + PREFER_DIE * hold_sizes(self.dice)[:, None]
        chosen = self._chosen[rolls_left] = lanes.chosen(liked, self.dice)
        return holds.at(chosen, np.arange(len(self)))

    def _best_boxes(self) -> Expected:
        best = self._of_rolls(0)
        liked, which = best.value.copy(), np.zeros(best.value.shape, dtype=np.int64)
        for box in range(1, self.space.boxes):
            found = self._of_rolls(box)
            value = found.value - PREFER_LOWER_BOX * box
            better = value > liked
            np.maximum(liked, value, out=liked)
            np.copyto(which, box, where=better)
            for mine, theirs in zip(best.planes, found.planes, strict=True):
                np.copyto(mine, theirs, where=better)
        self._chosen[0] = which
        return best

    def ways(self, rolls_left: int, hold: Ints, card: Ints) -> Ways:
        """Where these holds of these cards lead, and how likely, played for the value."""
        chances = np.zeros((len(self._cup.holds), len(self)))
        chances[hold, card] = 1.0
        while rolls_left:
            thrown = lanes.flow(chances, self.dice)
            rolls_left -= 1
            if rolls_left:
                places = self._chosen[rolls_left] * len(self)
                places += np.arange(len(self))
                found = np.bincount(places.ravel(), thrown.ravel(), chances.size)
                chances = found.reshape(chances.shape).astype(np.float64, copy=False)
        roll, where = thrown.nonzero()
        return Ways(roll, where, self._chosen[0][roll, where], thrown[roll, where])

    def carried(self, ways: Ways, moments: Rows) -> tuple[Floats, Floats]:
        """[card]: what is carried by whoever goes these ways; only rows they end in are read."""
        follows, gain, step = self._ends(ways)
        needed = np.zeros(len(self._numbers), dtype=np.bool_)
        needed[follows] = True
        rows = moments(self._numbers[needed])
        column = np.minimum(self.cards.upper[ways.card] + step, self.rules.bonus_threshold)
        value = self._values[follows, column] + gain
        chance, second = rows[(np.cumsum(needed) - 1)[follows], column].astype(np.float64).T
        second += gain * (2.0 * value - gain)
        return self._summed(ways, chance), self._summed(ways, second)

    def _summed(self, ways: Ways, carried: Floats) -> Floats:
        summed = np.bincount(ways.card, ways.chance * carried, len(self))
        return summed.astype(np.float64, copy=False)

    def _ends(self, ways: Ways) -> tuple[Ints, Ints, Ints]:
        """The row of the card that follows, the points and the step of each of them."""
        roll, card, box, _ = ways
        follows = self._follows[box, card]
        gain = arrays.points_of(self.rules)[box, roll]
        step = arrays.upper_steps_of(self.rules)[box, roll]
        if self.rules.joker:
            jokers = self.jokers
            known = self._place(jokers.card, jokers.roll, jokers.box)
            order = np.argsort(known)
            wanted = self._place(card, roll, box)
            at = order[np.searchsorted(known, wanted, sorter=order).clip(max=len(order) - 1)]
            plays = known[at] == wanted
            at = at[plays]
            follows[plays] = np.searchsorted(self._numbers, jokers.row[at])
            gain[plays], step[plays] = jokers.gain[at], jokers.step[at]
        return follows, gain, step

    def _place(self, card: Ints, roll: Ints, box: Ints) -> Ints:
        return (card * len(self._cup.holds) + roll) * self.space.boxes + box

    def _of_rolls(self, box: int) -> Expected:
        """[roll, card]: what scoring in this box is worth."""
        points, steps, of_roll = results(self.rules, box)
        found = self._scored(self._follows[box], points[:, None], steps[:, None])
        found.value[:, self._filled()[box]] = -np.inf
        found = found.at(of_roll)
        if self.rules.joker:
            jokers = self.jokers.where(self.jokers.box == box)
            found.value[self._alike] = -np.inf
            found.put((jokers.roll, jokers.card), self._played(jokers))
        return found

    def _played(self, jokers: JokerOptions) -> Expected:
        follows = np.searchsorted(self._numbers, jokers.row)
        return self._scored(follows, jokers.gain, jokers.step, jokers.card)

    def _scored(
        self, follows: Ints, gain: Ints, step: Ints, card: Ints | slice = slice(None)
    ) -> Expected:
        """The points of an option, and V of the card that follows it."""
        column = np.minimum(self.cards.upper[card] + step, self.rules.bonus_threshold)
        value = self._values[follows, column] + gain
        if self._moments is None:
            return Expected(value)
        chance, second = np.moveaxis(self._moments[follows, column].astype(np.float64), -1, 0)
        second = second + gain * (2.0 * value - gain)  # p^2 + 2 p V, where value is p + V
        return Expected(value, (chance.copy(), second))
