"""Perfect play: of all legal options it chooses the option with most points on average.

It follows the solved table of values (``./yatzy solver solve``). Among options whose values differ
by less than 1e-9 it holds more dice, then prefers the upper box. The study's program of this name
scored 213 on average over 100,000 games, 35 points below the optimum of 248.44, so it cannot have
played perfectly. Play that ignores the bonus comes closest to that mean (225.70).
"""

from functools import cached_property

from solver.advice import Advisor
from solver.dp.arrays import Floats, Ints
from solver.dp.packing import is_large
from solver.players.agent import Agent
from solver.players.base import PlayerEntry, gettext_noop
from solver.players.cards import CardPlay
from solver.players.plain import Advised
from solver.players.values import ValuePlay
from solver.rules import PLAYED, Ruleset
from solver.tables import open_table


class LargePlay(ValuePlay):
    """Perfect play from a large value table. A decision reads only the rows that it needs."""

    credit = None

    def __init__(self, rules: Ruleset) -> None:
        CardPlay.__init__(self, rules)
        self._table = open_table(rules)

    @cached_property
    def values(self) -> Floats:  # type: ignore[override]  # read on first access
        return self._table.read_all()

    def rows(self, numbers: Ints) -> Floats:
        rows: Floats = self._table.rows(numbers)
        return rows


def make(rules: Ruleset, reading: str) -> Agent:
    if rules.stock:
        return Advised(Advisor.open(rules))
    return LargePlay(rules) if is_large(rules) else ValuePlay(open_table(rules).read_all(), rules)


PLAYER = PlayerEntry(
    "optimal",
    gettext_noop("Perfect play"),
    gettext_noop("Plays for the highest average final score."),
    make,
    rulesets=tuple(PLAYED),
)
