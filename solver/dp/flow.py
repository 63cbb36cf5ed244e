"""How chance runs through a turn that is played by values: the equations of ``dp.kernels``, then
their transpose.

Going up, w_r and e_r of a tile of cards are worked out and kept. Going down, f_r(roll), the
chance to stand at this roll with r throws left, takes the hold that reaches w_r,

    f_r(hold) = sum over rolls whose best hold it is of f_r(roll)
    f_(r-1)(roll) = sum over holds of f_r(hold) * chance that the hold becomes the roll

hold by hold along the same edges: a sixth of f(hold) goes to each of the six holds with one die
more. At the end f_0(roll) goes to the outcome of the box that reaches w_0(roll). Equal values:
more dice, then the lower box, decided by the preferences of ``dp.space``.

``work`` and ``flow`` are 462 x TILE, flat float64; ``best[r]`` is such an array for each r.
"""

from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import types

from solver.dp.compiled import inlined, kernel
from solver.dp.kernels import WORK_SIZE, best_pass, mean_pass
from solver.dp.space import PREFER_DIE, TILE
from solver.dp.tiles import _OFFSET, _VECTOR, _Tiles, intrinsic, tile_copy, tile_max_plus, tile_set
from solver.rules.dice import FIRST_ROLL


@intrinsic
def tile_share(typing: Any, flow: Any, edges: Any, at: Any) -> Any:
    """A sixth of flow[target] is added to each of the six sources."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        tiles, (kind, edge_kind, _) = _Tiles(context, builder), signature.args
        array, edge_array, first = args
        whole = tiles.load(kind, array, tiles.edge(edge_kind, edge_array, first, 0))
        share = builder.fmul(whole, ir.Constant(_VECTOR, [1.0 / 6.0] * TILE))
        for number in range(1, 7):
            source = tiles.edge(edge_kind, edge_array, first, number)
            sum_ = builder.fadd(tiles.load(kind, array, source), share)
            tiles.store(sum_, kind, array, source)
        return context.get_dummy_value()

    return types.void(flow, edges, _OFFSET), generate


@intrinsic
def tile_take(
    typing: Any,
    out: Any,
    to: Any,
    flow: Any,
    origin: Any,
    reached: Any,
    a: Any,
    added: Any,
    best: Any,
    b: Any,
) -> Any:
    """flow[origin] moves to out[to] in the lanes where reached[a] + added = best[b]."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        tiles, kinds = _Tiles(context, builder), signature.args
        out_array, target, flow_array, source, left, left_at, plus, right, right_at = args
        value = builder.fadd(tiles.load(kinds[4], left, left_at), tiles.every_lane(plus))
        equal = builder.fcmp_ordered("==", value, tiles.load(kinds[7], right, right_at))
        whole = tiles.load(kinds[2], flow_array, source)
        none = ir.Constant(_VECTOR, [0.0] * TILE)
        tiles.store(builder.select(equal, none, whole), kinds[2], flow_array, source)
        there = tiles.load(kinds[0], out_array, target)
        moved = builder.fadd(there, builder.select(equal, whole, none))
        tiles.store(moved, kinds[0], out_array, target)
        return context.get_dummy_value()

    number = types.float64
    return (
        types.void(out, _OFFSET, flow, _OFFSET, reached, _OFFSET, number, best, _OFFSET),
        generate,
    )


@intrinsic
def tile_add(typing: Any, out: Any, to: Any, source: Any, at: Any) -> Any:
    """out[to] += source[at]"""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        tiles = _Tiles(context, builder)
        kind, _, source_kind, _ = signature.args
        array, target, other, offset = args
        sum_ = builder.fadd(tiles.load(kind, array, target), tiles.load(source_kind, other, offset))
        tiles.store(sum_, kind, array, target)
        return context.get_dummy_value()

    return types.void(out, _OFFSET, source, _OFFSET), generate


