"""An estimate of the time and memory that a large ruleset's outlook needs, from its rules."""

from math import comb
from typing import NamedTuple

from solver.dp.space import Space
from solver.rules.dice import make_cup
from solver.rules.rulesets import Ruleset

# CPU seconds per position and hold, and CPU seconds of preparation. They were measured with
# rulesets of nine to twenty boxes and three to six dice.
SECOND_OF_CARRIED, BEGINNING = 2.7e-9, 4.0
# Memory in bytes: of the program, and per position. Then a factor for the carried quantities.
PROGRAM, PACKED, OF_CARRIED = 200_000_000, 4, 4.1


class Cost(NamedTuple):
    positions: int  # number of different positions between turns
    memory: int  # memory in bytes
    seconds: float


def estimate_outlook_cost(rules: Ruleset) -> Cost:
    positions, holds = count_positions(rules), len(make_cup(rules.dice).holds)
    memory = PROGRAM + round(OF_CARRIED * PACKED * positions)
    return Cost(positions, memory, BEGINNING + SECOND_OF_CARRIED * positions * holds)


def count_positions(rules: Ruleset) -> int:
    """Return the number of positions in a packed table. On each card, all upper totals that cannot
    reach the bonus count as one, and all upper totals with the bonus count as one."""
    space, lower = Space(rules), len(rules.categories) - len(rules.upper)
    every, goal = sum(1 << box for box in rules.upper), rules.bonus_threshold
    positions = 0
    for card in space.upper_cards:
        still_possible = max(rules.list_upper_totals(every & ~card))
        totals = {min(total, goal) for total in rules.list_upper_totals(card)}
        in_reach = {total for total in totals if total + still_possible >= goal}
        different = len(in_reach) + (in_reach != totals)
        for more in range(lower + 1):
            stocks = space.most_saved(card.bit_count() + more) + 1
            positions += different * comb(lower, more) * stocks
    return positions
