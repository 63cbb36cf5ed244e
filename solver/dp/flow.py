"""Probabilities through a turn that is played by values: the equations of ``dp.kernels``, then
their transpose.

Going up, w_r and e_r of a tile of cards are worked out and kept. Going down, f_r(roll), the
chance to stand at this roll with r throws left, takes the hold that reaches w_r,

    f_r(hold) = sum over rolls whose best hold it is of f_r(roll)
    f_(r-1)(roll) = sum over holds of f_r(hold) * chance that the hold becomes the roll

hold by hold along the same edges: a sixth of f(hold) goes to each of the six holds with one die
more, who gather it. At the end f_0(roll) goes to the outcome of the box that reaches w_0(roll).
Equal values are told apart by the preferences of ``dp.space``.

``work`` and ``flow`` are holds x TILE, flat float64; ``best[r]`` is such an array for each r. What
kernels are told of the game and the player is ``outcomes.Solving``.
"""

from typing import Any

import numpy as np

from solver.dp.compiled import inlined, kernel
from solver.dp.kernels import best_pass, mean_pass
from solver.dp.space import ROUNDING, TILE
from solver.dp.tiles import (
    Number,
    Offset,
    Tiles,
    instruction,
    tile_copy,
    tile_max_plus,
    tile_set,
)


@instruction
def gather(tiles: Tiles, flow: Any, edges: Any, bounds: Any) -> None:
    """f(hold) to f(roll): flow[hold] += a sixth of each of those with one die less."""
    for target, *others in tiles.each_hold(edges, bounds):
        share = tiles.mean([flow[source] for source in others])
        flow[target] = tiles.builder.fadd(flow[target], share)


@instruction
def route(tiles: Tiles, flow: Any, best: Any, edges: Any, bounds: Any) -> None:
    """f(roll) to f(hold), lane by lane: down the edges along which the best value came up.

    flow[target] moves to the first of the sources whose best equals the target's, if any.
    """
    builder, none, rounding = tiles.builder, tiles.constant(0.0), tiles.constant(ROUNDING)
    for target, *others in tiles.each_hold(edges, bounds, down=True):
        whole, reached = flow[target], builder.fsub(best[target], rounding)
        for source in others:
            equal = builder.fcmp_ordered(">", best[source], reached)
            flow[source] = builder.fadd(flow[source], builder.select(equal, whole, none))
            whole = builder.select(equal, none, whole)
        flow[target] = whole


@instruction
def tile_take(
    tiles: Tiles,
    out: Any,
    to: Offset,
    flow: Any,
    origin: Offset,
    reached: Any,
    a: Offset,
    added: Number,
    best: Any,
    b: Offset,
) -> None:
    """flow[origin] moves to out[to] in the lanes where reached[a] + added = best[b]."""
    builder, none = tiles.builder, tiles.constant(0.0)
    equal = builder.fcmp_ordered("==", tiles.plus(reached[a], added), best[b])
    whole = flow[origin]
    flow[origin] = builder.select(equal, none, whole)
    out[to] = builder.fadd(out[to], builder.select(equal, whole, none))


@instruction
def tile_add(tiles: Tiles, out: Any, to: Offset, source: Any, at: Offset) -> None:
    """out[to] += source[at]"""
    out[to] = tiles.builder.fadd(out[to], source[at])


@inlined
def may_hurt(values: Any, row: int, at: int, stride: int, box: int, entries: Any) -> bool:
    """Return whether points in this box may be worth less than none, as in tables other than V."""
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
    work: Any, values: Any, row: int, at: int, stride: int, entries: Any, first: int, alone: Any
) -> None:
    """w_0 of no points, the best of all boxes for every roll, as in ``kernels.score_pass``.

    A box where points hurt stands ``alone``: it is there for the rolls that score nothing in it.
    ``first`` is where the rolls begin in ``work``.
    """
    tile_set(work, first, -np.inf)
    for box in range(alone.shape[0]):
        if not row >> box & 1:
            alone[box] = may_hurt(values, row, at, stride, box, entries)
            if not alone[box]:
                after = (row | 1 << box) * stride + at
                tile_max_plus(work, first, values, after, entries.zero[box])
    for target in range(first + TILE, work.shape[0], TILE):
        tile_copy(work, target, work, first)
    for box in range(alone.shape[0]):
        if not row >> box & 1 and alone[box]:
            after = (row | 1 << box) * stride + at
            for roll in range(entries.nil_start[box], entries.nil_start[box + 1]):
                tile_max_plus(work, entries.nil[roll], values, after, entries.zero[box])


@inlined
def liking_pass(work: Any, row: int, at: int, solving: Any, alone: Any) -> None:
    """w_0 with the preference for lower boxes; ``at`` is the column of the tile."""
    values, stride, entries = solving.values, solving.stride, solving.entries
    zero_pass(work, values, row, at, stride, entries, solving.moves.bounds[-2] * TILE, alone)
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
    jokers = solving.jokers
    if jokers.start.shape[0] > 1:
        for entry in range(jokers.start[row], jokers.start[row + 1]):
            tile_set(work, jokers.target[entry], -np.inf)
        for entry in range(jokers.start[row], jokers.start[row + 1]):
            after = jokers.row[entry] * stride + at + jokers.step[entry]
            tile_max_plus(work, jokers.target[entry], values, after, jokers.points[entry])


