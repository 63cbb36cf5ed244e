"""Arms within people: everybody plays under every condition, in an order that was drawn.

Whoever learns plays the second condition better, whatever it is. So what a period is worth to
everybody is taken off first (people, periods and conditions add up, by least squares), and what is
left is compared within each person. The lot drew the orders: with two conditions the effect is
half of how much more one order gains from its first period to its second than the other.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from solver.statistics.arm_compare import ArmComparison, Lots, of_several
from solver.statistics.arm_figures import ArmDifference, ArmGame, Measure
from solver.statistics.arm_levels import levels_of
from solver.statistics.chi_squared import Floats
from solver.statistics.inference import Interval, around, t_test
from solver.statistics.randomisation import Randomised, randomised

Cells = Mapping[str, Mapping[str, float]]  # of a person, by condition in the order of play


def compared_within(
    games: Sequence[ArmGame], by: ArmComparison, measure: Measure
) -> tuple[ArmDifference, ...]:
    """Every further condition beside the first, among those who played under all of them."""
    arms = by.design.arms
    cells = _cells(games, measure, shared_dice=by.design.shared_dice)
    whole = {who: of for who, of in cells.items() if set(of) >= set(arms)}
    if len(whole) < 2:
        return ()
    values, periods = _tables(whole, arms)
    level = _without_periods(values, periods)
    if level is None:
        return ()
    found = [_pair(values, level, arms, at) for at in range(1, len(arms))]
    if len(arms) == 2:
        blocks = [by.people[who].block for who in whole]
        return (replace(found[0], lot=_drawn(values, periods, blocks, by.lots)),)
    return of_several(found)


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
    """A row a person, a column a condition: its value, and when it came, from 0."""
    values = [[of[arm] for arm in arms] for of in cells.values()]
    orders = [[arm for arm in of if arm in arms] for of in cells.values()]
    periods = [[order.index(arm) for arm in arms] for order in orders]
    return np.array(values), np.array(periods, float)


def _without_periods(values: Floats, periods: Floats) -> Floats | None:
    """What is left of each value when the worth of its period is off; None without two orders."""
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


def _pair(values: Floats, level: Floats, arms: Sequence[str], at: int) -> ArmDifference:
    people = len(values)
    model = _interval(level[:, at] - level[:, 0], people - len(arms))
    means = float(values[:, at].mean()), float(values[:, 0].mean())
    difference = float((level[:, at] - level[:, 0]).mean())
    counts = (people, people)
    return ArmDifference(arms[at], arms[0], counts, means, difference, model, t_test(model), None)


def _interval(differences: Floats, degrees: int) -> Interval | None:
    """The worth of the periods was found from the same values, which costs degrees of freedom."""
    if degrees < 1:
        return None
    spread = float(((differences - differences.mean()) ** 2).sum()) / degrees
    return around(float(differences.mean()), spread / len(differences), degrees)


def _drawn(values: Floats, periods: Floats, blocks: Sequence[str], lots: Lots) -> Randomised | None:
    """As between people: of first less second, those who began with the second condition."""
    first = periods[:, 1] == 0
    gained = np.where(first, values[:, 1] - values[:, 0], values[:, 0] - values[:, 1])
    found = randomised(gained, first, blocks, draws=lots.draws, seed=lots.seed)
    if found is None:
        return None
    low, high = (None if end is None else end / 2 for end in (found.low, found.high))
    return replace(found, difference=found.difference / 2, low=low, high=high)
