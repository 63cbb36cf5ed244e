"""Compiled functions that calculate how likely each decision of a player is, and how many points it
costs compared with the best decision.

``players.agent.Card`` defines the player's decisions ``holds[card, way, rolls left - 1, roll]`` and
``boxes[card, way, roll]``. ``judging`` is a ``grading.Judging``.
"""

from typing import Any

import numpy as np

from solver.dp.compiled import inlined
from solver.dp.kernels import calculate_turn
from solver.dp.space import TIE
from solver.players.card_kernels import count_choices, find_outcome, spread_chances
from solver.players.compiled import kernel


@inlined
def keep_worst(loss: float, card: int, left: int, roll: int, choice: int, worst: Any) -> None:
    """Insert a decision into ``worst`` if it loses enough points. Keep one decision per card."""
    losses, places = worst
    last = losses.shape[0] - 1
    if loss <= losses[last]:
        return
    for n in range(losses.shape[0]):
        if losses[n] > 0.0 and places[n, 0] == card:
            last = n
    if loss <= losses[last]:
        return
    while last > 0 and losses[last - 1] < loss:
        losses[last] = losses[last - 1]
        places[last] = places[last - 1]
        last -= 1
    losses[last] = loss
    places[last, 0], places[last, 1], places[last, 2], places[last, 3] = card, left, roll, choice


@inlined
def judge_holds(
    card: int,
    turn: int,
    left: int,
    weight: float,
    holds: Any,
    best: Any,
    held: Any,
    flow: Any,
    arrived: Any,
    judging: Any,
) -> float:
    """Convert the chances of rolls to chances of the player's holds. Return the points lost."""
    total, kind = 0.0, best.shape[0] - 1 - left
    stop, tally, worst = judging.dice.stop, judging.tally, judging.worst
    flow[:stop] = 0.0
    for roll in range(arrived.shape[0]):
        standing = flow[stop + roll]
        flow[stop + roll] = 0.0
        tally.made[turn, kind] += weight * standing
        count = count_choices(holds[:, left - 1, roll])
        for way in range(count if standing > 0.0 else 0):
            hold, share = holds[way, left - 1, roll], standing / count
            value = best[0, hold] if hold >= stop else held[left, hold]
            loss = max(0.0, best[left, stop + roll] - value) * share
            total += loss
            keep_worst(weight * loss, card, left, roll, hold, worst)
            if hold >= stop:
                arrived[roll] += share
            else:
                flow[hold] += share
    tally.regret[turn, kind] += weight * total
    return total


@inlined
def judge_boxes(
    card: int,
    row: int,
    turn: int,
    weight: float,
    choices: Any,
    best: Any,
    boxes: Any,
    arrived: Any,
    judging: Any,
) -> float:
    """Add the player's box for each roll to the tally, by chance. Return the points lost."""
    total, stop, tally, worst = 0.0, judging.dice.stop, judging.tally, judging.worst
    jokers, outcomes = judging.jokers, judging.outcomes
    for roll in range(arrived.shape[0]):
        count = count_choices(choices[:, roll])
        for way in range(count if arrived[roll] > 0.0 else 0):
            box, share = choices[way, roll], arrived[roll] / count
            loss = max(0.0, best[0, stop + roll] - boxes[box, roll]) * share
            points = outcomes.points[find_outcome(row, box, roll, jokers, outcomes)]
            total += loss
            keep_worst(weight * loss, card, 0, roll, box, worst)
            tally.used[turn, box] += weight * share
            tally.scored[box] += weight * share * (points > 0)
            tally.earned[box] += weight * share * points
            tally.by_box[box] += weight * loss
            if loss > 0.0:
                tally.by_best[find_first_best(boxes[:, roll])] += weight * loss
    tally.made[turn, best.shape[0] - 1] += weight * arrived.sum()
    tally.regret[turn, best.shape[0] - 1] += weight * total
    return total


@inlined
def find_first_best(values: Any) -> int:
    """Return the first index whose value is less than ``TIE`` below the largest value."""
    least, place = values.max() - TIE, 0
    while values[place] <= least:
        place += 1
    return place


@inlined
def count_filled_boxes(row: int, boxes: int) -> int:
    count = 0
    for box in range(boxes):
        count += row >> box & 1
    return count


@kernel
def judge_cards(
    rows: Any,
    columns: Any,
    weights: Any,
    first_card: int,
    all_holds: Any,
    all_boxes: Any,
    judging: Any,
    losses: Any,
) -> None:
    """Add a turn from each card to the tally. Write the turn's mean points lost to losses[card]."""
    stop, first_throw = judging.dice.stop, judging.first_throw
    rolls, throws = first_throw.shape[0], all_holds.shape[2] + 1
    boxes = np.empty((judging.outcomes.start.shape[0] - 1, rolls))
    best = np.empty((throws, stop + rolls))
    held = np.empty((throws + 1, stop + rolls))
    flow, arrived = np.empty(stop + rolls), np.empty(rolls)
    for card in range(rows.shape[0]):
        row, weight, number = rows[card], weights[card], first_card + card
        values, stride = judging.values, judging.stride
        calculate_turn(values, row, columns[card], stride, judging.game, boxes, best, held)
        turn = count_filled_boxes(row, boxes.shape[0])
        holds = all_holds[min(card, all_holds.shape[0] - 1)]
        losses[card], arrived[:], flow[stop:] = 0.0, 0.0, first_throw
        for left in range(throws - 1, 0, -1):
            losses[card] += judge_holds(
                number, turn, left, weight, holds, best, held, flow, arrived, judging
            )
            spread_chances(flow, judging.dice)
        arrived += flow[stop:]
        choices = all_boxes[card]
        losses[card] += judge_boxes(
            number, row, turn, weight, choices, best, boxes, arrived, judging
        )
