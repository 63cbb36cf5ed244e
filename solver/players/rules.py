"""Players that decide by rules, ready to play.

A rule is written in plain functions of numbers, by the tables and the few sentences below: they run
as they stand, and ``players.compiled`` compiles them. A hold is its number in ``rules.dice``;
``STOP`` of a roll is the hold of all five dice, which ends the turn: the roll is scored as it lies.
The strategies of the study know five dice alone, and so do these tables. Where the words of the
study leave room, named choices make the readings.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from solver.dp import arrays
from solver.dp.arrays import Ints, throws_of
from solver.players.cards import CardPlay, Numbers
from solver.rules import YATZY, Ruleset
from solver.rules.dice import FACES

Decide = Callable[[int, int, int, int, int], int]
decide: Decide  # the strategy's own: ``specialised`` puts it here


def fill(reading: int, rows: Ints, columns: Ints, holds: Numbers, boxes: Numbers) -> None:
    """holds[card, 0, throws left - 1, roll] and boxes[card, 0, roll]."""
    for card in range(rows.shape[0]):
        row, column = rows[card], columns[card]
        for roll in range(boxes.shape[2]):
            for rolls_left in range(1, holds.shape[2] + 1):
                hold = decide(reading, row, column, rolls_left, roll)  # noqa: F821
                holds[card, 0, rolls_left - 1, roll] = hold
            boxes[card, 0, roll] = decide(reading, row, column, 0, roll)  # noqa: F821


class RulePlay(CardPlay):
    """``decide(reading, row, column, throws left, roll)`` is a plain function of a strategy's file.

    With throws left it answers with a hold, ``STOP + roll`` ending the turn; without any with the
    box. It is compiled here, and does not look at the upper total (``column``) unless
    ``looks_at_upper`` says so.
    """

    def __init__(
        self, rules: Ruleset, decide: Decide, reading: int = 0, *, looks_at_upper: bool = False
    ) -> None:
        super().__init__(rules)
        self.looks_at_upper = looks_at_upper
        self.decide = decide
        self.reading = reading

    @cached_property
    def _fill(self) -> Any:
        from solver.players.compiled import specialised  # loads the compiler

        return specialised(fill, "decide", self.decide)

    def cards(self, rows: Ints, columns: Ints) -> tuple[Numbers, Numbers]:
        holds = np.empty((len(rows), 1, self.rules.throws - 1, len(self.cup.rolls)), dtype=np.int16)
        boxes = np.empty((len(rows), 1, len(self.cup.rolls)), dtype=np.int16)
        self._fill(self.reading, rows, columns, holds, boxes)
        return holds, boxes


class TextOption(NamedTuple):
    """``flag`` is what the strategy's functions look at; an option without one asks for nothing."""

    flag: int
    name: str
    says: str


class TextChoice(NamedTuple):
    """An option of the text that may be taken; without it, ``plain`` applies."""

    plain: str
    options: tuple[TextOption, ...]


@dataclass(frozen=True)
class Choices:
    """``plain`` is the reading that takes no option of any choice.

    Every other is called after the options that it takes; ``short`` has other names for some.
    """

    plain: TextOption
    of: tuple[TextChoice, ...]
    short: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def readings(self) -> dict[str, tuple[TextOption, ...]]:
        """The options of every reading, by its name."""
        by_name = {}
        for each in product(*((None, *choice.options) for choice in self.of)):
            taken = tuple(option for option in each if option) or (self.plain,)
            name = "-".join(option.name for option in taken)
            by_name[self.short.get(name, name)] = taken
        return by_name

    def flags(self, reading: str) -> int:
        return sum(option.flag for option in self.readings[reading])

    def says(self, *readings: str) -> dict[str, str]:
        return {name: "; ".join(o.says for o in self.readings[name]) for name in readings}


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
    """Return the hold with so many more dice of that face."""
    for _ in range(dice):
        hold = MORE[hold, face]
    return hold


def most_common(roll: int) -> int:
    """Return the face that most dice show, the highest of several."""
    best = 1
    for face in range(2, FACES + 1):
        if COUNT[roll, face] >= COUNT[roll, best]:
            best = face
    return best


def highest(roll: int, other_than: int) -> int:
    """Return the highest face that shows, apart from one of them; 0 where there is no other."""
    for face in range(FACES, 0, -1):
        if COUNT[roll, face] and face != other_than:
            return face
    return 0
