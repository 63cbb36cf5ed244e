"""Whole games with saved throws, played by values: quick enough for thousands of them.

A turn is worked out by loops over the holds, which share nothing with the kernels of the sweep.
"""

from typing import Any

import numpy as np
from numba import njit

from solver.dp import arrays
from solver.dp.arrays import Floats, Ints, throws_of
from solver.dp.space import Space
from solver.dp.turn import holds_padded
from solver.rules import Ruleset
from solver.rules.dice import FACES
from solver.tables import Table


@njit
def turn_worth(
    points: Any, after: Any, columns: Any, open_: Any, more: Any, holds: Any, e: Any
) -> Any:
    """w[left, roll]; and e[left, hold], of all dice what it is worth to throw none of them."""
    throws, rolls = e.shape[0], points.shape[1]
    stop = more.shape[0] - rolls
    w = np.full((throws, rolls), -np.inf)
    for left in range(throws):
        saved = min(left, after.shape[1] - 1)
        for at, box in enumerate(open_):
            for roll in range(rolls):
                worth = points[box, roll] + after[at, saved, columns[box, roll]]
                w[left, roll] = max(w[left, roll], worth)
        if left:
            e[left, stop:] = w[left - 1]
            for hold in range(stop - 1, -1, -1):
                e[left, hold] = 0.0
                for face in range(1, FACES + 1):
                    e[left, hold] += e[left, more[hold, face]] / FACES
            for roll in range(rolls):
                for hold in holds[:, roll]:
                    w[left, roll] = max(w[left, roll], e[left, hold])
    return w


@njit
def played_turn(
    points: Any, after: Any, columns: Any, open_: Any, more: Any, holds: Any, e: Any, faces: Any
) -> Any:
    """Place of the box, roll and throws left at the end of a turn; ``faces[left]`` are thrown."""
    w = turn_worth(points, after, columns, open_, more, holds, e)
    stop, hold = more.shape[0] - points.shape[1], 0
    for left in range(e.shape[0] - 1, -1, -1):
        for face in faces[left]:
            if hold < stop:
                hold = more[hold, face]
        roll = hold - stop
        saved = min(left, after.shape[1] - 1)
        for at, box in enumerate(open_):
            worth = points[box, roll] + after[at, saved, columns[box, roll]]
            if worth >= w[left, roll] - 1e-9:
                return at, roll, left
        for one in holds[:, roll]:
            if e[left, one] >= w[left, roll] - 1e-9:
                hold = one
                break
    raise ValueError


def final_scores(table: Table, rules: Ruleset, games: int, seed: int) -> tuple[Ints, Ints]:
    """[game]: the score, and whether it had the bonus."""
    random = np.random.default_rng(seed)
    found = np.array([_played(table, rules, random) for _ in range(games)])
    return found[:, 0], found[:, 1]


def _played(table: Table, rules: Ruleset, random: np.random.Generator) -> tuple[int, bool]:
    space, more, holds = Space(rules), throws_of(rules.dice).more, holds_padded(rules.dice)
    points, steps = arrays.points_of(rules), arrays.upper_steps_of(rules)
    filled, upper, stock, total = 0, 0, 0, 0
    for turn in range(len(rules.categories)):
        open_ = np.array(rules.open(filled))
        throws = rules.throws + stock
        most = min(throws - 1, space.most_saved(turn + 1))
        after = _after(table, filled, open_, most, space)
        columns = np.minimum(upper + steps, rules.bonus_threshold)
        e = np.empty((throws, len(rules.cup.holds)))
        faces = random.integers(1, FACES + 1, size=(throws, rules.dice))
        at, roll, left = played_turn(points, after, columns, open_, more, holds, e, faces)
        box = int(open_[at])
        total += int(points[box, roll])
        filled, upper, stock = filled | 1 << box, int(columns[box, roll]), min(left, rules.stock)
    return total + rules.bonus(upper), upper >= rules.bonus_threshold


def _after(table: Table, filled: int, open_: Ints, most: int, space: Space) -> Floats:
    """[place of the box, stock, column]"""
    rows = [
        [table.row(space.row(filled | 1 << box, saved=saved)) for saved in range(most + 1)]
        for box in open_.tolist()
    ]
    return np.array(rows)
