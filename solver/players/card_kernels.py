"""Compiled functions that use a table of decisions: a turn's outcomes, and turns of many games.

``agent.Card`` explains ``holds[card, way, rolls left - 1, roll]`` and ``boxes[card, way, roll]``.
If ``holds`` has one card, all cards share its holds. ``dice`` is the result of ``build_throws``.
"""

from typing import Any

import numpy as np

from solver.dp.compiled import inlined
from solver.players.compiled import kernel
from solver.rules.dice import FACES

LUCK_BITS = np.uint64(32)


@inlined
def count_choices(choices: Any) -> Any:
    """Return the number of equally likely choices: those before the first -1, at least one."""
    count = choices.shape[0]
    while count > 1 and choices[count - 1] < 0:
        count -= 1
    return count


@inlined
def pick_choice(choices: Any, luck: Any) -> Any:
    count = count_choices(choices)
    if count == 1:
        return choices[0]
    return choices[np.int64(np.uint64(luck) * np.uint64(count) >> LUCK_BITS)]


@inlined
def find_next_roll(hold: int, number: int, dice: Any) -> Any:
    """Return the roll after a hold, as a number. ``number`` has the new faces in base six."""
    while hold < dice.stop:
        hold = dice.more[hold, number % FACES + 1]
        number //= FACES
    return hold - dice.stop


@inlined
def find_outcome(row: int, box: int, roll: int, jokers: Any, outcomes: Any) -> Any:
    if jokers.start.shape[0] > 1:
        for entry in range(jokers.start[row], jokers.start[row + 1]):
            if jokers.roll[entry] == roll and jokers.box[entry] == box:
                return jokers.outcome[entry]
    return outcomes.by_roll[box, roll]


@inlined
def add_score(
    game: int, outcome: int, rows: Any, upper: Any, points: Any, outcomes: Any, last: int
) -> None:
    rows[game] |= outcomes.row[outcome]
    points[game] += outcomes.points[outcome]
    upper[game] = min(upper[game] + outcomes.step[outcome], last)


@inlined
def spread_chances(flow: Any, dice: Any) -> None:
    """Move the chance of each hold in ``flow`` to the rolls that can follow it, die by die."""
    for hold in range(dice.stop):
        for face in range(1, FACES + 1):
            flow[dice.more[hold, face]] += flow[hold] / FACES


@kernel
def write_last_rolls(holds: Any, first_throw: Any, dice: Any, flow: Any, arrived: Any) -> None:
    """Write to arrived[roll] the chance that the turn ends with each roll. Overwrite flow[hold]."""
    stop = dice.stop
    arrived[:] = 0.0
    flow[stop:] = first_throw
    for rolls_left in range(holds.shape[1], 0, -1):
        flow[:stop] = 0.0
        for roll in range(arrived.shape[0]):
            choices = holds[:, rolls_left - 1, roll]
            count = count_choices(choices)
            share = flow[stop + roll] / count
            flow[stop + roll] = 0.0
            for way in range(count if share > 0.0 else 0):
                if choices[way] >= stop:
                    arrived[roll] += share
                else:
                    flow[choices[way]] += share
        spread_chances(flow, dice)
    arrived += flow[stop:]


@inlined
def fill_shares(boxes: Any, arrived: Any, share: Any) -> None:
    """Write to share[roll] each roll's chance, divided by its number of equally likely boxes."""
    for roll in range(arrived.shape[0]):
        share[roll] = arrived[roll] / count_choices(boxes[:, roll])


@kernel
def write_card_outcomes(
    rows: Any,
    starts: Any,
    number: Any,
    holds: Any,
    boxes: Any,
    chance: Any,
    first_throw: Any,
    dice: Any,
    jokers: Any,
    outcomes: Any,
) -> None:
    """Write the chances of a card's outcomes to chance[starts[card]:], in the order of ``Policy``.
    ``number[card]`` is the card's index in ``holds``; cards with equal numbers are neighbours."""
    flow = np.empty(dice.stop + first_throw.shape[0])
    arrived, share = np.empty(first_throw.shape[0]), np.empty(first_throw.shape[0])
    place = np.empty(outcomes.start.shape[0] - 1, dtype=np.int64)
    for card in range(rows.shape[0]):
        row, end = rows[card], starts[card]
        for box in range(place.shape[0]):
            if not row >> box & 1:
                place[box] = end - outcomes.start[box]
                end += outcomes.start[box + 1] - outcomes.start[box]
        chance[starts[card] : end] = 0.0
        if card == 0 or number[card] != number[card - 1]:
            write_last_rolls(holds[number[card]], first_throw, dice, flow, arrived)
        fill_shares(boxes[card], arrived, share)
        for way in range(boxes.shape[1]):
            for roll in range(arrived.shape[0]):
                box = boxes[card, way, roll]
                if box >= 0:
                    outcome = find_outcome(row, box, roll, jokers, outcomes)
                    chance[place[box] + outcome] += share[roll]


@kernel
def play_card_turns(
    rows: Any,
    upper: Any,
    points: Any,
    cards: Any,
    holds: Any,
    boxes: Any,
    throws: Any,
    luck: Any,
    dice: Any,
    jokers: Any,
    outcomes: Any,
    last: int,
) -> None:
    """Play one turn of every game. cards[game] is its card's index in ``holds`` and ``boxes``."""
    for game in range(rows.shape[0]):
        card = cards[game]
        alike = min(card, holds.shape[0] - 1)
        chance = game if luck.shape[1] > 1 else 0
        roll = dice.roll_of[throws[0, game]]
        for number in range(1, throws.shape[0]):
            rolls_left = throws.shape[0] - number
            hold = pick_choice(holds[alike, :, rolls_left - 1, roll], luck[number - 1, chance])
            if hold >= dice.stop:
                break
            roll = find_next_roll(hold, throws[number, game], dice)
        box = pick_choice(boxes[card, :, roll], luck[throws.shape[0] - 1, chance])
        outcome = find_outcome(rows[game], box, roll, jokers, outcomes)
        add_score(game, outcome, rows, upper, points, outcomes, last)


@kernel
def find_next_rolls(holds: Any, throws: Any, dice: Any) -> Any:
    """Return each game's roll after its hold, as a number. throws[game] has the new faces."""
    rolls = np.empty_like(holds)
    for game in range(holds.shape[0]):
        rolls[game] = find_next_roll(holds[game], throws[game], dice)
    return rolls


@kernel
def score_all(
    rows: Any,
    upper: Any,
    points: Any,
    rolls: Any,
    boxes: Any,
    jokers: Any,
    outcomes: Any,
    last: int,
) -> None:
    """Score rolls[game] in boxes[game], and update each game's card, upper total and points."""
    for game in range(rows.shape[0]):
        outcome = find_outcome(rows[game], boxes[game], rolls[game], jokers, outcomes)
        add_score(game, outcome, rows, upper, points, outcomes, last)
