"""The chance of the bonus and the spread of what would not fit into memory; see ``dp.levels``.

Beside the two levels of values lie those of the two quantities of ``dp.outlook``. Values are worked
out anew with all their digits: those of a large table are rounded, and decide no tie.
"""

from math import sqrt
from typing import NamedTuple

import numpy as np

from solver.dp.arrays import Ints
from solver.dp.levels import LevelSweep
from solver.dp.outlook import quantities_of
from solver.dp.slots import game_of
from solver.dp.sweep import Progress, in_levels
from solver.rules.rulesets import Ruleset

QUADRATIC = np.array([0.0, 1.0])  # of the bonus and of the second moment


class StartOutlook(NamedTuple):
    """Of perfect play from the empty card on."""

    value: float
    deviation: float
    bonus_chance: float


class OutlookSweep(LevelSweep):
    def __init__(self, rules: Ruleset) -> None:
        super().__init__(rules)
        self.after = np.zeros((len(QUADRATIC), len(self.flat)))
        full = self.starts[self.space.full_rows] + rules.bonus_threshold
        self.after[:, full] = np.array([[1.0], [rules.bonus_points**2]])
        linear = np.zeros((len(QUADRATIC), len(rules.categories)))
        self.game, self.quantities = game_of(rules), quantities_of(rules, linear, QUADRATIC)

    def rows(self, rows: Ints) -> None:
        from solver.dp.carry import carry_rows, carry_saved  # loads the compiler

        super().rows(rows)
        columns, throws = self.fixed[:2]
        given = self.flat, self.after.reshape(-1), columns, throws, self.game, self.quantities
        if self.space.rules.stock:
            carry_saved(rows, *given, *self.around(rows))
        else:
            carry_rows(rows, *given)

    def start(self) -> StartOutlook:
        at = self.starts[0]
        value, (bonus, second) = float(self.flat[at]), self.after[:, at].tolist()
        return StartOutlook(value, sqrt(max(0.0, second - value * value)), bonus)


def outlook_by_level(
    rules: Ruleset, *, threads: int | None = None, progress: Progress | None = None
) -> StartOutlook:
    sweep = OutlookSweep(rules)
    in_levels(sweep.space, sweep.rows, threads=threads, progress=progress)
    return sweep.start()
