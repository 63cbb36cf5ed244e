"""The dice-based strategy aimed at the upper boxes: its rules, on every roll of some cards."""

from collections import Counter

import pytest

from solver.players import dice_based, upper_first
from solver.players.dice_based import OPEN, PRINTED
from solver.rules import YATZY
from solver.rules.dice import Dice, make_cup

FIVE = make_cup(5)
STRAIGHTS_AND_HOUSE = YATZY.make_mask(["small_straight", "large_straight", "full_house"])
UPPER, LOWER = 0b11_1111, 0b111_1111_1100_0000


def goes_for(dice: Dice, filled: int) -> tuple[int, int]:
    """How many dice of which face: most of an open upper box, then the highest; two at least."""
    counts = Counter(dice)
    open_faces = [(counts[f], f) for f in counts if counts[f] > 1 and not filled >> (f - 1) & 1]
    return max(open_faces, default=(0, 0))


def points(dice: Dice, box: int) -> int:
    return YATZY.categories[box].score(dice)


def held(dice: Dice, filled: int) -> Dice | None:
    """Return the dice it holds; None if they are those of ``dice-based``."""
    count, face = goes_for(dice, filled)
    done = (box for box in range(15) if STRAIGHTS_AND_HOUSE & ~filled & 1 << box)
    if count < 3 and any(points(dice, box) for box in done):
        return dice
    return (face,) * count if count else None


def scored(dice: Dice, filled: int) -> int:
    count, face = goes_for(dice, filled)
    if count >= 3:
        return face - 1
    lower = [box for box in range(6, 15) if not filled >> box & 1 and points(dice, box)]
    first = next(box for box in range(15) if not filled >> box & 1)
    return max(lower, key=lambda box: points(dice, box), default=first)


@pytest.mark.parametrize(
    "filled", [0, 0b10_0100, 0b1_1011, UPPER, LOWER, STRAIGHTS_AND_HOUSE, 0b1010_1010_1010_100]
)
def test_it_does_on_every_roll_what_its_description_says(filled: int) -> None:
    for roll, dice in enumerate(FIVE.rolls):
        assert upper_first.decide(0, filled, 0, 0, roll) == scored(dice, filled)
        for left in (1, 2):
            hold, due = upper_first.decide(0, filled, 0, left, roll), held(dice, filled)
            if due is None:
                assert hold == dice_based.decide(OPEN | PRINTED, filled, 0, left, roll)
            else:
                assert (FIVE.holds[hold] if hold < FIVE.first_roll else dice) == due