@inlined
def liking_pass(
    work: Any, values: Any, row: int, at: int, stride: int, entries: Any, zeros: Any, jokers: Any
) -> None:
    """w_0 with the preference for lower boxes; see ``kernels.score_pass`` and ``joker_pass``.

    ``at`` is the column of the tile, ``zeros[box]`` what no points in a box are liked.
    """
    first = FIRST_ROLL * TILE
    tile_set(work, first, -np.inf)
    for box in range(zeros.shape[0]):
        if not row >> box & 1:
            tile_max_plus(work, first, values, (row | 1 << box) * stride + at, zeros[box])
    for target in range(first + TILE, WORK_SIZE, TILE):
        tile_copy(work, target, work, first)
    for box in range(zeros.shape[0]):
        if not row >> box & 1:
            after = (row | entries.row[box]) * stride + at
            for entry in range(entries.start[box], entries.start[box + 1]):
                tile_max_plus(
                    work,
                    entries.target[entry],
                    values,
                    after + entries.step[entry],
                    entries.points[entry],
                )
    if jokers.start.shape[0] > 1:
        for entry in range(jokers.start[row], jokers.start[row + 1]):
            tile_set(work, jokers.target[entry], -np.inf)
        for entry in range(jokers.start[row], jokers.start[row + 1]):
            after = jokers.row[entry] * stride + at + jokers.step[entry]
            tile_max_plus(work, jokers.target[entry], values, after, jokers.points[entry])


@inlined
def hold_pass(work: Any, moves: Any, sizes: Any) -> None:
    """From w to the best e within every hold, more dice preferred."""
    mean_pass(work, moves.mean)
    for hold in range(sizes.shape[0]):
        for lane in range(TILE):
            work[hold * TILE + lane] += PREFER_DIE * sizes[hold]
    best_pass(work, moves.groups, moves.best)


@inlined
def route_pass(flow: Any, best: Any, groups: Any, edges: Any) -> None:
    """f(roll) to f(hold): down the edges along which the best value came up."""
    at = edges.shape[0]
    for group in range(groups.shape[0] - 1, -1, -1):
        sources, holds = groups[group]
        for _ in range(holds):
            at -= sources + 1
            hold = edges[at]
            for source in range(1, sources + 1):
                less = edges[at + source]
                tile_take(flow, less, flow, hold, best, less, 0.0, best, hold)


@inlined
def throw_pass(flow: Any, mean: Any) -> None:
    """f(hold) to f(roll): the holds of no die first."""
    for hold in range(FIRST_ROLL - 1, -1, -1):
        tile_share(flow, mean, 7 * hold)
        tile_set(flow, mean[7 * hold], 0.0)


@inlined
def joker_pass(
    chances: Any, flow: Any, liked: Any, values: Any, at: int, stride: int, row: int, jokers: Any
) -> None:
    """f_0 of the rolls that are jokers on this card, none of which is left for the other boxes."""
    if jokers.start.shape[0] > 1:
        for entry in range(jokers.start[row], jokers.start[row + 1]):
            tile_take(
                chances,
                jokers.outcome[entry] * TILE,
                flow,
                jokers.target[entry],
                values,
                jokers.row[entry] * stride + at + jokers.step[entry],
                jokers.points[entry],
                liked,
                jokers.target[entry],
            )


@inlined
def outcome_pass(
    chances: Any,
    flow: Any,
    liked: Any,
    values: Any,
    row: int,
    at: int,
    stride: int,
    entries: Any,
    zeros: Any,
    first_outcome: Any,
) -> None:
    """f_0(roll) to the outcome of the box that reaches w_0; what scores nowhere goes together."""
    boxes = zeros.shape[0]
    for box in range(boxes):
        if not row >> box & 1:
            after = (row | entries.row[box]) * stride + at
            for entry in range(entries.start[box], entries.start[box + 1]):
                target = entries.target[entry]
                tile_take(
                    chances,
                    entries.outcome[entry] * TILE,
                    flow,
                    target,
                    values,
                    after + entries.step[entry],
                    entries.points[entry],
                    liked,
                    target,
                )
    # The hold of no die, whose flow has all gone on, gathers what is left of the rolls; its place
    # in ``liked`` takes the best that no points are worth.
    tile_set(liked, 0, -np.inf)
    for box in range(boxes):
        if not row >> box & 1:
            tile_max_plus(liked, 0, values, (row | 1 << box) * stride + at, zeros[box])
    for roll in range(FIRST_ROLL * TILE, WORK_SIZE, TILE):
        tile_add(flow, 0, flow, roll)
    for box in range(boxes):
        if not row >> box & 1:
            after = (row | 1 << box) * stride + at
            to = first_outcome[box] * TILE
            tile_take(chances, to, flow, 0, values, after, zeros[box], liked, 0)


