"""The compiled sweep of ``dp.kernels`` for more quantities than the value; see ``dp.outlook``.

An entry of ``work`` (a hold) or of ``slots`` has a tile for the value, followed by a tile for each
carried quantity (see ``tiles.Places``). Callers give offsets as if there were only the values.
"""

from functools import reduce
from typing import Any

from llvmlite import ir
from numba.core import cgutils

from solver.dp.compiled import inlined, kernel
from solver.dp.kernels import (
    fill_rolls,
    fill_slots,
    find_in_plane,
    make_tiles,
    raise_rolls,
    update_jokers,
)
from solver.dp.space import PREFER_DIE, TILE
from solver.dp.tiles import INDEX, Number, Offset, Places, Tiles, count_dice, instruction
from solver.rules.dice import make_cup

_variable: Any = cgutils.alloca_once_value


@instruction
def average_places(
    tiles: Tiles, work: Any, edges: Any, at: Offset, like: Number, carried: Any
) -> None:
    """Set work[target] to the mean of the holds with one more die; add ``like`` to its value."""
    places, (target, *sources) = Places(tiles, work, carried), edges.numbers(at, 7)
    parts = [tiles.mean(list(six)) for six in zip(*(places[n] for n in sources), strict=True)]
    places[target] = [tiles.add_number(parts[0], like), *parts[1:]]


@instruction
def set_best_places(tiles: Tiles, work: Any, edges: Any, bounds: Any, carried: Any) -> None:
    """Set each hold's entry to the best entry, by value, of all holds within the hold. Also add the
    preference to rolls (holds of all dice). ``average_places`` added it to all smaller holds."""
    dice, places = count_dice(bounds), Places(tiles, work, carried)
    first_roll = INDEX(make_cup(dice).first_roll * TILE)
    none, whole = ir.DoubleType()(0.0), ir.DoubleType()(dice * PREFER_DIE)
    for target, *sources in tiles.iter_holds(edges, bounds):
        value, *others = places[target]
        is_roll = tiles.builder.icmp_signed(">=", target, first_roll)
        liked = tiles.add_number(value, tiles.builder.select(is_roll, whole, none))
        places[target] = reduce(
            places.choose_better, [places[n] for n in sources], [liked, *others]
        )


@instruction
def average_first_places(
    tiles: Tiles, size: Offset, at: Offset, work: Any, chances: Any, bounds: Any, carried: Any
) -> None:
    """Store the mean of each quantity over the first roll, from index ``at`` on. ``size`` is the
    length of an array of values."""
    builder, places, (after, _, quadratic) = tiles.builder, Places(tiles, work, carried), carried
    first_roll = INDEX(make_cup(count_dice(bounds)).first_roll)
    sums = [_variable(builder, tiles.make_constant(0.0)) for _ in quadratic]
    with cgutils.for_range(builder, chances.length) as loop:
        chance = tiles.fill_lanes(chances.number(loop.index))
        roll = builder.mul(builder.add(loop.index, first_roll), INDEX(TILE))
        for sum_, part in zip(sums, places[roll][1:], strict=True):
            builder.store(builder.fadd(builder.load(sum_), builder.fmul(chance, part)), sum_)
    for number, sum_ in enumerate(sums):
        after[find_in_plane(builder, number, size, at)] = builder.load(sum_)


@inlined
def hold_pass(work: Any, moves: Any, likes: Any, carried: Any) -> None:
    """Replace the value and the quantities of every roll by those with one more roll left."""
    for hold in range(moves.bounds[-2]):
        average_places(work, moves.mean, 7 * hold, likes[hold], carried)
    set_best_places(work, moves.best, moves.bounds, carried)


@kernel
def carry_rows(
    rows: Any, values: Any, after: Any, lines: Any, throws: int, game: Any, quantities: Any
) -> None:
    moves, scores, jokers = game.moves, game.slots, game.jokers
    carried = after, quantities.linear, quantities.quadratic
    of_jokers = after, quantities.of_jokers, quantities.quadratic
    width, size = len(quantities.quadratic) + 1, values.shape[0]
    work = make_tiles(width * moves.bounds[-1] * TILE)
    slots = make_tiles(width * (scores.number + 1) * TILE)
    for row in rows:
        start, group = lines.starts[row], lines.group[row]
        for tile in range(lines.tiles[group], lines.tiles[group + 1]):
            place = (tile - lines.tiles[group]) * TILE
            fill_slots(slots, values, row, place, tile, lines, 0, scores, carried)
            fill_rolls(work, slots, scores.rolls, scores.ends, carried)
            if jokers.start.shape[0] > 1:
                update_jokers(work, values, row, place, tile, lines, jokers, of_jokers)
            for _ in range(throws - 1):
                hold_pass(work, moves, quantities.likes, carried)
            chances, at = quantities.first_throw, start + place
            average_first_places(size, at, work, chances, moves.bounds, carried)


@kernel
def carry_saved(
    rows: Any,
    values: Any,
    after: Any,
    lines: Any,
    throws: int,
    game: Any,
    quantities: Any,
    most: int,
    following: int,
) -> None:
    """Do the same as ``carry_rows`` for rulesets that save rolls (see ``kernels.sweep_saved``). A
    box replaces a hold only if the box has a greater value."""
    moves, scores, chances = game.moves, game.slots, quantities.first_throw
    carried = after, quantities.linear, quantities.quadratic
    width, size = len(quantities.quadratic) + 1, values.shape[0]
    work = make_tiles(width * moves.bounds[-1] * TILE)
    slots = make_tiles(width * (scores.number + 1) * TILE)
    for row in rows:
        start, group = lines.starts[row], lines.group[row]
        for tile in range(lines.tiles[group], lines.tiles[group + 1]):
            place = (tile - lines.tiles[group]) * TILE
            for left in range(most + throws):
                stock = min(left, following)
                fill_slots(slots, values, row, place, tile, lines, stock, scores, carried)
                if left:
                    hold_pass(work, moves, quantities.likes, carried)
                    raise_rolls(work, slots, scores.rolls, scores.ends, carried)
                else:
                    fill_rolls(work, slots, scores.rolls, scores.ends, carried)
                saved = left + 1 - throws  # saved rolls before the turn, whose first roll costs one
                if saved >= 0:
                    at = start + saved * lines.width[group] + place
                    average_first_places(size, at, work, chances, moves.bounds, carried)
