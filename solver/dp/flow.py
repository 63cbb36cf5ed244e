"""The chances of a turn's outcomes if the player chooses the option of highest value: first the
equations of ``dp.kernels``, then their transpose.

The first pass calculates and stores w_r and e_r of a tile of cards. The second pass calculates
f_r(roll), the chance of this roll with r rolls left, and moves it to the hold with the value w_r:

    f_r(hold) = sum over rolls whose best hold it is of f_r(roll)
    f_(r-1)(roll) = sum over holds of f_r(hold) * chance that the hold becomes the roll

The second equation uses the same edges: each hold gets a sixth of f from every hold with one die
less. At the end f_0(roll) moves to the outcome of the box with the value w_0(roll). The preferences
of ``dp.space`` decide between equal values.

A tile of cards has a ``row``, the filled boxes, and a ``card``, the index in ``values`` of V of its
first card. ``apart`` has the bits of open boxes in which points may be worth less than 0 points. A
roll can score 0 in such a box only if it scores no points there. ``work``, ``flow`` and each
``best[r]`` are flat float64 arrays of holds x TILE. The entry of ``best[0]`` for the hold of no
dice is the value of scoring 0 in the best box that is not in ``apart``.
"""

import numpy as np

from solver.dp.arrays import Floats, Ints, Moves
from solver.dp.compiled import inlined, kernel
from solver.dp.kernels import raise_to_best
from solver.dp.outcomes import Entries, Index, Outcomes, Solving
from solver.dp.space import ROUNDING, TILE
from solver.dp.tiles import (
    Number,
    Offset,
    TileArray,
    Tiles,
    average_tiles,
    copy_tile,
    instruction,
    set_tile,
)


@instruction
def raise_tile(
    tiles: Tiles, work: TileArray, out: Offset, source: TileArray, at: Offset, points: Number
) -> None:
    work[out] = tiles.choose_larger(work[out], tiles.add_number(source[at], points))


@instruction
def spread_chances(tiles: Tiles, flow: TileArray, edges: TileArray, bounds: list[int]) -> None:
    """Convert chances of holds to chances of rolls. From small to large holds, add to each hold a
    sixth of the chance of every hold with one die less."""
    for target, *others in tiles.iter_holds(edges, bounds):
        share = tiles.mean([flow[source] for source in others])
        flow[target] = tiles.builder.fadd(flow[target], share)


@instruction
def move_to_best(
    tiles: Tiles, flow: TileArray, best: TileArray, edges: TileArray, bounds: list[int]
) -> None:
    """Give the chance of each roll to its best hold, separately for each lane (upper total). Each
    step releases one die: the chance of a hold goes to the first hold with one die less that has
    the same best value. If there is no such hold, the chance stays."""
    builder, none, rounding = tiles.builder, tiles.make_constant(0.0), tiles.make_constant(ROUNDING)
    for target, *others in tiles.iter_holds(edges, bounds, down=True):
        whole, reached = flow[target], builder.fsub(best[target], rounding)
        for source in others:
            equal = builder.fcmp_ordered(">", best[source], reached)
            flow[source] = builder.fadd(flow[source], builder.select(equal, whole, none))
            whole = builder.select(equal, none, whole)
        flow[target] = whole


@instruction
def move_flow(
    tiles: Tiles,
    out: TileArray,
    to: Offset,
    flow: TileArray,
    best: TileArray,
    roll: Offset,
    values: TileArray,
    after: Offset,
    points: Number,
) -> None:
    """If this score gives the roll's best value, move the roll's chance flow[roll] to the outcome
    out[to]. Decide separately in each lane (upper total): values[after] + points = best[roll]."""
    builder, none = tiles.builder, tiles.make_constant(0.0)
    equal = builder.fcmp_ordered("==", tiles.add_number(values[after], points), best[roll])
    whole = flow[roll]
    flow[roll] = builder.select(equal, none, whole)
    out[to] = builder.fadd(out[to], builder.select(equal, whole, none))


@instruction
def add_tile(tiles: Tiles, out: TileArray, to: Offset, source: TileArray, at: Offset) -> None:
    out[to] = tiles.builder.fadd(out[to], source[at])


@inlined
def is_zero_better(values: Floats, card: int, box: int, entries: Entries) -> bool:
    """Return whether 0 points may be worth more than points in this box, on any card of the tile.
    With the exact ``values`` of perfect play, the result is always False."""
    hurts = False
    for risk in range(entries.risk_start[box], entries.risk_start[box + 1]):
        for lane in range(card, card + TILE):
            some = values[lane + entries.risk_step[risk]] + entries.risk_gain[risk]
            hurts |= some < values[lane + entries.zero_step[box]]
    return hurts


@inlined
def find_last_entry(box: int, apart: int, entries: Entries) -> int:
    """Return where the box's list of entries ends. Entries of 0 points are included only if
    ``apart`` has the box."""
    end: int = entries.start[box + 1] if apart >> box & 1 else entries.nil[box]
    return end


@inlined
def fill_best_boxes(work: Floats, row: int, card: int, solving: Solving) -> int:
    """Calculate each roll's value in its best open box, without jokers. Return ``apart``: the boxes
    (as bits) in which points may be worth less than 0 points."""
    values, entries, apart = solving.values, solving.entries, 0
    set_tile(work, 0, -np.inf)
    for box in range(entries.zero.shape[0]):
        if not row >> box & 1:
            if is_zero_better(values, card, box, entries):
                apart |= 1 << box
            else:
                raise_tile(work, 0, values, card + entries.zero_step[box], entries.zero[box])
    for roll in range(solving.moves.bounds[-2] * TILE, work.shape[0], TILE):
        copy_tile(work, roll, work, 0)
    for box in range(entries.zero.shape[0]):
        if not row >> box & 1:
            for n in range(entries.start[box], find_last_entry(box, apart, entries)):
                after = card + entries.step[n]
                raise_tile(work, entries.target[n], values, after, entries.points[n])
    return apart


