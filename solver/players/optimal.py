"""Perfect play: of everything that may be done, what brings most points on average.

It follows the solved table of values (``python -m solver solve``). Of options whose values differ
by less than 1e-9 it keeps more dice, then takes the lower box. The study' program of this name
scored 213 on average over 100,000 games, 35 points below the optimum of 248.44: whatever it
computed, it was not what it played. Play that never sees the bonus comes closest to it (225.70).
"""

from solver.players.base import PlayerEntry, gettext_noop
from solver.players.values import ValuePlay
from solver.rules import Ruleset
from solver.tables import open_table


def make(rules: Ruleset, reading: str) -> ValuePlay:
    return ValuePlay(open_table(rules).all(), rules)


PLAYER = PlayerEntry(
    "optimal",
    gettext_noop("Perfect play"),
    gettext_noop("Does what brings most points on average, the rest of the game included."),
    make,
)
