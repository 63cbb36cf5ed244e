"""Compiled turns of many games: play them from decision tables, and measure luck and cost.

Dice have slots: ``faces[game, roll, slot]`` is the new face of a slot that is not held, as in a
``rules.Block``. In ``turns.Turns``, ``rolls[game, n]`` is the number of the turn's roll n, or -1 if
the turn ended before this roll. ``kept[game, n]`` is the number of the hold after roll n, or -1 if
the player then filled a box. ``cup`` is the result of ``dp.arrays.build_throws``.
"""

from typing import Any

import numpy as np

from solver.dp.compiled import inlined
from solver.dp.kernels import calculate_turn
from solver.players.card_kernels import add_score, find_outcome, pick_choice
from solver.players.compiled import kernel


@inlined
def find_roll(dice: Any, cup: Any) -> Any:
    hold = 0
    for slot in range(dice.shape[0]):
        hold = cup.more[hold, dice[slot]]
    return hold - cup.stop


@inlined
def reroll_dice(dice: Any, held: Any, hold: int, faces: Any, cup: Any) -> None:
    """Hold the dice of ``hold``, preferring dice already held; give other slots new faces."""
    missing = cup.faces[hold].copy()
    now = np.zeros(dice.shape[0], dtype=np.bool_)
    for before in (True, False):
        for slot in range(dice.shape[0]):
            if held[slot] == before and missing[dice[slot]]:
                missing[dice[slot]] -= 1
                now[slot] = True
    for slot in range(dice.shape[0]):
        held[slot] = now[slot]
        if not now[slot]:
            dice[slot] = faces[slot]


@kernel
def play_turns(
    rows: Any,
    upper: Any,
    points: Any,
    tables: Any,
    faces: Any,
    luck: Any,
    cup: Any,
    scoring: Any,
    last: int,
    turns: Any,
) -> None:
    """Play one turn of every game, and write the turn to ``turns``.

    ``tables`` is (cards, holds, boxes): cards[game] is the index of the game's card in ``holds``
    and ``boxes``. If ``holds`` has one entry, all cards share it. ``scoring`` is (jokers, outcomes)
    of the ruleset, as in ``dp.outcomes``.
    """
    (cards, holds, boxes), (jokers, outcomes) = tables, scoring
    throws, number_of_dice = faces.shape[1], faces.shape[2]
    dice = np.empty(number_of_dice, dtype=np.int64)
    held = np.empty(number_of_dice, dtype=np.bool_)
    for game in range(rows.shape[0]):
        card = cards[game]
        alike = min(card, holds.shape[0] - 1)
        chance = game if luck.shape[1] > 1 else 0
        turns.rolls[game] = -1
        turns.kept[game] = -1
        held[:] = False
        dice[:] = faces[game, 0]
        roll = find_roll(dice, cup)
        turns.rolls[game, 0] = roll
        for number in range(1, throws):
            rolls_left = throws - number
            hold = pick_choice(holds[alike, :, rolls_left - 1, roll], luck[number - 1, chance])
            if hold >= cup.stop:
                break
            turns.kept[game, number - 1] = hold
            reroll_dice(dice, held, hold, faces[game, number], cup)
            roll = find_roll(dice, cup)
            turns.rolls[game, number] = roll
        box = pick_choice(boxes[card, :, roll], luck[throws - 1, chance])
        turns.boxes[game] = box
        outcome = find_outcome(rows[game], box, roll, jokers, outcomes)
        add_score(game, outcome, rows, upper, points, outcomes, last)


@kernel
def judge_turns(
    order: Any, turns: Any, values: Any, stride: int, game: Any, room: Any, judged: Any
) -> None:
    """Write the luck, the cost and the number of decisions of every turn to ``judged``. ``order``
    lists the turns grouped by card, so that each card is calculated once. ``room`` has the work
    arrays of ``calculate_turn``: boxes, best values and holds."""
    boxes, best, holds = room
    throws, first_roll = turns.rolls.shape[1], game.moves.bounds[-2]
    row, column = -1, -1
    for turn in order:
        if turns.rows[turn] != row or turns.columns[turn] != column:
            row, column = turns.rows[turn], turns.columns[turn]
            calculate_turn(values, row, column, stride, game, boxes, best, holds)
        luck, regret, decisions = 0.0, 0.0, 0
        expected = values[row * stride + column]
        for number in range(throws):
            left, roll = throws - 1 - number, turns.rolls[turn, number]
            most = best[left, first_roll + roll]
            luck += most - expected
            decisions += 1
            if turns.kept[turn, number] < 0:
                regret += max(0.0, most - boxes[turns.boxes[turn], roll])
                break
            expected = holds[left, turns.kept[turn, number]]
            regret += max(0.0, most - expected)
        judged.luck[turn], judged.regret[turn], judged.decisions[turn] = luck, regret, decisions