@inlined
def update_jokers(work: Floats, row: int, card: int, solving: Solving) -> None:
    """Recalculate the value in the best box for the rolls that are jokers on this card."""
    jokers = solving.jokers
    if jokers.start.shape[0] > 1:
        for n in range(jokers.start[row], jokers.start[row + 1]):
            set_tile(work, jokers.target[n], -np.inf)
        for n in range(jokers.start[row], jokers.start[row + 1]):
            after = card + (jokers.row[n] - row) * solving.stride + jokers.step[n]
            raise_tile(work, jokers.target[n], solving.values, after, jokers.points[n])


@inlined
def fill_values(best: Floats, row: int, card: int, solving: Solving) -> int:
    """Set best[r] to the best value of each roll, and within each smaller hold, with r rolls left.
    Among equal holds, prefer more dice. Return ``apart``, as ``fill_best_boxes`` does."""
    apart: int = fill_best_boxes(best[0], row, card, solving)
    update_jokers(best[0], row, card, solving)
    for rolls_left in range(1, best.shape[0]):
        work = best[rolls_left]
        work[:] = best[rolls_left - 1]
        average_tiles(work, solving.moves.mean)
        work += solving.prefer
        raise_to_best(work, solving.moves.best, solving.moves.bounds)
    return apart


@inlined
def fill_flow(flow: Floats, best: Floats, moves: Moves, first_throw: Floats) -> None:
    """Set flow[roll] to the chance that the turn ends with this roll."""
    first = moves.bounds[-2] * TILE
    flow[:first] = 0.0
    for roll in range(first_throw.shape[0]):
        set_tile(flow, first + roll * TILE, first_throw[roll])
    for rolls_left in range(best.shape[0] - 1, 0, -1):
        move_to_best(flow, best[rolls_left], moves.best, moves.bounds)
        spread_chances(flow, moves.best, moves.bounds)
        flow[:first] = 0.0


@inlined
def fill_outcomes(
    chances: Floats, flow: Floats, best: Floats, row: int, card: int, solving: Solving, apart: int
) -> None:
    """Move the chance of each final roll to the outcome of the box in which the roll has the
    highest value, which is best[roll]."""
    values, entries, jokers = solving.values, solving.entries, solving.jokers
    if jokers.start.shape[0] > 1:
        for n in range(jokers.start[row], jokers.start[row + 1]):
            roll, to = jokers.target[n], jokers.outcome[n] * TILE
            after = card + (jokers.row[n] - row) * solving.stride + jokers.step[n]
            move_flow(chances, to, flow, best, roll, values, after, jokers.points[n])
    for box in range(entries.zero.shape[0]):
        if not row >> box & 1:
            for n in range(entries.start[box], find_last_entry(box, apart, entries)):
                roll, to, after = (
                    entries.target[n],
                    entries.outcome[n] * TILE,
                    card + entries.step[n],
                )
                move_flow(chances, to, flow, best, roll, values, after, entries.points[n])
    # Hold 0 (chance 0 here) collects the rolls that score in no box.
    for roll in range(solving.moves.bounds[-2] * TILE, flow.shape[0], TILE):
        add_tile(flow, 0, flow, roll)
    for box in range(entries.zero.shape[0]):
        if not (row | apart) >> box & 1:
            to, after = solving.outcomes.start[box] * TILE, card + entries.zero_step[box]
            move_flow(chances, to, flow, best, 0, values, after, entries.zero[box])


@kernel
def has_state(index: Index, row: int, column: int) -> bool:
    lanes = index[row, column : column + TILE]
    return bool(lanes.max() >= 0)


@kernel
def write_chances(
    chances: Floats,
    outcomes: Outcomes,
    index: Index,
    row: int,
    column: int,
    chance_start: Ints,
    chance: Floats,
) -> None:
    """Copy the chances of outcomes from a tile to the states in its lanes, for open boxes."""
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
def write_best_outcomes(
    rows: Ints,
    index: Index,
    chance_start: Ints,
    chance: Floats,
    throws: int,
    solving: Solving,
    columns_alike: bool,
) -> None:
    """Write to ``chance``, for the states of these rows, the chances of the outcomes of open boxes.

    ``index[row, column]`` is the number of the state, or -1. If all columns of a row have the same
    decisions, the row has a single state, and its values fill a single tile (TILE numbers).
    """
    outcomes, size = solving.outcomes, solving.moves.bounds[-1] * TILE
    best, flow = np.empty((throws, size)), np.empty(size)
    chances = np.empty(outcomes.points.shape[0] * TILE)
    for row in rows:
        for column in range(0, index.shape[1], TILE):
            if not has_state(index, row, column):
                continue
            card = row * solving.stride + (0 if columns_alike else column)
            apart = fill_values(best, row, card, solving)
            fill_flow(flow, best, solving.moves, solving.first_throw)
            chances[:] = 0.0
            fill_outcomes(chances, flow, best[0], row, card, solving, apart)
            write_chances(chances, outcomes, index, row, column, chance_start, chance)
            if columns_alike:
                break
