"""Compiled turns of players that decide by values: many games at the same time, grouped by card.

Games on neighbouring cards share a tile: a group of TILE cards that one vector instruction handles.
The best values of a tile are calculated once, as in ``dp.flow``; then each game uses its own dice.
``best[r]`` has the value of each roll, and of the best hold within each set of dice, with r rolls
left (flat float64 of holds x TILE). ``choosing`` is a ``values.Choosing``. ``dice`` is the result
of ``dp.arrays.build_throws``.
"""

from typing import Any

import numpy as np

from solver.dp.compiled import inlined
from solver.dp.flow import fill_values
from solver.dp.space import ROUNDING, TILE
from solver.players.card_kernels import add_score, find_next_roll
from solver.players.compiled import kernel


@inlined
def choose_hold(best: Any, lane: int, roll: int, less: Any, stop: int) -> int:
    """Return the best hold of a roll on the card ``lane``: release dice until the value falls."""
    at = (stop + roll) * TILE
    going = True
    while going:
        going = False
        for n in range(less.shape[1]):
            fewer = less[at // TILE, n]
            if fewer >= 0 and best[fewer + lane] > best[at + lane] - ROUNDING:
                at, going = fewer, True
                break
    return at // TILE


@inlined
def choose_outcome(row: int, column: int, roll: int, solving: Any, choosing: Any) -> int:
    """Score the roll in the box that the player values most, and return the outcome."""
    best, most = -1, -np.inf
    values, jokers, outcomes = solving.values, solving.jokers, solving.outcomes
    if jokers.start.shape[0] > 1:
        for entry in range(jokers.start[row], jokers.start[row + 1]):
            if jokers.roll[entry] == roll:
                after = jokers.row[entry] * solving.stride + column + jokers.step[entry]
                worth = values[after] + jokers.points[entry]
                if worth > most:
                    best, most = jokers.outcome[entry], worth
    if best >= 0:
        return best
    for box in range(choosing.liking.shape[0]):
        if not row >> box & 1:
            outcome = outcomes.by_roll[box, roll]
            after = (row | outcomes.row[outcome]) * solving.stride + column
            worth = values[after + choosing.steps[box, roll]] + choosing.liking[box, roll]
            if worth > most:
                best, most = outcome, worth
    return best


@inlined
def find_box(outcome: int, outcomes: Any) -> int:
    box = 0
    while outcomes.start[box + 1] <= outcome:
        box += 1
    return box


@kernel
def fill_cards(
    rows: Any, columns: Any, solving: Any, choosing: Any, holds: Any, boxes: Any
) -> None:
    """Write each card's decisions to holds[card, 0, rolls left - 1, roll] and boxes[card, 0, roll].
    Successive cards of a tile (``TILE`` neighbouring upper totals) share a calculation."""
    best = np.empty((holds.shape[2] + 1, solving.moves.bounds[-1] * TILE))
    stop, known = solving.moves.bounds[-2], -1
    for card in range(rows.shape[0]):
        row, column = rows[card], columns[card]
        lane = column % TILE
        first = row * solving.stride + column - lane
        if first != known:
            known = first
            fill_values(best, row, first, solving)
        for roll in range(boxes.shape[2]):
            for left in range(1, best.shape[0]):
                hold = choose_hold(best[left], lane, roll, choosing.less, stop)
                holds[card, 0, left - 1, roll] = hold
            outcome = choose_outcome(row, column, roll, solving, choosing)
            boxes[card, 0, roll] = find_box(outcome, solving.outcomes)


@kernel
def group_games(
    rows: Any, upper: Any, points: Any, by_upper: bool, cards: int, columns: int, out: Any
) -> None:
    """Write (rows, upper totals, points) of the games to ``out``, grouped by tiles of cards."""
    tiles = (columns + TILE - 1) // TILE if by_upper else 1
    start = np.zeros(cards * tiles + 1, dtype=np.int32)
    for game in range(rows.shape[0]):
        start[rows[game] * tiles + (upper[game] // TILE if by_upper else 0) + 1] += 1
    for key in range(cards * tiles):
        start[key + 1] += start[key]
    for game in range(rows.shape[0]):
        key = rows[game] * tiles + (upper[game] // TILE if by_upper else 0)
        at = start[key]
        start[key] += 1
        out[0, at] = rows[game]
        out[1, at] = upper[game]
        out[2, at] = points[game]


@kernel
def play_value_turns(
    rows: Any,
    upper: Any,
    points: Any,
    throws: Any,
    dice: Any,
    by_upper: bool,
    last: int,
    solving: Any,
    choosing: Any,
) -> None:
    """Play one turn of these games. Games of the same tile (``group_games``) must be neighbours."""
    best, known = np.empty((throws.shape[0], solving.moves.bounds[-1] * TILE)), -1
    for game in range(rows.shape[0]):
        row = rows[game]
        column = upper[game] if by_upper else 0
        lane = column % TILE
        first = row * solving.stride + column - lane
        if first != known:
            known = first
            fill_values(best, row, first, solving)
        roll = dice.roll_of[throws[0, game]]
        for left in range(throws.shape[0] - 1, 0, -1):
            hold = choose_hold(best[left], lane, roll, choosing.less, dice.stop)
            if hold >= dice.stop:
                break
            roll = find_next_roll(hold, throws[throws.shape[0] - left, game], dice)
        outcome = choose_outcome(row, column, roll, solving, choosing)
        add_score(game, outcome, rows, upper, points, solving.outcomes, last)


@kernel
def write_turn_starts(rows: Any, columns: Any, out: Any, throws: int, solving: Any) -> None:
    """Write to out[card] the player's value of each card, before the first roll of a turn.
    Successive cards of a tile (``TILE`` neighbouring upper totals) share a calculation."""
    best, known = np.empty((throws, solving.moves.bounds[-1] * TILE)), -1
    stop, chances = solving.moves.bounds[-2], solving.first_throw
    for card in range(rows.shape[0]):
        row, column = rows[card], columns[card]
        lane = column % TILE
        first = row * solving.stride + column - lane
        if first != known:
            known = first
            fill_values(best, row, first, solving)
        out[card] = 0.0
        for roll in range(chances.shape[0]):
            out[card] += chances[roll] * best[throws - 1, (stop + roll) * TILE + lane]
