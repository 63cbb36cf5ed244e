"""Dice and rulesets as flat arrays, the form in which numpy and the kernels use them.

Holds are numbered as in ``rules.dice``: 462 of them, by size, the 252 rolls last.
"""

from functools import cache
from itertools import groupby
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from solver.dp.space import TILE
from solver.rules.dice import (
    DICE,
    FACES,
    FIRST_ROLL,
    HOLD_INDEX,
    HOLDS,
    ROLLS,
    Dice,
    without,
)
from solver.rules.rulesets import Ruleset

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


class Moves(NamedTuple):
    """What joins the holds, as offsets into work arrays of TILE lanes a hold.

    ``mean[7 * k:]`` is a hold and the six that one more die makes of it, from four dice down to
    none. ``best[...]`` is a hold and those with one die less, from one die up; they lie in groups
    of equal length, ``groups[g] = (how many sources, how many holds)``.
    """

    mean: Ints
    groups: Ints
    best: Ints


def _with_one_more(hold: Dice) -> list[int]:
    return [HOLD_INDEX[tuple(sorted((*hold, face)))] for face in range(1, FACES + 1)]


def _with_one_less(hold: Dice) -> list[int]:
    return [HOLD_INDEX[without(hold, face)] for face in sorted(set(hold))]


@cache
def moves() -> Moves:
    mean = [(HOLD_INDEX[hold], *_with_one_more(hold)) for hold in reversed(HOLDS[:FIRST_ROLL])]
    by_size_and_faces = sorted(HOLDS[1:], key=lambda hold: (len(hold), len(set(hold))))
    groups = groupby(by_size_and_faces, key=lambda hold: (len(hold), len(set(hold))))
    best = [(HOLD_INDEX[hold], *_with_one_less(hold)) for hold in by_size_and_faces]
    return Moves(
        mean=np.array(mean, dtype=np.int64).ravel() * TILE,
        groups=np.array([(faces, len(list(holds))) for (_, faces), holds in groups]),
        best=np.array([offset for row in best for offset in row], dtype=np.int64) * TILE,
    )


class Scores(NamedTuple):
    """What the boxes give: the rolls that score in box c are the entries start[c]:start[c + 1].

    An entry is the offset of the roll in a work array, its points, and by how much it moves the
    upper total. ``chips_row`` is added to the row when box ``joker_box`` (-1: none) is filled
    with points.
    """

    start: Ints
    target: Ints
    points: Floats
    step: Ints
    joker_box: int
    chips_row: int


@cache
def scores_of(rules: Ruleset) -> Scores:
    points = points_of(rules)
    scoring = [np.flatnonzero(row) for row in points]
    nonzero = [row[rolls] for row, rolls in zip(points, scoring, strict=True)]
    steps = [row[rolls] for row, rolls in zip(upper_steps_of(rules), scoring, strict=True)]
    return Scores(
        start=np.cumsum([0, *(len(rolls) for rolls in scoring)]).astype(np.int64),
        target=(np.concatenate(scoring) + FIRST_ROLL) * TILE,
        points=np.concatenate(nonzero).astype(np.float64),
        step=np.concatenate(steps),
        joker_box=rules.index[rules.joker.box] if rules.joker else -1,
        chips_row=1 << len(rules.categories),
    )


@cache
def points_of(rules: Ruleset) -> Ints:
    """[box, roll]: the points without any joker."""
    return np.array([[c.score(roll) for roll in ROLLS] for c in rules.categories], dtype=np.int64)


@cache
def upper_steps_of(rules: Ruleset) -> Ints:
    """[box, roll]: by how much the points move the upper total."""
    upper = np.array([bool(category.face) for category in rules.categories])
    steps: Ints = points_of(rules) * upper[:, None]
    return steps


@cache
def points_scale(rules: Ruleset) -> Floats:
    """Points per unit of a stored box: the most that it can bring is the largest uint16."""
    chip = rules.joker.chip if rules.joker else 0
    most = [*(row.max() + chip for row in points_of(rules)), rules.bonus_points]
    scale: Floats = np.maximum(np.array(most, dtype=np.float64), 1.0) / np.iinfo(np.uint16).max
    return scale


class JokerMoves(NamedTuple):
    """For every row in which five of a kind is a joker, the boxes it may fill.

    The entries of row r are start[r]:start[r + 1]: where the roll is in a work array, the row
    that follows, the points with the chip, and by how much they move the upper total.
    """

    start: Ints
    target: Ints
    box: Ints
    row: Ints
    points: Floats
    step: Ints


@cache
def joker_moves_of(rules: Ruleset) -> JokerMoves:
    boxes = len(rules.categories)
    rows = range(1 << (boxes + 1) if rules.joker else 0)
    entries: list[tuple[int, int, int, int, int]] = []
    start = [0]
    for row in rows:
        filled, chips_won = row & rules.full, bool(row >> boxes)
        for face in range(1, FACES + 1):
            dice = (face,) * DICE
            if rules.is_joker(filled, dice):
                for option in rules.score_options(filled, chips_won, dice):
                    step = option.points if rules.categories[option.category].face else 0
                    target = HOLD_INDEX[dice] * TILE
                    gain = option.points + option.chip
                    after = row | 1 << option.category
                    entries.append((target, option.category, after, gain, step))
        start.append(len(entries))
    columns = np.array(entries, dtype=np.int64).reshape(-1, 5).T
    return JokerMoves(
        start=np.array(start, dtype=np.int64),
        target=columns[0].copy(),
        box=columns[1].copy(),
        row=columns[2].copy(),
        points=columns[3].astype(np.float64),
        step=columns[4].copy(),
    )
