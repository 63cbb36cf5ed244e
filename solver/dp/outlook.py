"""What else perfect play brings: expectations carried along by the policy that V defines.

A quantity q of the rest of the game has, for the box that is chosen for a roll,

    q = q(after) + a * points + b * (points ** 2 + 2 * points * V(after))

and elsewhere is averaged and selected just as V is. With a = b = 0 and q = 1 on full cards that
have the upper bonus it is the chance of the bonus; with b = 1 and the squared bonus on full cards
it is the second moment of everything still to come, hence the standard deviation; with a = 1 for
one box alone it is what that box is expected to bring.

Equal values: the hold of more dice wins, then the lower box. A preference far below the tie
tolerance of 1e-9 decides it.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from solver.dp import arrays
from solver.dp.arrays import Floats, Ints
from solver.dp.compiled import inlined, kernel
from solver.dp.kernels import WORK_SIZE
from solver.dp.space import PREFER_DIE, PREFER_LOWER_BOX, TILE, Space
from solver.dp.sweep import Progress, in_levels
from solver.dp.tiles import (
    tile_copy,
    tile_follow,
    tile_follow_score,
    tile_max_plus,
    tile_mean,
    tile_set,
)
from solver.rules.dice import FIRST_ROLL, HOLDS
from solver.rules.rulesets import Ruleset

PLANES_AT_ONCE = 4
HOLD_SIZES = np.array([len(hold) for hold in HOLDS])


@inlined
def _score(
    work: Any,
    carried: Any,
    target: int,
    values: Any,
    after: Any,
    at: int,
    points: float,
    box: int,
    linear: Any,
    quadratic: Any,
) -> None:
    """One roll into one box, if that is better than what the roll has so far."""
    preferred = points - PREFER_LOWER_BOX * box
    for plane in range(after.shape[0]):
        square = quadratic[plane]
        tile_follow_score(
            carried,
            plane * WORK_SIZE + target,
            work,
            target,
            values,
            after[plane],
            at,
            preferred,
            points * linear[plane, box] + square * points * points,
            2.0 * square * points,
        )
    tile_max_plus(work, target, values, at, preferred)


@inlined
def _zero_pass(
    work: Any,
    carried: Any,
    values: Any,
    after: Any,
    row: int,
    column: int,
    stride: int,
    boxes: int,
    linear: Any,
    quadratic: Any,
) -> None:
    """Every roll into the best box at 0 points; see ``kernels.score_pass``."""
    first = FIRST_ROLL * TILE
    tile_set(work, first, -np.inf)
    for box in range(boxes):
        if not row >> box & 1:
            at = (row | 1 << box) * stride + column
            _score(work, carried, first, values, after, at, 0.0, box, linear, quadratic)
    for target in range(first + TILE, WORK_SIZE, TILE):
        tile_copy(work, target, work, first)
        for plane in range(after.shape[0]):
            tile_copy(carried, plane * WORK_SIZE + target, carried, plane * WORK_SIZE + first)


@inlined
def _points_pass(
    work: Any,
    carried: Any,
    values: Any,
    after: Any,
    row: int,
    column: int,
    stride: int,
    scores: Any,
    linear: Any,
    quadratic: Any,
) -> None:
    for box in range(scores.start.shape[0] - 1):
        if row >> box & 1:
            continue
        next_row = row | 1 << box
        if box == scores.joker_box:
            next_row |= scores.chips_row
        for entry in range(scores.start[box], scores.start[box + 1]):
            target, points = scores.target[entry], scores.points[entry]
            at = next_row * stride + column + scores.step[entry]
            _score(work, carried, target, values, after, at, points, box, linear, quadratic)


@inlined
def _joker_pass(
    work: Any,
    carried: Any,
    values: Any,
    after: Any,
    row: int,
    column: int,
    stride: int,
    jokers: Any,
    linear: Any,
    quadratic: Any,
) -> None:
    if jokers.start.shape[0] <= 1:
        return
    for entry in range(jokers.start[row], jokers.start[row + 1]):
        tile_set(work, jokers.target[entry], -np.inf)
    for entry in range(jokers.start[row], jokers.start[row + 1]):
        target, points, box = jokers.target[entry], jokers.points[entry], jokers.box[entry]
        at = jokers.row[entry] * stride + column + jokers.step[entry]
        _score(work, carried, target, values, after, at, points, box, linear, quadratic)


@inlined
def _mean_pass(work: Any, carried: Any, planes: int, mean: Any) -> None:
    for hold in range(FIRST_ROLL):
        tile_mean(work, mean, 7 * hold)
    for plane in range(planes):
        view = carried[plane * WORK_SIZE : (plane + 1) * WORK_SIZE]
        for hold in range(FIRST_ROLL):
            tile_mean(view, mean, 7 * hold)


@inlined
def _best_pass(work: Any, carried: Any, planes: int, groups: Any, best: Any, sizes: Any) -> None:
    for hold in range(sizes.shape[0]):
        for lane in range(TILE):
            work[hold * TILE + lane] += PREFER_DIE * sizes[hold]
    at = 0
    for group in range(groups.shape[0]):
        sources, holds = groups[group]
        for _ in range(holds):
            for source in range(1, sources + 1):
                for plane in range(planes):
                    tile_follow(carried, plane * WORK_SIZE, work, best[at], best[at + source])
                tile_max_plus(work, best[at], work, best[at + source], 0.0)
            at += sources + 1


@kernel
def carry_rows(
    rows: Any,
    last_column: Any,
    values: Any,
    after: Any,
    columns: int,
    stride: int,
    throws: int,
    moves: Any,
    scores: Any,
    jokers: Any,
    sizes: Any,
    linear: Any,
    quadratic: Any,
) -> None:
    planes = after.shape[0]
    boxes = scores.start.shape[0] - 1
    work = np.empty(WORK_SIZE)
    carried = np.empty(planes * WORK_SIZE)
    for row in rows:
        for column in range(0, last_column[row] + 1, TILE):
            _zero_pass(work, carried, values, after, row, column, stride, boxes, linear, quadratic)
            _points_pass(
                work, carried, values, after, row, column, stride, scores, linear, quadratic
            )
            _joker_pass(
                work, carried, values, after, row, column, stride, jokers, linear, quadratic
            )
            for _ in range(throws - 1):
                _mean_pass(work, carried, planes, moves.mean)
                _best_pass(work, carried, planes, moves.groups, moves.best, sizes)
            _mean_pass(work, carried, planes, moves.mean)
            for plane in range(planes):
                tile_copy(after[plane], row * stride + column, carried, plane * WORK_SIZE)
        for plane in range(planes):
            for column in range(columns, stride):
                after[plane, row * stride + column] = after[plane, row * stride + columns - 1]


def bonus_and_spread(
    rules: Ruleset, values: Floats, *, threads: int | None = None, progress: Progress | None = None
) -> Floats:
    """[row, column, 2]: the chance of the upper bonus, and the second moment of the rest."""
    linear = np.zeros((2, len(rules.categories)))
    full_card = np.array([1.0, rules.bonus_points**2])
    return carry(rules, values, linear, np.array([0.0, 1.0]), full_card, threads, progress)


def expected_points(
    rules: Ruleset, values: Floats, *, threads: int | None = None, progress: Progress | None = None
) -> npt.NDArray[np.uint16]:
    """[row, column, box]: what each box is expected to bring, and last the bonus.

    In units of ``points_scale``, which keeps the error of all boxes together under 0.01 points. A
    few boxes at a time, because all of them at once would take 600 MB.
    """
    space, boxes = Space(rules), len(rules.categories)
    planes = np.zeros((boxes + 1, boxes))
    planes[:boxes] = np.eye(boxes)
    full_card = np.zeros(boxes + 1)
    full_card[boxes] = rules.bonus_points
    scale = arrays.points_scale(rules)
    stored = np.zeros((space.rows, space.columns, boxes + 1), dtype=np.uint16)
    for first in range(0, boxes + 1, PLANES_AT_ONCE):
        some = slice(first, first + PLANES_AT_ONCE)

        def report(done: int, total: int, first: int = first) -> None:
            if progress:
                progress(first * total + done * PLANES_AT_ONCE, (boxes + 1) * total)

        linear, none = planes[some], np.zeros(len(planes[some]))
        carried = carry(rules, values, linear, none, full_card[some], threads, report)
        stored[..., some] = np.rint(np.nan_to_num(carried) / scale[some])
    return stored


def carry(
    rules: Ruleset,
    values: Floats,
    linear: Floats,
    quadratic: Floats,
    full_card: Floats,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Floats:
    """[row, column, plane] of the quantities with a = linear[plane, box], b = quadratic[plane].

    ``full_card[plane]`` is the quantity on a full card that has the upper bonus.
    """
    space = Space(rules)
    flat = padded(space, values).reshape(-1)
    planes = len(quadratic)
    grid = np.zeros((planes, space.rows, space.stride))
    grid[:, space.full_rows, rules.bonus_threshold :] = full_card[:, None, None]
    after = grid.reshape(planes, -1)
    fixed = (
        space.columns,
        space.stride,
        rules.throws,
        arrays.moves(),
        arrays.scores_of(rules),
        arrays.joker_moves_of(rules),
        HOLD_SIZES,
        linear,
        quadratic,
    )

    def sweep(rows: Ints) -> None:
        carry_rows(rows, space.last_column, flat, after, *fixed)

    in_levels(space, sweep, threads=threads, progress=progress)
    result = np.moveaxis(grid[..., : space.columns], 0, -1).copy()
    result[~space.reachable] = np.nan
    return result


def padded(space: Space, values: Floats) -> Floats:
    """Rows as the kernels want them: the last column repeated up to the stride."""
    return np.pad(values, ((0, 0), (0, space.stride - space.columns)), mode="edge")
