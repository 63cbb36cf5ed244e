"""Dice as small tables, and the few sentences that the strategies of the study are written in.

Plain functions of numbers: they run as they stand, and ``players.compiled`` compiles them. A hold
is its number in ``rules.dice``; ``STOP`` of a roll is the hold of all five dice, which ends the
turn: the roll is scored as it lies.
"""

import numpy as np

from solver.dp import arrays
from solver.rules import YATZY
from solver.rules.dice import DICE, FACES, FIRST_ROLL, HOLD_INDEX, HOLDS, ROLLS

STOP = FIRST_ROLL
NOTHING = 0

COUNT = np.array([[0, *(roll.count(f) for f in range(1, FACES + 1))] for roll in ROLLS])
MORE = np.full((len(HOLDS), FACES + 1), -1)  # [hold, face]: the hold with that die added
for _hold in HOLDS[:FIRST_ROLL]:
    for _face in range(1, FACES + 1):
        MORE[HOLD_INDEX[_hold], _face] = HOLD_INDEX[tuple(sorted((*_hold, _face)))]
SIZE = np.array([len(hold) for hold in HOLDS])
POINTS = arrays.points_of(YATZY)  # [box, roll]
BOXES = len(YATZY.categories)
ROLL_OF = np.array(  # of all dice as one number, a digit to base six each
    [
        HOLD_INDEX[tuple(sorted(number // FACES**n % FACES + 1 for n in range(DICE)))] - FIRST_ROLL
        for number in range(FACES**DICE)
    ]
)


def is_open(filled: int, box: int) -> bool:
    return not filled >> box & 1


def first_open(filled: int) -> int:
    box = 0
    while filled >> box & 1:
        box += 1
    return box


def keep(hold: int, face: int, dice: int) -> int:
    """The hold with so many more dice of that face."""
    for _ in range(dice):
        hold = MORE[hold, face]
    return hold


def most_common(roll: int) -> int:
    """The face that most dice show, the highest of several."""
    best = 1
    for face in range(2, FACES + 1):
        if COUNT[roll, face] >= COUNT[roll, best]:
            best = face
    return best


def highest(roll: int, other_than: int) -> int:
    """The highest face that shows, apart from one of them; 0 where there is no other."""
    for face in range(FACES, 0, -1):
        if COUNT[roll, face] and face != other_than:
            return face
    return 0
