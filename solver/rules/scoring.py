"""Combinations: the dice of a roll that form a pattern. Rulesets define the points.

A pattern is a function from a roll to the dice that form the combination. If several combinations
are possible, it returns the highest. If none is possible, it returns ``()``.
"""

from collections.abc import Callable
from itertools import permutations

from solver.rules.dice import FACES, Dice

STRAIGHT = 5  # number of dice in a straight, even if six dice are rolled

Pattern = Callable[[Dice, int], Dice]


def select_faces(dice: Dice, face: int) -> Dice:
    return tuple(die for die in dice if die == face)


def find_of_a_kind(dice: Dice, size: int) -> Dice:
    for face in range(FACES, 0, -1):
        if dice.count(face) >= size:
            return (face,) * size
    return ()


def make_group_pattern(*sizes: int) -> Pattern:
    """Return a pattern for groups of equal dice. For example, sizes 3 and 2 are a full house."""

    def find_best_groups(dice: Dice, _: int) -> Dice:
        faces = permutations(sorted(set(dice), reverse=True), len(sizes))
        combinations = [
            tuple(face for face, size in zip(some, sizes, strict=True) for _ in range(size))
            for some in faces
            if all(dice.count(face) >= size for face, size in zip(some, sizes, strict=True))
        ]
        return tuple(sorted(max(combinations, key=sum, default=())))

    return find_best_groups


def find_straight(dice: Dice, lowest: int) -> Dice:
    run = tuple(range(lowest, lowest + STRAIGHT))
    return run if set(run) <= set(dice) else ()


def find_run(dice: Dice, length: int) -> Dice:
    for lowest in range(FACES - length + 1, 0, -1):
        run = tuple(range(lowest, lowest + length))
        if set(run) <= set(dice):
            return run
    return ()


def take_any_dice(dice: Dice, _: int) -> Dice:
    return tuple(sorted(dice))


PATTERNS: dict[str, Pattern] = {
    "faces": select_faces,
    "of_a_kind": find_of_a_kind,
    "two_pairs": make_group_pattern(2, 2),
    "three_pairs": make_group_pattern(2, 2, 2),
    "straight_from": find_straight,
    "run_of": find_run,
    "full_house": make_group_pattern(3, 2),
    "villa": make_group_pattern(3, 3),
    "tower": make_group_pattern(4, 2),
    "any": take_any_dice,
}
