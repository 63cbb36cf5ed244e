"""Players that decide by rules.

A strategy is written as plain functions of numbers that use the tables and helpers below. The
functions run as plain Python, and ``players.compiled`` compiles them. A hold is represented by its
number in ``rules.dice``. ``STOP + roll`` is the hold of all five dice, which ends the turn. The
study's strategies and these tables are for five dice. If the text of the study is ambiguous, each
combination of named options is a reading.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from solver.dp import arrays
from solver.dp.arrays import Ints, build_throws
from solver.players.cards import CardPlay, Numbers
from solver.rules import YATZY, Ruleset
from solver.rules.dice import FACES

Decide = Callable[[int, int, int, int, int], int]
decide: Decide  # ``specialise`` replaces this function by the function of the strategy


def write_decisions(
    reading: int, rows: Ints, columns: Ints, holds: Numbers, boxes: Numbers
) -> None:
    """Write the decisions as holds[card, 0, rolls left - 1, roll] and boxes[card, 0, roll]."""
    for card in range(rows.shape[0]):
        row, column = rows[card], columns[card]
        for roll in range(boxes.shape[2]):
            for rolls_left in range(1, holds.shape[2] + 1):
                hold = decide(reading, row, column, rolls_left, roll)  # noqa: F821
                holds[card, 0, rolls_left - 1, roll] = hold
            boxes[card, 0, roll] = decide(reading, row, column, 0, roll)  # noqa: F821


class RulePlay(CardPlay):
    """A player that decides by rules. ``decide(reading, row, column, rolls left, roll)`` is a plain
    function in the file of its strategy. With rolls left it returns a hold, or ``STOP + roll`` to
    end the turn; without rolls left it returns the box. This class compiles the function, which may
    use the upper total (``column``) only if ``looks_at_upper`` is set."""

    def __init__(
        self, rules: Ruleset, decide: Decide, reading: int = 0, *, looks_at_upper: bool = False
    ) -> None:
        super().__init__(rules)
        self.looks_at_upper = looks_at_upper
        self.decide = decide
        self.reading = reading

    @cached_property
    def _kernel(self) -> Any:
        from solver.players.compiled import specialise  # slow: loads the compiler

        return specialise(write_decisions, "decide", self.decide)

    def cards(self, rows: Ints, columns: Ints) -> tuple[Numbers, Numbers]:
        holds = np.empty((len(rows), 1, self.rules.throws - 1, len(self.cup.rolls)), dtype=np.int16)
        boxes = np.empty((len(rows), 1, len(self.cup.rolls)), dtype=np.int16)
        self._kernel(self.reading, rows, columns, holds, boxes)
        return holds, boxes


class TextOption(NamedTuple):
    """One interpretation of an ambiguous passage in the study. ``flag`` is a bit that the functions
    of the strategy test; it is 0 for the plain interpretation."""

    flag: int
    name: str
    says: str


class TextChoice(NamedTuple):
    """An ambiguous passage in the study, with its options. Without an option, ``plain`` applies."""

    plain: str
    options: tuple[TextOption, ...]


@dataclass(frozen=True)
class Choices:
    """All ambiguous passages in a study. The reading without any option is called ``plain``. Other
    readings are named after their options, and ``short`` gives some of them shorter names."""

    plain: TextOption
    passages: tuple[TextChoice, ...]
    short: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def readings(self) -> dict[str, tuple[TextOption, ...]]:
        """The options of each reading, by the reading's name."""
        by_name = {}
        for each in product(*((None, *choice.options) for choice in self.passages)):
            taken = tuple(option for option in each if option) or (self.plain,)
            name = "-".join(option.name for option in taken)
            by_name[self.short.get(name, name)] = taken
        return by_name

    def sum_flags(self, reading: str) -> int:
        return sum(option.flag for option in self.readings[reading])

    def describe(self, *readings: str) -> dict[str, str]:
        return {name: "; ".join(o.says for o in self.readings[name]) for name in readings}


STOP, _FACES, MORE, _ = build_throws(YATZY.dice)
COUNT = _FACES[STOP:]  # [roll, face]: number of dice that show the face
NOTHING = 0

POINTS = arrays.calculate_points(YATZY)  # [box, roll]: points
BOXES = len(YATZY.categories)


def is_open(filled: int, box: int) -> bool:
    return not filled >> box & 1


def find_first_open(filled: int) -> int:
    box = 0
    while filled >> box & 1:
        box += 1
    return box


def keep(hold: int, face: int, dice: int) -> int:
    """Return the hold that consists of ``hold`` and ``dice`` more dice of this face."""
    for _ in range(dice):
        hold = MORE[hold, face]
    return hold


def find_most_common(roll: int) -> int:
    """Return the most frequent face of the roll; of equally frequent faces, return the highest."""
    best = 1
    for face in range(2, FACES + 1):
        if COUNT[roll, face] >= COUNT[roll, best]:
            best = face
    return best


def find_highest(roll: int, other_than: int) -> int:
    """Return the roll's highest face that is not ``other_than``, or 0 if there is no such face."""
    for face in range(FACES, 0, -1):
        if COUNT[roll, face] and face != other_than:
            return face
    return 0
