"""Dice as small tables, and the few sentences that the strategies of the study are written in.

Plain functions of numbers: they run as they stand, and ``players.compiled`` compiles them. A hold
is its number in ``rules.dice``; ``STOP`` of a roll is the hold of all five dice, which ends the
turn: the roll is scored as it lies. Those strategies know five dice alone, and so do these tables.
"""

from solver.dp import arrays
from solver.dp.throws import throws_of
from solver.rules import YATZY
from solver.rules.dice import FACES

STOP, _FACES, MORE, _ = throws_of(YATZY.dice)
COUNT = _FACES[STOP:]  # [roll, face]: how many dice show it
NOTHING = 0

POINTS = arrays.points_of(YATZY)  # [box, roll]
BOXES = len(YATZY.categories)


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
