"""The greedy player: the most points in this turn, as if no other were to follow.

Looks ahead exactly to the end of the turn, and neither at the upper bonus nor at what a box could
still bring later. Equal scores go to the box further up. Where throws are saved it throws as long
as it has any, or has all it wants.
"""

import numpy as np

from solver.dp.space import Space
from solver.players.agent import Agent
from solver.players.base import PlayerEntry, gettext_noop
from solver.players.plain import PlainValues
from solver.players.values import ValuePlay
from solver.rules import PLAYED, Ruleset


def make(rules: Ruleset, reading: str) -> ValuePlay:
    return ValuePlay(np.zeros(Space(rules).rows), rules)


def make_any(rules: Ruleset, reading: str) -> Agent:
    """Return the player. With saved rolls it decides one state at a time, because its table has no
    column for them."""
    play = make(rules, reading)
    return PlainValues(play) if rules.stock else play


PLAYER = PlayerEntry(
    "greedy",
    gettext_noop("Greedy"),
    gettext_noop("Takes as many points as possible in this turn, as if it were the last."),
    make_any,
    rulesets=tuple(PLAYED),
)
