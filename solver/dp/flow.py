"""How chance runs through a turn that is played by values: the equations of ``dp.kernels``, then
their transpose.

Going up, w_r and e_r of a tile of cards are worked out and kept. Going down, f_r(roll), the
chance to stand at this roll with r throws left, takes the hold that reaches w_r,

    f_r(hold) = sum over rolls whose best hold it is of f_r(roll)
    f_(r-1)(roll) = sum over holds of f_r(hold) * chance that the hold becomes the roll

hold by hold along the same edges: a sixth of f(hold) goes to each of the six holds with one die
more, who gather it. At the end f_0(roll) goes to the outcome of the box that reaches w_0(roll).
Equal values: more dice, then the lower box, decided by the preferences of ``dp.space``.

``work`` and ``flow`` are 462 x TILE, flat float64; ``best[r]`` is such an array for each r.
"""

from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import types

from solver.dp.compiled import inlined, kernel
from solver.dp.kernels import WORK_SIZE, best_pass, mean_pass
from solver.dp.space import TILE
from solver.dp.tiles import _OFFSET, _VECTOR, _Tiles, intrinsic, tile_copy, tile_max_plus, tile_set
from solver.rules.dice import FIRST_ROLL


@intrinsic(prefer_literal=True)
def tile_gather(typing: Any, flow: Any, edges: Any, at: Any, sources: Any) -> Any:
    """flow[target] += a sixth of the sum of so many (a literal number of) sources"""
    count = sources.literal_value

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        tiles, (kind, edge_kind, *_) = _Tiles(context, builder), signature.args
        array, edge_array, first, _ = args
        parts = [
            tiles.load(kind, array, tiles.edge(edge_kind, edge_array, first, number))
            for number in range(1, count + 1)
        ]
        while len(parts) > 1:
            pairs = zip(parts[::2], parts[1::2], strict=False)
            parts = [builder.fadd(a, b) for a, b in pairs] + parts[len(parts) & ~1 :]
        share = builder.fmul(parts[0], ir.Constant(_VECTOR, [1.0 / 6.0] * TILE))
        target = tiles.edge(edge_kind, edge_array, first, 0)
        tiles.store(builder.fadd(tiles.load(kind, array, target), share), kind, array, target)
        return context.get_dummy_value()

    return types.void(flow, edges, _OFFSET, sources), generate


@intrinsic(prefer_literal=True)
def tile_route(typing: Any, flow: Any, best: Any, edges: Any, at: Any, sources: Any) -> Any:
    """flow[target] moves to the first of so many sources whose best is the target's, if any.

    Lane by lane; how many sources there are is a literal.
    """
    count = sources.literal_value

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        tiles, (kind, best_kind, edge_kind, *_) = _Tiles(context, builder), signature.args
        array, best_array, edge_array, first, _ = args
        target = tiles.edge(edge_kind, edge_array, first, 0)
        whole, reached = tiles.load(kind, array, target), tiles.load(best_kind, best_array, target)
        none = ir.Constant(_VECTOR, [0.0] * TILE)
        for number in range(1, count + 1):
            source = tiles.edge(edge_kind, edge_array, first, number)
            equal = builder.fcmp_ordered("==", tiles.load(best_kind, best_array, source), reached)
            moved = builder.select(equal, whole, none)
            tiles.store(builder.fadd(tiles.load(kind, array, source), moved), kind, array, source)
            whole = builder.select(equal, none, whole)
        tiles.store(whole, kind, array, target)
        return context.get_dummy_value()

    return types.void(flow, best, edges, _OFFSET, sources), generate


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
def may_hurt(values: Any, row: int, at: int, stride: int, box: int, entries: Any) -> bool:
    """Whether points in this box are worth less than none: so it may be in any table but V."""
    none = (row | 1 << box) * stride + at
    some = (row | entries.row[box]) * stride + at
    hurts = False
    for risk in range(entries.risk_start[box], entries.risk_start[box + 1]):
        gain = entries.risk_points[risk] - entries.zero[box]
        after = some + entries.risk_step[risk]
        for lane in range(TILE):
            hurts |= values[after + lane] + gain < values[none + lane]
    return hurts


@inlined
def zero_pass(
    work: Any, values: Any, row: int, at: int, stride: int, entries: Any, alone: Any
) -> None:
    """w_0 of no points, the best of all boxes for every roll, as in ``kernels.score_pass``.

    A box where points hurt stands ``alone``: it is there for the rolls that score nothing in it.
    """
    first = FIRST_ROLL * TILE
    tile_set(work, first, -np.inf)
    for box in range(alone.shape[0]):
        if not row >> box & 1:
            alone[box] = may_hurt(values, row, at, stride, box, entries)
            if not alone[box]:
                after = (row | 1 << box) * stride + at
                tile_max_plus(work, first, values, after, entries.zero[box])
    for target in range(first + TILE, WORK_SIZE, TILE):
        tile_copy(work, target, work, first)
    for box in range(alone.shape[0]):
        if not row >> box & 1 and alone[box]:
            after = (row | 1 << box) * stride + at
            for roll in range(entries.nil_start[box], entries.nil_start[box + 1]):
                tile_max_plus(work, entries.nil[roll], values, after, entries.zero[box])


@inlined
def liking_pass(
    work: Any, values: Any, row: int, at: int, stride: int, entries: Any, jokers: Any, alone: Any
) -> None:
    """w_0 with the preference for lower boxes; ``at`` is the column of the tile."""
    zero_pass(work, values, row, at, stride, entries, alone)
    for box in range(alone.shape[0]):
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
def hold_pass(work: Any, moves: Any, prefer: Any) -> None:
    """From w to the best e within every hold, more dice preferred."""
    mean_pass(work, moves.mean)
    for at in range(WORK_SIZE):
        work[at] += prefer[at]
    best_pass(work, moves.groups, moves.best)


