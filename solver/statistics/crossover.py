"""Arms within people: everybody plays under every condition, in an order that was drawn.

Anyone who learns plays the second condition better, whatever it is. So what a period is worth to
everybody is taken off first (people, periods and conditions add up, by least squares), and what is
left is compared within each person. The lot drew the orders: with two conditions the effect is
half of how much more one order gains from its first period to its second than the other.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from solver.statistics.arm_compare import ArmComparison, Lots, levels_of, of_several
from solver.statistics.arm_figures import ArmDifference, ArmGame, Measure
from solver.statistics.chi_squared import Floats
from solver.statistics.inference import Interval, around, t_test
from solver.statistics.randomisation import Randomised, randomised

Cells = Mapping[str, Mapping[str, float]]  # of a person, by condition in the order of play


@dataclass(frozen=True, slots=True)
class Crossed:
    """The people who played under all conditions: a row each, a column per condition.

    ``level`` is their values without what the periods were worth to all.
    """

    people: Sequence[str]
    blocks: Sequence[str]
    arms: Sequence[str]
    values: Floats
    periods: Floats
    level: Floats

    def means(self, pair: tuple[str, str]) -> tuple[float, float]:
        arm, beside = (float(self.values[:, self.arms.index(name)].mean()) for name in pair)
        return arm, beside

    def difference(self, pair: tuple[str, str]) -> Floats:
        arm, beside = (self.level[:, self.arms.index(name)] for name in pair)
        found: Floats = arm - beside
        return found

    def interval(self, pair: tuple[str, str]) -> Interval | None:
        """Return the interval of a pair. The effect of periods comes from the same values, which
        costs degrees of freedom."""
        of, degrees = self.difference(pair), len(self.people) - len(self.arms)
        if degrees < 1:
            return None
        spread = float(((of - of.mean()) ** 2).sum()) / degrees
        return around(float(of.mean()), spread / len(of), degrees)

    def gains(self, pair: tuple[str, str]) -> tuple[Floats, npt.NDArray[np.bool_], Sequence[str]]:
        """Return the differences of two conditions (first period minus second), who began with
        the arm, and the blocks of the allocation. Twice the effect lies between them."""
        arm, beside = (self.arms.index(name) for name in pair)
        first = self.periods[:, arm] == 0
        ahead = self.values[:, arm] - self.values[:, beside]
        return np.where(first, ahead, -ahead), first, self.blocks


def crossed(games: Sequence[ArmGame], by: ArmComparison, measure: Measure) -> Crossed | None:
    """Return the crossover estimate; None for fewer than two people, or if all had one order."""
    arms = by.design.arms
    cells = _cells(games, measure, shared_dice=by.design.shared_dice)
    whole = {who: of for who, of in cells.items() if set(of) >= set(arms)}
    if len(whole) < 2:
        return None
    values, periods = _tables(whole, arms)
    level = _without_periods(values, periods)
    if level is None:
        return None
    blocks = [by.people[who].block for who in whole]
    return Crossed(list(whole), blocks, arms, values, periods, level)


def compared_within(
    games: Sequence[ArmGame], by: ArmComparison, measure: Measure
) -> tuple[ArmDifference, ...]:
    """Every further condition beside the first, among those who played under all of them."""
    arms, of = by.design.arms, crossed(games, by, measure)
    if of is None:
        return ()
    found = [_pair(of, (arm, arms[0])) for arm in arms[1:]]
    if len(arms) == 2:
        return (replace(found[0], lot=_drawn(of, (arms[1], arms[0]), by.lots)),)
    return of_several(found) if by.singly else tuple(found)


def _cells(games: Sequence[ArmGame], measure: Measure, *, shared_dice: bool) -> Cells:
    """Every person's mean under each condition, dice apart."""
    ordered = sorted(games, key=lambda game: game.number)
    whose = {_cell(game): (game.person, game.arm) for game in ordered}
    parts = [replace(game, person=_cell(game)) for game in ordered]
    known = levels_of(parts, measure, shared_dice=shared_dice).by_person()
    cells: dict[str, dict[str, float]] = {}
    for cell, (who, arm) in whose.items():
        if cell in known:
            cells.setdefault(who, {})[arm] = known[cell]
    return cells


def _cell(game: ArmGame) -> str:
    return f"{game.person}\n{game.arm}"


def _tables(cells: Cells, arms: Sequence[str]) -> tuple[Floats, Floats]:
    """Return a row a person, a column a condition: its value, and when it came, from 0."""
    values = [[of[arm] for arm in arms] for of in cells.values()]
    orders = [[arm for arm in of if arm in arms] for of in cells.values()]
    periods = [[order.index(arm) for arm in arms] for order in orders]
    return np.array(values), np.array(periods, float)


def _without_periods(values: Floats, periods: Floats) -> Floats | None:
    """Return the values without the effect of their periods; None without two orders."""
    people, arms = values.shape
    of_arm = np.tile(np.eye(arms)[:, 1:], (people, 1))
    of_period = np.eye(arms)[periods.astype(int).ravel()][:, 1:]
    known = np.column_stack((of_arm, of_period))
    known = _own_level(known, people)
    if np.linalg.matrix_rank(known) < known.shape[1]:
        return None
    found = np.linalg.lstsq(known, _own_level(values.reshape(-1, 1), people), rcond=None)[0]
    worth = of_period @ found[arms - 1 :]
    left: Floats = values - worth.reshape(people, arms)
    return left


def _own_level(columns: Floats, people: int) -> Floats:
    """Without everybody's own mean."""
    rows = columns.reshape(people, -1, columns.shape[1])
    own: Floats = (rows - rows.mean(1, keepdims=True)).reshape(columns.shape)
    return own


def _pair(of: Crossed, pair: tuple[str, str]) -> ArmDifference:
    model, people = of.interval(pair), len(of.people)
    return ArmDifference(
        *pair,
        people=(people, people),
        means=of.means(pair),
        difference=float(of.difference(pair).mean()),
        model=model,
        test=t_test(model),
        lot=None,
        by_lot=len(of.arms) == 2,
    )


def _drawn(of: Crossed, pair: tuple[str, str], lots: Lots) -> Randomised | None:
    gained, first, blocks = of.gains(pair)
    return randomised(gained / 2, first, blocks, draws=lots.draws, seed=lots.seed)
