"""The simplified game: fill a few boxes in as few turns, or for as many points, as possible.

A turn has three rolls. Held dice stay held until the end of the turn. After the third roll all dice
are held. At the end of a turn, the dice fill an open box in which they score. A worthless turn,
whose dice score in no open box, fills no box. The game ends when every box is filled.

A state is the multiset of held dice and the open boxes. A turn starts with no held dice. An action
is the multiset of dice that the player holds next, and all worthless sets of five dice are a single
action. A state does not contain the number of rolls left. This number would matter only if the
player holds no dice after the first roll.

Dice that score in two open boxes fill the box with more points, or the harder box if points are
equal. ``easier`` is a different game, in which such dice fill the easier box.

``rethrow`` is a different game, in which held dice may be rolled again, as in Yatzy.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from math import comb
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from solver.dp.arrays import Floats, Ints
from solver.rules.dice import FACES, Dice, count_orderings, list_holds, make_cup
from solver.rules.rulesets import Category

CATEGORIES = (  # boxes with the points of the source, starting with the easiest
    Category("three_of_a_kind", "of_a_kind", size=3),
    Category("four_of_a_kind", "of_a_kind", size=4),
    Category("small_straight", "run_of", size=4, points=25),
    Category("large_straight", "run_of", size=5, points=30),
)
CUP = make_cup(5)
KEPT = CUP.first_roll  # number of holds of 0 to 4 dice; later numbers are holds of five dice
NOTHING = 0
THROWS = 3
HOLDINGS = len(CUP.holds)
NO_BOX = -1

Flags = npt.NDArray[np.bool_]


class Rounds(NamedTuple):
    """The possible steps of a turn. A pair is a hold, and a roll that can follow the hold.

    ``kept[pair]`` is the number of the hold, and ``roll[pair]`` the number of the roll of all five
    dice. ``chance[pair]`` is the roll's probability after the hold. ``hold[first[pair]:first[pair +
    1]]`` are the holds that the player may choose next, each of which contains the dice held
    before. ``pair[hold, roll]`` is the number of a pair, or -1 if the roll lacks a held die.
    """

    kept: Ints
    roll: Ints
    chance: Floats
    first: Ints
    hold: Ints
    pair: Ints


@cache
def list_rounds() -> Rounds:
    pairs = sorted(
        (CUP.hold_index[kept], roll) for roll in CUP.rolls for kept in list_holds(roll)[1:]
    )
    choices = [
        [tuple(sorted(CUP.holds[hold] + more)) for more in list_holds(find_rolled_dice(hold, dice))]
        for hold, dice in pairs
    ]
    kept, roll = np.array([(kept, CUP.hold_index[roll] - KEPT) for kept, roll in pairs]).T.copy()
    ways = np.array(
        [count_orderings(find_rolled_dice(kept, roll)) for kept, roll in pairs], dtype=np.float64
    )
    pair = np.full((KEPT, len(CUP.rolls)), -1)
    pair[kept, roll] = np.arange(len(pairs))
    return Rounds(
        kept=kept,
        roll=roll,
        chance=ways / np.bincount(kept, ways)[kept],
        first=np.cumsum([0, *map(len, choices)]),
        hold=np.array([CUP.hold_index[hold] for holds in choices for hold in holds]),
        pair=pair,
    )


def find_rolled_dice(kept: int, roll: Dice) -> Dice:
    """Return the dice of the roll without the held dice. ``kept`` is the number of the hold."""
    dice = list(roll)
    for face in CUP.holds[kept]:
        dice.remove(face)
    return tuple(dice)


class TurnPlay(NamedTuple):
    """A random strategy for a turn: the probability of each hold in ``list_rounds().hold``, after
    the first roll and after the second roll."""

    first: Floats
    second: Floats


@dataclass(frozen=True)
class Worth:
    """The expected turns and points until the game ends, for each set of open boxes (as bits)."""

    turns: Floats
    points: Floats


@dataclass(frozen=True)
class Simplified:
    categories: tuple[Category, ...] = CATEGORIES
    rethrow: bool = False
    easier: bool = False

    @property
    def open(self) -> int:
        """All boxes as bits. A game starts with this set of open boxes and ends with 0."""
        return (1 << len(self.categories)) - 1

    @cached_property
    def box(self) -> Ints:
        """A table [open boxes, roll]: the box that the roll fills, or NO_BOX."""
        table = np.full((self.open + 1, len(CUP.rolls)), NO_BOX)
        for open_boxes in range(self.open + 1):
            for number, roll in enumerate(CUP.rolls):
                points = {
                    box: category.score(roll)
                    for box, category in enumerate(self.categories)
                    if open_boxes >> box & 1 and category.score(roll)
                }
                if points and self.easier:
                    table[open_boxes, number] = min(points)
                elif points:
                    best = max((score, box) for box, score in points.items())
                    table[open_boxes, number] = best[1]
        return table

    @cached_property
    def points(self) -> Ints:
        """A table [open boxes, roll]: the points that the roll scores in its box."""
        scores = [[c.score(roll) for roll in CUP.rolls] for c in self.categories]
        table = np.array([*scores, [0] * len(CUP.rolls)])  # NO_BOX (-1) selects the last row
        points: Ints = np.take_along_axis(table, self.box, axis=0)
        return points

    @cached_property
    def worthless(self) -> int:
        """The number of the last action, which stands for all worthless rolls."""
        return KEPT + int((self.box[self.open] != NO_BOX).sum())

    @property
    def actions(self) -> int:
        return self.worthless + 1

    @cached_property
    def action(self) -> Ints:
        """A table [open boxes, hold]: the number of the action that makes this hold."""
        scoring = self.box[self.open] != NO_BOX
        number = KEPT + np.cumsum(scoring) - 1
        kept = np.tile(np.arange(KEPT), (self.open + 1, 1))
        return np.hstack([kept, np.where(self.box != NO_BOX, number, self.worthless)])

    # Exact values

    def evaluate(self, turn: Callable[[int], TurnPlay]) -> Worth:
        """Return the exact turns and points of a strategy whose games end with probability 1."""
        worth = Worth(np.zeros(self.open + 1), np.zeros(self.open + 1))
        for o in range(1, self.open + 1):
            chance = self.find_end_chances(turn(o))
            scored = self.box[o] != NO_BOX
            hit, left = chance[scored], self._find_open_boxes(o, scored)
            worth.turns[o] = (1 + hit @ worth.turns[left]) / hit.sum()
            worth.points[o] = hit @ (self.points[o, scored] + worth.points[left]) / hit.sum()
        return worth

    def find_best_turns(self, *, wasted: float, point: float) -> list[TurnPlay]:
        """Return the best turn strategy for each set of open boxes, by dynamic programming.

        With W(open) the highest value, and ``wasted`` (at most 0) the value of a worthless turn:

            W(open) = max over turns of  sum over rolls that score  chance (points + W(rest))
                                       + chance of a worthless turn (wasted + W(open))

        W is on both sides of the equation. The optimal turn for a guess of W gives a better guess.
        When no turn is better, the guess is W (Newton's method, or policy iteration).
        """
        value, best = np.zeros(self.open + 1), [self.make_uniform_turn()] * (self.open + 1)
        for o in range(1, self.open + 1):
            scored = self.box[o] != NO_BOX
            gain = np.where(scored, point * self.points[o], wasted)
            gain[scored] += value[self._find_open_boxes(o, scored)]
            turn, guess = best[o], -np.inf
            chance = self.find_end_chances(turn)
            # ``better`` is the value of playing the turn again and again until it scores.
            while (better := float(chance @ gain / chance[scored].sum())) > guess + 1e-10:
                best[o], guess = turn, better
                turn = self._find_best_turn(gain + np.where(scored, 0.0, guess))
                chance = self.find_end_chances(turn)
            value[o] = guess
        return best

    def _find_best_turn(self, value: Floats) -> TurnPlay:
        """Return the strategy with the highest expected ``value[roll]`` of the last roll."""
        r, choices = list_rounds(), []
        at_pair = value[r.roll]  # after the last roll
        for _ in range(2):
            kept = sum_by_place(r.kept, r.chance * at_pair, KEPT)
            choices.append(np.concatenate([kept, value])[r.hold])
            at_pair = np.maximum.reduceat(choices[-1], r.first[:-1])[self.pair]
        return TurnPlay(*map(choose_best_holds, reversed(choices)))

    def find_end_chances(self, turn: TurnPlay) -> Floats:
        """Return the probability of each roll at the end of the turn."""
        r = list_rounds()
        kept: Floats = np.zeros(KEPT)
        ended = np.zeros(len(CUP.rolls))
        kept[NOTHING] = 1.0
        for chances in turn:
            arrived = sum_by_place(self.pair, kept[r.kept] * r.chance, len(r.kept))
            hold = sum_by_place(r.hold, np.repeat(arrived, np.diff(r.first)) * chances, HOLDINGS)
            kept = hold[:KEPT]
            ended += hold[KEPT:]
        return ended + sum_by_place(r.roll, kept[r.kept] * r.chance, len(CUP.rolls))

    @cached_property
    def pair(self) -> Ints:
        """A table that maps each pair of a hold and a roll to the pair that decides which holds may
        follow: the same pair or, with ``rethrow``, the pair of this roll and no held dice."""
        r = list_rounds()
        return r.pair[NOTHING, r.roll] if self.rethrow else np.arange(len(r.kept))

    def _find_open_boxes(self, open_boxes: int, scored: Flags) -> Ints:
        """Return for each scoring roll the boxes that are open afterwards, as bits."""
        left: Ints = open_boxes & ~(1 << self.box[open_boxes, scored])
        return left

    @staticmethod
    def make_uniform_turn() -> TurnPlay:
        """Return a random strategy in which all possible holds are equally likely."""
        counts = np.diff(list_rounds().first)
        even = np.repeat(1 / counts, counts)
        return TurnPlay(even, even)


def make_coin_turn() -> TurnPlay:
    """Return a random strategy that tosses a coin for each rolled die, to hold it or not."""
    r = list_rounds()
    kept, roll = (np.repeat(part, np.diff(r.first)) for part in (r.kept, KEPT + r.roll))
    faces = np.array([[hold.count(face + 1) for face in range(FACES)] for hold in CUP.holds])
    ways = np.array([[comb(n, k) for k in range(CUP.dice + 1)] for n in range(CUP.dice + 1)])
    thrown, more = faces[roll] - faces[kept], faces[r.hold] - faces[kept]
    chances = ways[thrown, more].prod(axis=1) / 2.0 ** thrown.sum(axis=1)
    return TurnPlay(chances, chances)


def sum_by_place(place: Ints, amounts: Floats, places: int) -> Floats:
    """Return the sums of groups: result ``n`` sums all ``amounts[i]`` with ``place[i] == n``."""
    return np.bincount(place, amounts, places).astype(np.float64, copy=False)


TIED = 1e-9  # smaller differences are ties, because rounding errors of sums are about 1e-13


def choose_best_holds(value: Floats) -> Floats:
    """Return the probability of each hold of ``list_rounds().hold`` if the player always chooses
    the hold with the highest ``value``. Holds with equal values are equally likely."""
    r = list_rounds()
    counts = np.diff(r.first)
    best = value > np.repeat(np.maximum.reduceat(value, r.first[:-1]), counts) - TIED
    chances: Floats = best / np.repeat(
        np.add.reduceat(best.astype(np.float64), r.first[:-1]), counts
    )
    return chances
