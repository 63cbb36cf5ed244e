"""Players that decide by rules, compiled: what a card leads to, and whole turns of many games.

``decide`` answers for every such player: with throws left the hold, ``STOP + roll`` ending the
turn, and without any the box. ``ways`` says between how many equally likely answers a player
chooses at random, and ``way`` which of them it is; the others have one.
"""

from typing import Any

import numpy as np

from solver.players import dice_based, forced_scoring, random
from solver.players.compiled import inlined, kernel
from solver.players.rules import DICE_BASED, FORCED_SCORING, RANDOM
from solver.players.tables import MORE, POINTS, ROLL_OF, SIZE, STOP

LUCK_BITS = np.uint64(32)

_dice_based = inlined(dice_based.decide)
_forced_scoring = inlined(forced_scoring.decide)
_random = inlined(random.decide)
_random_ways = inlined(random.ways)


@kernel
def decide(
    player: int, reading: int, filled: int, upper: int, rolls_left: int, roll: int, way: int
) -> Any:
    if player == DICE_BASED:
        return _dice_based(reading, filled, upper, rolls_left, roll, way)
    if player == FORCED_SCORING:
        return _forced_scoring(reading, filled, upper, rolls_left, roll, way)
    return _random(reading, filled, upper, rolls_left, roll, way)


@kernel
def ways(player: int, filled: int, rolls_left: int) -> int:
    return _random_ways(filled, rolls_left) if player == RANDOM else 1


@kernel
def last_rolls(
    player: int, reading: int, card: int, first_throw: Any, flow: Any, arrived: Any
) -> None:
    """arrived[roll]: the chance to score this roll. ``flow`` has room for every hold."""
    arrived[:] = 0.0
    flow[STOP:] = first_throw
    for rolls_left in (2, 1):
        flow[:STOP] = 0.0
        choices = ways(player, card, rolls_left)
        for roll in range(arrived.shape[0]):
            share = flow[STOP + roll] / choices
            flow[STOP + roll] = 0.0
            for way in range(choices if share > 0.0 else 0):
                hold = decide(player, reading, card, 0, rolls_left, roll, way)
                if hold >= STOP:
                    arrived[roll] += share
                else:
                    flow[hold] += share
        for hold in range(STOP):
            for face in range(1, 7):
                flow[MORE[hold, face]] += flow[hold] / 6.0
    arrived += flow[STOP:]


@kernel
def rule_outcomes(
    player: int,
    reading: int,
    rows: Any,
    index: Any,
    chance_start: Any,
    chance: Any,
    first_throw: Any,
    outcomes: Any,
) -> None:
    """``Policy.outcomes`` of a player that does not look at the upper total."""
    flow = np.empty(STOP + first_throw.shape[0])
    arrived = np.empty(first_throw.shape[0])
    boxes = outcomes.start.shape[0] - 1
    place = np.empty(boxes, dtype=np.int64)
    known = False
    for row in rows:
        end = chance_start[index[row].max()]
        start = end
        for box in range(boxes):
            if not row >> box & 1:
                place[box] = end - outcomes.start[box]
                end += outcomes.start[box + 1] - outcomes.start[box]
        chance[start:end] = 0.0
        if player != RANDOM or not known:  # what random keeps has nothing to do with the card
            last_rolls(player, reading, row, first_throw, flow, arrived)
            known = True
        scored = ways(player, row, 0)
        for roll in range(arrived.shape[0]):
            for way in range(scored):
                box = decide(player, reading, row, 0, 0, roll, way)
                chance[place[box] + outcomes.of[box, roll]] += arrived[roll] / scored


@kernel
def thrown(hold: int, number: int) -> int:
    """The roll that a hold becomes when the missing dice are the digits of the number."""
    for _ in range(5 - SIZE[hold]):
        hold = MORE[hold, number % 6 + 1]
        number //= 6
    return hold - STOP


@kernel
def rule_turns(
    player: int,
    reading: int,
    filled: Any,
    upper: Any,
    points: Any,
    throws: Any,
    luck: Any,
    last: int,
) -> None:
    """One turn of every game. throws[n, game] are five dice each, luck[n, game] choose the way."""
    for game in range(filled.shape[0]):
        card, column = filled[game], upper[game]
        roll = ROLL_OF[throws[0, game]]
        for rolls_left in (2, 1):
            way = chosen(luck, 2 - rolls_left, game, ways(player, card, rolls_left))
            hold = decide(player, reading, card, column, rolls_left, roll, way)
            if hold >= STOP:
                break
            roll = thrown(hold, throws[3 - rolls_left, game])
        way = chosen(luck, 2, game, ways(player, card, 0))
        box = decide(player, reading, card, column, 0, roll, way)
        gained = POINTS[box, roll]
        points[game] += gained
        filled[game] = card | 1 << box
        if box < 6:
            upper[game] = min(column + gained, last)


@kernel
def chosen(luck: Any, number: int, game: int, choices: int) -> Any:
    if choices == 1:
        return 0
    return np.int64(np.uint64(luck[number, game]) * np.uint64(choices) >> LUCK_BITS)


@kernel
def fill_card(player: int, reading: int, filled: int, upper: int, holds: Any, boxes: Any) -> None:
    """holds[way, rolls left - 1, roll] and boxes[way, roll] of one card."""
    for roll in range(boxes.shape[1]):
        for way in range(holds.shape[0]):
            for rolls_left in (1, 2):
                holds[way, rolls_left - 1, roll] = decide(
                    player, reading, filled, upper, rolls_left, roll, way
                )
        for way in range(boxes.shape[0]):
            boxes[way, roll] = decide(player, reading, filled, upper, 0, roll, way)
