"""A position as a state of the game: some card that it can come from."""

from solver.advice import Position
from solver.rules import Box, Ruleset, State


def state_of(rules: Ruleset, position: Position) -> State:
    """A game that stands like this. What the lower boxes hold is not known, and decides nothing."""
    points = _upper_points(rules, position)
    boxes = tuple(
        Box(points.get(number, 0), ()) if position.filled >> number & 1 else None
        for number in range(len(rules.categories))
    )
    return State(rules, boxes, position.rolls_left, position.dice)


def _upper_points(rules: Ruleset, position: Position) -> dict[int, int]:
    """Points of the filled upper boxes that add up to the total, the high boxes first."""
    left, points = position.upper, {}
    boxes = [number for number in rules.upper if position.filled >> number & 1]
    while boxes:
        number = boxes.pop()
        rest = rules.upper_totals(sum(1 << box for box in boxes))
        face = rules.categories[number].face
        points[number] = next(n * face for n in range(5, -1, -1) if left - n * face in rest)
        left -= points[number]
    return points
