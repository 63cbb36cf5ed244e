"""A roll that shows what a box is for, worked out from the ruleset."""

from collections.abc import Sequence

from solver.rules import Category, Ruleset
from solver.rules.dice import Dice

Rank = tuple[int, int, int, int]


def example(category: Category, rules: Ruleset) -> Dice:
    """Return the box's own combination and no more: a pair with three other faces, not five sixes.

    Of the rolls with most different faces those that fit fewest other boxes, and of those the one
    that brings most. An upper box shows as many dice as the bonus asks of each face.
    """
    rolls = [roll for roll in rules.cup.rolls if _fits(category, rules, roll)]
    return max(rolls, key=lambda roll: _rank(category, rules, roll))


def _fits(category: Category, rules: Ruleset, roll: Dice) -> bool:
    counted = category.counted(roll)
    return len(counted) == asked_of_each(rules) if category.face else bool(counted)


def asked_of_each(rules: Ruleset) -> int:
    """Return the dice of every upper face that reach the bonus, so far as a throw has them."""
    faces = sum(rules.categories[number].face for number in rules.upper)
    return min(rules.dice, max(1, -(-rules.bonus_threshold // faces)))


def _rank(category: Category, rules: Ruleset, roll: Dice) -> Rank:
    fitting = sum(bool(other.counted(roll)) for other in rules.categories if not other.face)
    return len(set(roll)), -fitting, category.score(roll), sum(roll)


def fixed_points(category: Category, rules: Ruleset) -> int | None:
    """Return what the box scores whenever it scores; None if that depends on the dice."""
    brought = {category.score(roll) for roll in rules.cup.rolls} - {0}
    return brought.pop() if len(brought) == 1 else None


def counting_first(category: Category, roll: Dice) -> tuple[tuple[int, bool], ...]:
    """Return the faces of a roll as one would lay them out, each with whether it counts."""
    counted, others = category.counted(roll), list(roll)
    for face in counted:
        others.remove(face)
    return (*((face, True) for face in _laid(counted)), *((face, False) for face in _laid(others)))


def _laid(dice: Sequence[int]) -> list[int]:
    """Return the dice for display: the most frequent face first, a straight in order."""
    if len(set(dice)) == len(dice):
        return sorted(dice)
    return sorted(dice, key=lambda face: (-dice.count(face), -face))


# How a turn goes: a throw, what is held of it, and what became of the rest.
FIRST, LAST, HELD = (3, 5, 1, 5, 2, 4), (5, 5, 2, 5, 5, 6), 5
