"""Turns of players that go by values, compiled: many games at once, grouped by card.

Games on neighbouring cards share one tile: its best values are worked out once, as in
``dp.flow``, and then each game follows its own dice through them. ``best[r]`` are w_0, and for the
throws left the best e_r within every hold, 462 x TILE, flat float64.
"""

from typing import Any

import numpy as np

from solver.dp.compiled import inlined
from solver.dp.flow import value_pass
from solver.dp.kernels import WORK_SIZE
from solver.dp.space import TILE
from solver.players.card_kernels import scored, thrown
from solver.players.compiled import kernel
from solver.players.tables import ROLL_OF, STOP


@inlined
def hold_of(best: Any, lane: int, roll: int, less: Any) -> int:
    """The hold that reaches the best value of a roll."""
    at = (STOP + roll) * TILE
    going = True
    while going:
        going = False
        for n in range(less.shape[1]):
            fewer = less[at // TILE, n]
            if fewer >= 0 and best[fewer + lane] == best[at + lane]:
                at, going = fewer, True
                break
    return at // TILE


@inlined
def outcome_of(
    row: int,
    column: int,
    roll: int,
    values: Any,
    stride: int,
    jokers: Any,
    liking: Any,
    steps: Any,
    outcomes: Any,
) -> int:
    """The outcome that a roll is worth most in."""
    best, most = -1, -np.inf
    if jokers.start.shape[0] > 1:
        for entry in range(jokers.start[row], jokers.start[row + 1]):
            if jokers.roll[entry] == roll:
                after = jokers.row[entry] * stride + column + jokers.step[entry]
                worth = values[after] + jokers.points[entry]
                if worth > most:
                    best, most = jokers.outcome[entry], worth
    if best >= 0:
        return best
    for box in range(liking.shape[0]):
        if not row >> box & 1:
            outcome = outcomes.of[box, roll]
            after = (row | outcomes.row[outcome]) * stride + column + steps[box, roll]
            worth = values[after] + liking[box, roll]
            if worth > most:
                best, most = outcome, worth
    return best


@inlined
def box_of(outcome: int, outcomes: Any) -> int:
    box = 0
    while outcomes.start[box + 1] <= outcome:
        box += 1
    return box


@kernel
def fill_card(
    row: int,
    column: int,
    values: Any,
    stride: int,
    moves: Any,
    entries: Any,
    jokers: Any,
    prefer: Any,
    outcomes: Any,
    less: Any,
    liking: Any,
    steps: Any,
    holds: Any,
    boxes: Any,
) -> None:
    """holds[throws left - 1, roll] and boxes[roll] of one card."""
    best = np.empty((holds.shape[0] + 1, WORK_SIZE))
    alone = np.zeros(entries.zero.shape[0], dtype=np.bool_)
    lane = column % TILE
    value_pass(best, values, row, column - lane, stride, moves, entries, jokers, prefer, alone)
    for roll in range(boxes.shape[0]):
        for rolls_left in range(1, best.shape[0]):
            holds[rolls_left - 1, roll] = hold_of(best[rolls_left], lane, roll, less)
        best_outcome = outcome_of(
            row, column, roll, values, stride, jokers, liking, steps, outcomes
        )
        boxes[roll] = box_of(best_outcome, outcomes)


@kernel
def fill_cards(
    rows: Any,
    columns: Any,
    values: Any,
    stride: int,
    moves: Any,
    entries: Any,
    jokers: Any,
    prefer: Any,
    outcomes: Any,
    less: Any,
    liking: Any,
    steps: Any,
    holds: Any,
    boxes: Any,
) -> None:
    """holds[card, 0, throws left - 1, roll] and boxes[card, 0, roll]."""
    solving = (values, stride, moves, entries, jokers, prefer, outcomes)
    for card in range(rows.shape[0]):
        some_holds, some_boxes = holds[card, 0], boxes[card, 0]
        fill_card(rows[card], columns[card], *solving, less, liking, steps, some_holds, some_boxes)


@kernel
def grouped(
    rows: Any, upper: Any, points: Any, by_upper: bool, cards: int, columns: int, out: Any
) -> None:
    """out[0], out[1] and out[2]: the three, with the games of a tile side by side."""
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
def value_turns(
    rows: Any,
    upper: Any,
    points: Any,
    throws: Any,
    by_upper: bool,
    last: int,
    values: Any,
    stride: int,
    moves: Any,
    entries: Any,
    jokers: Any,
    prefer: Any,
    outcomes: Any,
    less: Any,
    liking: Any,
    steps: Any,
) -> None:
    """One turn of these games, those of a tile side by side."""
    best = np.empty((throws.shape[0], WORK_SIZE))
    alone = np.zeros(entries.zero.shape[0], dtype=np.bool_)
    known, known_at = -1, -1
    for game in range(rows.shape[0]):
        row = rows[game]
        column = upper[game] if by_upper else 0
        lane = column % TILE
        at = column - lane
        if row != known or at != known_at:
            known, known_at = row, at
            value_pass(best, values, row, at, stride, moves, entries, jokers, prefer, alone)
        roll = ROLL_OF[throws[0, game]]
        for rolls_left in range(throws.shape[0] - 1, 0, -1):
            hold = hold_of(best[rolls_left], lane, roll, less)
            if hold >= STOP:
                break
            roll = thrown(hold, throws[throws.shape[0] - rolls_left, game])
        outcome = outcome_of(row, column, roll, values, stride, jokers, liking, steps, outcomes)
        scored(game, outcome, rows, upper, points, outcomes, last)


@kernel
def turn_starts(
    rows: Any,
    columns: Any,
    out: Any,
    throws: int,
    first_throw: Any,
    values: Any,
    stride: int,
    moves: Any,
    entries: Any,
    jokers: Any,
    prefer: Any,
    outcomes: Any,
) -> None:
    """out[card]: what a turn and all that follows are worth before its first throw.

    Cards that lie side by side share a tile; ``outcomes`` are not needed.
    """
    best = np.empty((throws, WORK_SIZE))
    alone = np.zeros(entries.zero.shape[0], dtype=np.bool_)
    known, known_at = -1, -1
    for card in range(rows.shape[0]):
        row, column = rows[card], columns[card]
        lane = column % TILE
        if row != known or column - lane != known_at:
            known, known_at = row, column - lane
            value_pass(best, values, row, known_at, stride, moves, entries, jokers, prefer, alone)
        out[card] = 0.0
        for roll in range(first_throw.shape[0]):
            out[card] += first_throw[roll] * best[throws - 1, (STOP + roll) * TILE + lane]
