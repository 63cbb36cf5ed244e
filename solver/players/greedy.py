"""The greedy player: it maximises the points of this turn, as if it were the last turn.

It looks ahead exactly to the end of the turn, but ignores the upper bonus and the points that a box
could bring later. Among equal scores it chooses the upper box. In rulesets with saved rolls it
rolls until no roll is left or a further roll would gain nothing.
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
    """Return the player. If the rules save rolls, it decides one position at a time, with no
    table."""
    play = make(rules, reading)
    return PlainValues(play) if rules.stock else play


PLAYER = PlayerEntry(
    "greedy",
    gettext_noop("Greedy"),
    gettext_noop("Takes as many points as possible in each turn, as if it were the last turn."),
    make_any,
    rulesets=tuple(PLAYED),
)
