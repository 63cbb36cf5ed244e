"""Dice as multisets: every different roll and hold of a given number of dice.

A hold is a multiset of some, all or none of the dice, written as a sorted tuple. Holds are numbered
by size, then in lexicographic order, so the rolls (the holds of all dice) come last. Five dice have
462 holds, of which the last 252 are rolls.
"""

from collections.abc import Mapping
from functools import cache, cached_property
from itertools import combinations_with_replacement
from math import factorial

FACES = 6

Dice = tuple[int, ...]


class Cup:
    """The rolls and holds of a number of dice. ``make_cup`` makes only one cup per number."""

    def __init__(self, dice: int) -> None:
        self.dice = dice

    @cached_property
    def holds(self) -> tuple[Dice, ...]:
        faces = range(1, FACES + 1)
        sizes = range(self.dice + 1)
        return tuple(h for size in sizes for h in combinations_with_replacement(faces, size))

    @cached_property
    def hold_index(self) -> Mapping[Dice, int]:
        return {hold: index for index, hold in enumerate(self.holds)}

    @cached_property
    def bounds(self) -> tuple[int, ...]:
        """The ranges of holds by size: bounds[size]:bounds[size + 1] are holds of ``size`` dice."""
        firsts = (self.hold_index[(1,) * size] for size in range(self.dice + 1))
        return (*firsts, len(self.holds))

    @cached_property
    def first_roll(self) -> int:
        """The number of the first roll, which is also the number of holds with fewer dice."""
        return self.bounds[self.dice]

    @cached_property
    def rolls(self) -> tuple[Dice, ...]:
        return self.holds[self.first_roll :]

    @cached_property
    def roll_index(self) -> Mapping[Dice, int]:
        return {roll: index for index, roll in enumerate(self.rolls)}

    @cached_property
    def alike(self) -> tuple[Dice, ...]:
        """The rolls in which all dice show the same face."""
        return tuple((face,) * self.dice for face in range(1, FACES + 1))

    @cached_property
    def every_slot(self) -> int:
        return (1 << self.dice) - 1


@cache
def make_cup(dice: int) -> Cup:
    return Cup(dice)


def count_orderings(dice: Dice) -> int:
    """Return the number of different orders in which the dice can show these faces."""
    ways = factorial(len(dice))
    for face in set(dice):
        ways //= factorial(dice.count(face))
    return ways


def find_probability(dice: Dice) -> float:
    """Return the probability of rolling exactly these faces with len(dice) dice, in any order."""
    return count_orderings(dice) / float(FACES ** len(dice))


def remove_die(dice: Dice, face: int) -> Dice:
    at = dice.index(face)
    return dice[:at] + dice[at + 1 :]


def list_holds(dice: Dice) -> tuple[Dice, ...]:
    """Return every different hold of a roll, from the hold of all dice to the hold of no dice."""
    level = {tuple(sorted(dice))}
    ordered = []
    while level:
        ordered.extend(sorted(level))
        level = {remove_die(hold, face) for hold in level for face in set(hold)}
    return tuple(ordered)
