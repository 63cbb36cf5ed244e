"""Keeps each die by the toss of a coin, and scores in any open box.

What it scores is what the rules give away; whoever decides anything should do better.
"""

from solver.players.tables import BOXES, COUNT, NOTHING, is_open, keep

HOLDS = 32


def ways(filled: int, rolls_left: int) -> int:
    """How many choices there are, all equally likely: sets of the five dice, or open boxes."""
    if rolls_left:
        return HOLDS
    boxes = BOXES
    for box in range(BOXES):
        boxes -= filled >> box & 1
    return boxes


def decide(reading: int, filled: int, upper: int, rolls_left: int, roll: int, way: int) -> int:
    return some_dice(roll, way) if rolls_left else open_box(filled, way)


def some_dice(roll: int, way: int) -> int:
    """The dice, from low to high, whose bits are set."""
    hold, die = NOTHING, 0
    for face in range(1, 7):
        for _ in range(COUNT[roll, face]):
            hold = keep(hold, face, way >> die & 1)
            die += 1
    return hold


def open_box(filled: int, way: int) -> int:
    """The open box with so many open ones before it."""
    box = 0
    while not is_open(filled, box) or way > 0:
        if is_open(filled, box):
            way -= 1
        box += 1
    return box