@inlined
def hold_pass(work: Any, moves: Any, prefer: Any) -> None:
    """From w to the best e within every hold, more dice preferred."""
    mean_pass(work, moves)
    for at in range(work.shape[0]):
        work[at] += prefer[at]
    best_pass(work, moves)


@inlined
def joker_pass(chances: Any, flow: Any, liked: Any, row: int, at: int, solving: Any) -> None:
    """f_0 of the rolls that are jokers on this card, none of which is left for the other boxes."""
    values, jokers = solving.values, solving.jokers
    if jokers.start.shape[0] > 1:
        for entry in range(jokers.start[row], jokers.start[row + 1]):
            target, out = jokers.target[entry], jokers.outcome[entry] * TILE
            after = jokers.row[entry] * solving.stride + at + jokers.step[entry]
            tile_take(
                chances, out, flow, target, values, after, jokers.points[entry], liked, target
            )


@inlined
def points_pass(
    chances: Any, flow: Any, liked: Any, row: int, at: int, solving: Any, alone: Any
) -> None:
    """f_0 of the rolls that score, and of all in the boxes that stand alone."""
    values, entries, zero = solving.values, solving.entries, solving.entries.zero
    for box in range(alone.shape[0]):
        if row >> box & 1:
            continue
        scored = (row | entries.row[box]) * solving.stride + at
        for entry in range(entries.start[box], entries.start[box + 1]):
            target, out = entries.target[entry], entries.outcome[entry] * TILE
            after, points = scored + entries.step[entry], entries.points[entry]
            tile_take(chances, out, flow, target, values, after, points, liked, target)
        if alone[box]:
            after, out = (row | 1 << box) * solving.stride + at, solving.outcomes.start[box] * TILE
            for roll in range(entries.nil_start[box], entries.nil_start[box + 1]):
                target = entries.nil[roll]
                tile_take(chances, out, flow, target, values, after, zero[box], liked, target)


@inlined
def outcome_pass(
    chances: Any, flow: Any, liked: Any, row: int, at: int, solving: Any, alone: Any
) -> None:
    """f_0(roll) to the outcome of the box that reaches w_0; what scores nowhere goes together."""
    points_pass(chances, flow, liked, row, at, solving, alone)
    # The hold of no die, whose flow has all gone on, gathers what is left of the rolls; its place
    # in ``liked`` takes the best that no points are worth.
    values, zero, first = solving.values, solving.entries.zero, solving.outcomes.start
    tile_set(liked, 0, -np.inf)
    for box in range(alone.shape[0]):
        if not row >> box & 1 and not alone[box]:
            after = (row | 1 << box) * solving.stride + at
            tile_max_plus(liked, 0, values, after, zero[box])
    for roll in range(solving.moves.bounds[-2] * TILE, flow.shape[0], TILE):
        tile_add(flow, 0, flow, roll)
    for box in range(alone.shape[0]):
        if not row >> box & 1 and not alone[box]:
            after = (row | 1 << box) * solving.stride + at
            tile_take(chances, first[box] * TILE, flow, 0, values, after, zero[box], liked, 0)


@inlined
def flow_pass(flow: Any, best: Any, solving: Any) -> None:
    """From the first throw down to f_0(roll)."""
    moves, chances = solving.moves, solving.first_throw
    first = moves.bounds[-2] * TILE
    flow[:first] = 0.0
    for roll in range(chances.shape[0]):
        tile_set(flow, first + roll * TILE, chances[roll])
    for rolls_left in range(best.shape[0] - 1, 0, -1):
        route(flow, best[rolls_left], moves.best, moves.bounds)
        gather(flow, moves.best, moves.bounds)
        flow[:first] = 0.0


@inlined
def value_pass(best: Any, row: int, at: int, solving: Any, alone: Any) -> None:
    """best[r]: w_r of the rolls and the best e_r within the other holds, for every r."""
    liking_pass(best[0], row, at, solving, alone)
    for rolls_left in range(1, best.shape[0]):
        best[rolls_left] = best[rolls_left - 1]
        hold_pass(best[rolls_left], solving.moves, solving.prefer)


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
    solving: Any,
    columns_alike: bool,
) -> None:
    """chance[chance_start[state]:] of the outcomes of the open boxes, for the states of rows.

    ``index[row, column]`` is the number of the state, -1 where there is none. Where the columns
    are alike one of the states of a row stands for all of them, and its values are one tile.
    """
    outcomes, size = solving.outcomes, solving.moves.bounds[-1] * TILE
    best, flow = np.empty((throws, size)), np.empty(size)
    chances = np.empty(outcomes.points.shape[0] * TILE)
    alone = np.zeros(solving.entries.zero.shape[0], dtype=np.bool_)
    for row in rows:
        for column in range(0, index.shape[1], TILE):
            if not has_state(index, row, column):
                continue
            at = 0 if columns_alike else column
            value_pass(best, row, at, solving, alone)
            flow_pass(flow, best, solving)
            chances[:] = 0.0
            joker_pass(chances, flow, best[0], row, at, solving)
            outcome_pass(chances, flow, best[0], row, at, solving, alone)
            write_chances(chances, outcomes, index, row, column, chance_start, chance)
            if columns_alike:
                break