@inlined
def route_pass(flow: Any, best: Any, groups: Any, edges: Any) -> None:  # noqa: C901
    """f(roll) to f(hold): down the edges along which the best value came up."""
    end = edges.shape[0]
    for group in range(groups.shape[0] - 1, -1, -1):
        sources, holds = groups[group]
        at = end - holds * (sources + 1)
        if sources == 1:
            for edge in range(at, end, 2):
                tile_route(flow, best, edges, edge, 1)
        elif sources == 2:
            for edge in range(at, end, 3):
                tile_route(flow, best, edges, edge, 2)
        elif sources == 3:
            for edge in range(at, end, 4):
                tile_route(flow, best, edges, edge, 3)
        elif sources == 4:
            for edge in range(at, end, 5):
                tile_route(flow, best, edges, edge, 4)
        else:
            for edge in range(at, end, 6):
                tile_route(flow, best, edges, edge, 5)
        end = at


@inlined
def throw_pass(flow: Any, groups: Any, edges: Any) -> None:  # noqa: C901
    """f(hold) to f(roll): a sixth of every hold to each of those with one die more."""
    at = 0
    for group in range(groups.shape[0]):
        sources, holds = groups[group]
        end = at + holds * (sources + 1)
        if sources == 1:
            for edge in range(at, end, 2):
                tile_gather(flow, edges, edge, 1)
        elif sources == 2:
            for edge in range(at, end, 3):
                tile_gather(flow, edges, edge, 2)
        elif sources == 3:
            for edge in range(at, end, 4):
                tile_gather(flow, edges, edge, 3)
        elif sources == 4:
            for edge in range(at, end, 5):
                tile_gather(flow, edges, edge, 4)
        else:
            for edge in range(at, end, 6):
                tile_gather(flow, edges, edge, 5)
        at = end
    flow[: FIRST_ROLL * TILE] = 0.0


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
def points_pass(
    chances: Any,
    flow: Any,
    liked: Any,
    values: Any,
    row: int,
    at: int,
    stride: int,
    entries: Any,
    alone: Any,
    first_outcome: Any,
) -> None:
    """f_0 of the rolls that score, and of all in the boxes that stand alone."""
    for box in range(alone.shape[0]):
        if row >> box & 1:
            continue
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
        if alone[box]:
            after = (row | 1 << box) * stride + at
            for roll in range(entries.nil_start[box], entries.nil_start[box + 1]):
                to, target = first_outcome[box] * TILE, entries.nil[roll]
                tile_take(
                    chances, to, flow, target, values, after, entries.zero[box], liked, target
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
    alone: Any,
    first_outcome: Any,
) -> None:
    """f_0(roll) to the outcome of the box that reaches w_0; what scores nowhere goes together."""
    points_pass(chances, flow, liked, values, row, at, stride, entries, alone, first_outcome)
    # The hold of no die, whose flow has all gone on, gathers what is left of the rolls; its place
    # in ``liked`` takes the best that no points are worth.
    tile_set(liked, 0, -np.inf)
    for box in range(alone.shape[0]):
        if not row >> box & 1 and not alone[box]:
            after = (row | 1 << box) * stride + at
            tile_max_plus(liked, 0, values, after, entries.zero[box])
    for roll in range(FIRST_ROLL * TILE, WORK_SIZE, TILE):
        tile_add(flow, 0, flow, roll)
    for box in range(alone.shape[0]):
        if not row >> box & 1 and not alone[box]:
            after = (row | 1 << box) * stride + at
            to = first_outcome[box] * TILE
            tile_take(chances, to, flow, 0, values, after, entries.zero[box], liked, 0)


@inlined
def flow_pass(flow: Any, best: Any, moves: Any, first_throw: Any) -> None:
    """From the first throw down to f_0(roll)."""
    flow[: FIRST_ROLL * TILE] = 0.0
    for roll in range(first_throw.shape[0]):
        tile_set(flow, (FIRST_ROLL + roll) * TILE, first_throw[roll])
    for rolls_left in range(best.shape[0] - 1, 0, -1):
        route_pass(flow, best[rolls_left], moves.groups, moves.best)
        throw_pass(flow, moves.groups, moves.best)


@inlined
def value_pass(
    best: Any,
    values: Any,
    row: int,
    at: int,
    stride: int,
    moves: Any,
    entries: Any,
    jokers: Any,
    prefer: Any,
    alone: Any,
) -> None:
    """best[r]: w_r of the rolls and the best e_r within the other holds, for every r."""
    liking_pass(best[0], values, row, at, stride, entries, jokers, alone)
    for rolls_left in range(1, best.shape[0]):
        best[rolls_left] = best[rolls_left - 1]
        hold_pass(best[rolls_left], moves, prefer)


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
    jokers: Any,
    prefer: Any,
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
    alone = np.zeros(entries.zero.shape[0], dtype=np.bool_)
    first = outcomes.start
    for row in rows:
        for column in range(0, index.shape[1], TILE):
            if not has_state(index, row, column):
                continue
            at = 0 if columns_alike else column
            value_pass(best, values, row, at, stride, moves, entries, jokers, prefer, alone)
            flow_pass(flow, best, moves, first_throw)
            chances[:] = 0.0
            joker_pass(chances, flow, best[0], values, at, stride, row, jokers)
            outcome_pass(chances, flow, best[0], values, row, at, stride, entries, alone, first)
            write_chances(chances, outcomes, index, row, column, chance_start, chance)
            if columns_alike:
                break
