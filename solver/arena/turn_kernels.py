"""Turns of many games, compiled: played from tables of decisions, and judged by the exact values.

Dice lie in slots: ``faces[game, throw, slot]`` is what a slot shows unless it is held, as in a
``rules.Block``. A turn is written down as ``rolls[game, throw]``, and for every decision
``kept[game, throw]``: the number of a hold, or -1 where the roll was scored. Rolls that were not
thrown are -1.
"""

from typing import Any

import numpy as np

from solver.dp.compiled import inlined
from solver.dp.kernels import turn_values
from solver.players.card_kernels import chosen, outcome_in, scored
from solver.players.compiled import kernel
from solver.players.tables import MORE, STOP
from solver.rules.dice import DICE, FACES, FIRST_ROLL, HOLDS

FACES_OF = np.array(  # [hold, face]: how many dice show it
    [[0, *(hold.count(face) for face in range(1, FACES + 1))] for hold in HOLDS]
)


@inlined
def roll_of(dice: Any) -> int:
    hold = 0
    for slot in range(DICE):
        hold = MORE[hold, dice[slot]]
    return hold - STOP


@inlined
def rethrow(dice: Any, held: Any, hold: int, faces: Any) -> None:
    """Keeps slots that show the hold, of equal dice those that were held, and throws the others."""
    missing = FACES_OF[hold].copy()
    now = np.zeros(DICE, dtype=np.bool_)
    for before in (True, False):
        for slot in range(DICE):
            if held[slot] == before and missing[dice[slot]]:
                missing[dice[slot]] -= 1
                now[slot] = True
    for slot in range(DICE):
        held[slot] = now[slot]
        if not now[slot]:
            dice[slot] = faces[slot]


@kernel
def play_turns(
    rows: Any,
    upper: Any,
    points: Any,
    cards: Any,
    holds: Any,
    boxes: Any,
    faces: Any,
    luck: Any,
    jokers: Any,
    outcomes: Any,
    last: int,
    rolls: Any,
    kept: Any,
    chosen_box: Any,
) -> None:
    """One turn of every game, whose card has the number cards[game] in ``holds`` and ``boxes``."""
    throws = faces.shape[1]
    dice, held = np.empty(DICE, dtype=np.int64), np.empty(DICE, dtype=np.bool_)
    for game in range(rows.shape[0]):
        card = cards[game]
        alike = min(card, holds.shape[0] - 1)
        chance = game if luck.shape[1] > 1 else 0
        rolls[game] = -1
        kept[game] = -1
        held[:] = False
        dice[:] = faces[game, 0]
        roll = roll_of(dice)
        rolls[game, 0] = roll
        for number in range(1, throws):
            rolls_left = throws - number
            hold = chosen(holds[alike, :, rolls_left - 1, roll], luck[number - 1, chance])
            if hold >= STOP:
                break
            kept[game, number - 1] = hold
            rethrow(dice, held, hold, faces[game, number])
            roll = roll_of(dice)
            rolls[game, number] = roll
        box = chosen(boxes[card, :, roll], luck[throws - 1, chance])
        chosen_box[game] = box
        outcome = outcome_in(rows[game], box, roll, jokers, outcomes)
        scored(game, outcome, rows, upper, points, outcomes, last)


@kernel
def judge_turns(
    order: Any,
    rows: Any,
    columns: Any,
    rolls: Any,
    kept: Any,
    chosen_box: Any,
    values: Any,
    stride: int,
    moves: Any,
    scores: Any,
    slots: Any,
    jokers: Any,
    boxes: Any,
    best: Any,
    holds: Any,
    luck: Any,
    regret: Any,
    decisions: Any,
) -> None:
    """luck[turn], regret[turn] and how many decisions there were.

    ``order`` lists the turns with those on the same card side by side: what the card is worth is
    worked out once. ``boxes``, ``best`` and ``holds`` are room for that, as in ``turn_values``.
    """
    throws = rolls.shape[1]
    row, column = -1, -1
    for turn in order:
        if rows[turn] != row or columns[turn] != column:
            row, column = rows[turn], columns[turn]
            turn_values(
                values, row, column, stride, moves, scores, slots, jokers, boxes, best, holds
            )
        luck[turn], regret[turn], decisions[turn] = 0.0, 0.0, 0
        expected = values[row * stride + column]
        for number in range(throws):
            left, roll = throws - 1 - number, rolls[turn, number]
            most = best[left, FIRST_ROLL + roll]
            luck[turn] += most - expected
            decisions[turn] += 1
            if kept[turn, number] < 0:
                regret[turn] += max(0.0, most - boxes[chosen_box[turn], roll])
                break
            expected = holds[left, kept[turn, number]]
            regret[turn] += max(0.0, most - expected)
