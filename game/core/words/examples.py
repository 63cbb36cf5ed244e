"""Example rolls for the boxes of a ruleset, calculated from its rules."""

from collections.abc import Sequence

from solver.rules import Category, Ruleset
from solver.rules.dice import Dice

Rank = tuple[int, int, int, int]


def find_example(category: Category, rules: Ruleset) -> Dice:
    """Return an example roll for a box. The roll must not show a better combination; for a pair,
    the other faces all differ. Of the possible rolls, choose the one with the most different faces,
    then the one that fits the fewest lower boxes, then the one with the highest score. For an upper
    box, show as many dice of the face as the bonus needs."""
    rolls = [roll for roll in rules.cup.rolls if _fits_box(category, rules, roll)]
    return max(rolls, key=lambda roll: _rank_roll(category, rules, roll))


def _fits_box(category: Category, rules: Ruleset, roll: Dice) -> bool:
    counted = category.find_counted(roll)
    return len(counted) == count_dice_for_bonus(rules) if category.face else bool(counted)


def count_dice_for_bonus(rules: Ruleset) -> int:
    """Return how many dice the player needs in every upper box to secure the bonus. Return the
    number of dice in a roll if the bonus needs more."""
    faces = sum(rules.categories[number].face for number in rules.upper)
    return min(rules.dice, max(1, -(-rules.bonus_threshold // faces)))


def _rank_roll(category: Category, rules: Ruleset, roll: Dice) -> Rank:
    fitting = sum(bool(other.find_counted(roll)) for other in rules.categories if not other.face)
    return len(set(roll)), -fitting, category.score(roll), sum(roll)


def sort_counting_first(category: Category, roll: Dice) -> tuple[tuple[int, bool], ...]:
    """Return (face, whether it counts in this box) for each die. Dice that count come first."""
    counted, others = category.find_counted(roll), list(roll)
    for face in counted:
        others.remove(face)
    return (
        *((face, True) for face in _sort_for_display(counted)),
        *((face, False) for face in _sort_for_display(others)),
    )


def _sort_for_display(dice: Sequence[int]) -> list[int]:
    """Return the dice for display: the most frequent face first, or a straight in order."""
    if len(set(dice)) == len(dice):
        return sorted(dice)
    return sorted(dice, key=lambda face: (-dice.count(face), -face))


# An example turn: its first roll, its last roll, and the held face.
FIRST, LAST, HELD = (3, 5, 1, 5, 2, 4), (5, 5, 2, 5, 5, 6), 5
