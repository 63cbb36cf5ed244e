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


def one_more() -> list[tuple[int, ...]]:
    """Every hold of less than five, the largest first, and the six that one more die makes."""
    return [
        (number, *(HOLD_INDEX[tuple(sorted((*hold, face)))] for face in range(1, FACES + 1)))
        for number, hold in reversed(list(enumerate(HOLDS[:FIRST_ROLL])))
    ]


def one_less() -> list[tuple[int, ...]]:
    """Every hold from one die up, and those with one die less."""
    return [
        (number, *(HOLD_INDEX[without(hold, face)] for face in sorted(set(hold))))
        for number, hold in enumerate(HOLDS)
        if hold
    ]


@cache
def moves() -> Moves:
    def size_and_length(edges: tuple[int, ...]) -> tuple[int, int]:
        return len(HOLDS[edges[0]]), len(edges)

    best = sorted(one_less(), key=size_and_length)
    groups = groupby(best, key=size_and_length)
    return Moves(
        mean=np.array(one_more(), dtype=np.int64).ravel() * TILE,
        groups=np.array([(length - 1, len(list(edges))) for (_, length), edges in groups]),
        best=np.array([hold for edges in best for hold in edges], dtype=np.int64) * TILE,
    )


class BoxScores(NamedTuple):
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
def scores_of(rules: Ruleset) -> BoxScores:
    points = points_of(rules)
    scoring = [np.flatnonzero(row) for row in points]
    nonzero = [row[rolls] for row, rolls in zip(points, scoring, strict=True)]
    steps = [row[rolls] for row, rolls in zip(upper_steps_of(rules), scoring, strict=True)]
    return BoxScores(
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
    most = [*(row.max() for row in points_of(rules)), rules.bonus_points]
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
    """The rows with the chips flag have the moves of those without, and the chip on top."""
    none = np.empty((0, 6), dtype=np.int64)
    joker, flag = rules.joker, 1 << len(rules.categories)
    moves = np.array(_moves_of_jokers(rules) if joker else none, dtype=np.int64)
    flagged = moves + np.array([flag, 0, 0, flag, joker.chip if joker else 0, 0])
    before, target, box, after, gain, step = np.concatenate((moves, flagged)).T.copy()
    return JokerMoves(
        start=np.searchsorted(before, np.arange(2 * flag + 1 if joker else 1)),
        target=target,
        box=box,
        row=after,
        points=gain.astype(np.float64),
        step=step,
    )


@cache
def own_points_of(rules: Ruleset) -> Floats:
    """Of the entries of ``joker_moves_of``, the share of the points that is not the chip."""
    moves = joker_moves_of(rules)
    row = np.repeat(np.arange(len(moves.start) - 1), np.diff(moves.start))
    chip = (row > rules.full) * (rules.joker.chip if rules.joker else 0)
    own: Floats = np.ones(len(row))
    np.divide(moves.points - chip, moves.points, out=own, where=moves.points > 0)
    return own


def _moves_of_jokers(rules: Ruleset) -> list[tuple[int, ...]]:
    """Of cards without the chips flag: card, roll, box, card after, points, step."""
    moves: list[tuple[int, ...]] = []
    for filled in range(rules.full + 1):
        for face in range(1, FACES + 1):
            dice = (face,) * DICE
            if rules.is_joker(filled, dice):
                for option in rules.score_options(filled, False, dice):
                    step = option.points if rules.categories[option.category].face else 0
                    after = filled | 1 << option.category
                    target = HOLD_INDEX[dice] * TILE
                    moves.append((filled, target, option.category, after, option.points, step))
    return moves
