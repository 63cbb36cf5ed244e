"""The cost of the outlook of a large ruleset, estimated from its rules beforehand."""

from math import comb
from typing import NamedTuple

from solver.dp.space import Space
from solver.rules.dice import cup_of
from solver.rules.rulesets import Ruleset

# CPU seconds of a position and a hold, and of what comes before: measured over rulesets of nine to
# twenty boxes and three to six dice.
SECOND_OF_CARRIED, BEGINNING = 2.7e-9, 4.0
# Memory in bytes: of the program, of a position, and how often that is carried along.
PROGRAM, PACKED, OF_CARRIED = 200_000_000, 4, 4.1


class Cost(NamedTuple):
    positions: int  # that differ, between turns
    memory: int  # in bytes
    seconds: float


def outlook_cost(rules: Ruleset) -> Cost:
    """Return the cost of what is calculated of a large ruleset besides its values, and not kept."""
    positions_differing, holds = positions(rules), len(cup_of(rules.dice).holds)
    memory = PROGRAM + round(OF_CARRIED * PACKED * positions_differing)
    return Cost(
        positions_differing, memory, BEGINNING + SECOND_OF_CARRIED * positions_differing * holds
    )


def positions(rules: Ruleset) -> int:
    """Return the number of positions of a packed table, which merges totals that lose the bonus,
    and those that win it."""
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
    reachable = max(rules.upper_totals(every & ~card))
    totals = {min(total, goal) for total in rules.upper_totals(card)}
    won = {total for total in totals if total + reachable >= goal}
    return len(won) + (won != totals)
