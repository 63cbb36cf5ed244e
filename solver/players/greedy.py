"""As many points as possible in this turn, as if no other were to follow.

Looks ahead exactly to the end of the turn, and neither at the upper bonus nor at what a box could
still bring later. Equal scores go to the box further up.
"""

import numpy as np

from solver.dp.space import Space
from solver.players.base import PlayerEntry, gettext_noop
from solver.players.values import ValuePlay
from solver.rules import Ruleset


def make(rules: Ruleset, reading: str) -> ValuePlay:
    return ValuePlay(np.zeros(Space(rules).rows), rules)


PLAYER = PlayerEntry(
    "greedy",
    gettext_noop("Greedy"),
    gettext_noop("As many points as possible in this turn, as if no other followed."),
    make,
)
