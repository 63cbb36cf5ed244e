"""Dice as multisets: the 252 different rolls of five dice and the 462 different holds.

A hold is any multiset of nought to five faces, written as a sorted tuple. Holds are numbered by
size, then in lexicographic order, so the rolls (the holds of five dice) are the last 252 of them.
"""

from itertools import combinations_with_replacement
from math import factorial

DICE = 5
FACES = 6

Dice = tuple[int, ...]

HOLDS: tuple[Dice, ...] = tuple(
    faces
    for size in range(DICE + 1)
    for faces in combinations_with_replacement(range(1, FACES + 1), size)
)
HOLD_INDEX: dict[Dice, int] = {hold: index for index, hold in enumerate(HOLDS)}
FIRST_ROLL = HOLD_INDEX[(1,) * DICE]
ROLLS: tuple[Dice, ...] = HOLDS[FIRST_ROLL:]
ROLL_INDEX: dict[Dice, int] = {roll: index for index, roll in enumerate(ROLLS)}


def orderings(dice: Dice) -> int:
    """In how many orders these faces can fall."""
    ways = factorial(len(dice))
    for face in set(dice):
        ways //= factorial(dice.count(face))
    return ways


def probability(dice: Dice) -> float:
    """The chance that so many thrown dice show exactly these faces."""
    return orderings(dice) / float(FACES ** len(dice))


def without(dice: Dice, face: int) -> Dice:
    """The multiset with one die of that face taken away."""
    at = dice.index(face)
    return dice[:at] + dice[at + 1 :]


def subsets(dice: Dice) -> tuple[Dice, ...]:
    """Every distinct hold of a roll, the ones that keep more dice first."""
    found = {tuple(sorted(dice))}
    ordered = []
    while found:
        ordered.extend(sorted(found))
        found = {without(hold, face) for hold in found for face in set(hold)}
    return tuple(ordered)