@inlined
def flow_pass(flow: Any, best: Any, moves: Any, first_throw: Any) -> None:
    """From the first throw down to f_0(roll)."""
    flow[: FIRST_ROLL * TILE] = 0.0
    for roll in range(first_throw.shape[0]):
        tile_set(flow, (FIRST_ROLL + roll) * TILE, first_throw[roll])
    for rolls_left in range(best.shape[0] - 1, 0, -1):
        route_pass(flow, best[rolls_left], moves.groups, moves.best)
        throw_pass(flow, moves.mean)


@inlined
def value_pass(
    best: Any,
    values: Any,
    row: int,
    at: int,
    stride: int,
    moves: Any,
    entries: Any,
    zeros: Any,
    jokers: Any,
    sizes: Any,
) -> None:
    """best[r]: w_r of the rolls and the best e_r within the other holds, for every r."""
    liking_pass(best[0], values, row, at, stride, entries, zeros, jokers)
    for rolls_left in range(1, best.shape[0]):
        best[rolls_left] = best[rolls_left - 1]
        hold_pass(best[rolls_left], moves, sizes)


@kernel
def has_state(index: Any, row: int, column: int) -> bool:
    lanes = index[row, column : column + TILE]
    return bool(lanes.max() >= 0)


@kernel
def write_chances(
    chances: Any, outcomes: Any, index: Any, row: int, column: int, chance_start: Any, chance: Any
) -> None:
    """From the tile to the states, the outcomes of the open boxes only."""
    for lane in range(min(TILE, index.shape[1] - column)):
        state = index[row, column + lane]
        if state < 0:
            continue
        to = chance_start[state]
        for box in range(outcomes.start.shape[0] - 1):
            if not row >> box & 1:
                for outcome in range(outcomes.start[box], outcomes.start[box + 1]):
                    chance[to] = chances[outcome * TILE + lane]
                    to += 1


@kernel
def best_outcomes(
    rows: Any,
    index: Any,
    chance_start: Any,
    chance: Any,
    throws: int,
    values: Any,
    stride: int,
    moves: Any,
    entries: Any,
    zeros: Any,
    jokers: Any,
    sizes: Any,
    outcomes: Any,
    first_throw: Any,
    columns_alike: bool,
) -> None:
    """chance[chance_start[state]:] of the outcomes of the open boxes, for the states of rows.

    ``index[row, column]`` is the number of the state, -1 where there is none. Where the columns
    are alike one of the states of a row stands for all of them, and ``values`` has one tile a row.
    """
    best = np.empty((throws, WORK_SIZE))
    flow = np.empty(WORK_SIZE)
    chances = np.empty(outcomes.points.shape[0] * TILE)
    first = outcomes.start
    for row in rows:
        for column in range(0, index.shape[1], TILE):
            if not has_state(index, row, column):
                continue
            at = 0 if columns_alike else column
            value_pass(best, values, row, at, stride, moves, entries, zeros, jokers, sizes)
            flow_pass(flow, best, moves, first_throw)
            chances[:] = 0.0
            joker_pass(chances, flow, best[0], values, at, stride, row, jokers)
            outcome_pass(chances, flow, best[0], values, row, at, stride, entries, zeros, first)
            write_chances(chances, outcomes, index, row, column, chance_start, chance)
            if columns_alike:
                break
