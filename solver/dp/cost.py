"""What it takes to work a ruleset out, told from its rules before anything is."""

from math import comb
from typing import NamedTuple

from solver.dp.packing import is_large
from solver.dp.space import Space
from solver.rules.dice import cup_of
from solver.rules.rulesets import Ruleset

# Measured over rulesets of nine to twenty boxes and three to six dice: CPU seconds of a position
# and a hold, of all tables and where values alone are worked out, and of what comes before it.
SECOND_OF_ALL, SECOND_OF_VALUES, BEGINNING = 2.2e-8, 7e-10, 4.0
# Memory: of the program, and in sizes of the tables.
PROGRAM, OF_ALL, OF_VALUES = 200_000_000, 3.5, 2.2
# Level by level, of a position and a hold, what is carried along beside the values.
SECOND_OF_CARRIED, OF_CARRIED = 2.7e-9, 4.1
# Bytes: a value; the outlook of a column; a box of what each is to bring, and the bonus.
VALUE, OUTLOOK, BOX, PACKED = 8, 8, 2, 4


class Cost(NamedTuple):
    """``positions`` that differ, between turns; ``bytes`` of all tables; ``memory`` in bytes."""

    positions: int
    bytes: int
    memory: int
    seconds: float


def cost_of(rules: Ruleset) -> Cost:
    found, holds = positions(rules), len(cup_of(rules.dice).holds)
    if is_large(rules):
        size = PACKED * found
        return Cost(found, size, _memory(size, OF_VALUES), _seconds(found, holds, SECOND_OF_VALUES))
    space = Space(rules)
    size = space.rows * space.columns * (VALUE + OUTLOOK + BOX * (space.boxes + 1))
    return Cost(found, size, _memory(size, OF_ALL), _seconds(found, holds, SECOND_OF_ALL))


def outlook_cost(rules: Ruleset) -> Cost:
    """Of what is worked out of a large ruleset besides its values, and not stored."""
    found, holds = positions(rules), len(cup_of(rules.dice).holds)
    memory = _memory(PACKED * found, OF_CARRIED)
    return Cost(found, 0, memory, _seconds(found, holds, SECOND_OF_CARRIED))


def positions(rules: Ruleset) -> int:
    """As a packed table keeps them: totals that lose the bonus are one, those that win it too."""
    space, lower = Space(rules), len(rules.categories) - len(rules.upper)
    return sum(
        _differing(rules, card)
        * comb(lower, more)
        * (space.most_saved(card.bit_count() + more) + 1)
        for card in space.upper_cards
        for more in range(lower + 1)
    )


def _differing(rules: Ruleset, card: int) -> int:
    """Upper totals that these filled upper boxes can hold."""
    every, goal = sum(1 << box for box in rules.upper), rules.bonus_threshold
    rest = max(rules.upper_totals(every & ~card))
    totals = {min(total, goal) for total in rules.upper_totals(card)}
    won = {total for total in totals if total + rest >= goal}
    return len(won) + (won != totals)


def _memory(size: int, times: float) -> int:
    return PROGRAM + round(times * size)


def _seconds(found: int, holds: int, each: float) -> float:
    return BEGINNING + each * found * holds
