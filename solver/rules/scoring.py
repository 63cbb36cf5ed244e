"""Combinations: which dice of a roll form one. What they are worth is the ruleset's business.

Every pattern maps a roll to the dice that form the combination, the highest where there is a
choice, or to ``()`` where the roll does not have it.
"""

from collections.abc import Callable

from solver.rules.dice import FACES, Dice

STRAIGHT = 5  # dice, however many are thrown

Pattern = Callable[[Dice, int], Dice]


def faces_equal(dice: Dice, face: int) -> Dice:
    return tuple(die for die in dice if die == face)


def of_a_kind(dice: Dice, size: int) -> Dice:
    for face in range(FACES, 0, -1):
        if dice.count(face) >= size:
            return (face,) * size
    return ()


def two_pairs(dice: Dice, _: int) -> Dice:
    paired = [face for face in range(FACES, 0, -1) if dice.count(face) >= 2]
    return (paired[1],) * 2 + (paired[0],) * 2 if len(paired) >= 2 else ()


def straight_from(dice: Dice, lowest: int) -> Dice:
    run = tuple(range(lowest, lowest + STRAIGHT))
    return run if set(run) <= set(dice) else ()


def run_of(dice: Dice, length: int) -> Dice:
    for lowest in range(FACES - length + 1, 0, -1):
        run = tuple(range(lowest, lowest + length))
        if set(run) <= set(dice):
            return run
    return ()


def full_house(dice: Dice, _: int) -> Dice:
    three = [face for face in range(FACES, 0, -1) if dice.count(face) >= 3]
    two = [face for face in range(FACES, 0, -1) if dice.count(face) >= 2]
    houses = [(a,) * 3 + (b,) * 2 for a in three for b in two if a != b]
    return tuple(sorted(max(houses, key=sum, default=())))


def any_dice(dice: Dice, _: int) -> Dice:
    return tuple(sorted(dice))


PATTERNS: dict[str, Pattern] = {
    "faces": faces_equal,
    "of_a_kind": of_a_kind,
    "two_pairs": two_pairs,
    "straight_from": straight_from,
    "run_of": run_of,
    "full_house": full_house,
    "any": any_dice,
}
