"""Plays the dice-based strategy, but aims at the upper boxes.

The study ends with a wish: a dice-based strategy that scores most in the upper boxes, without
losing points in the lower boxes, would rival the scorecard-based strategy. The study does not
explain how, so this player uses the simplest rules:

* It holds three or more of a face whose upper box is open, and scores them in this box.
* It ends the turn with a straight or a full house that can be scored.
* It holds two of a face whose upper box is open, the highest of several faces. Otherwise it holds
  the same dice as ``dice-based``.
* After a turn without three of such a face, it fills the lower box with most points or, if no lower
  box brings points, the first open box of the card.
"""

from solver.players.base import PlayerEntry, gettext_noop
from solver.players.dice_based import FULL_HOUSE, LARGE_STRAIGHT, OPEN, PRINTED, SMALL_STRAIGHT
from solver.players.dice_based import decide as decide_by_dice
from solver.players.rules import (
    BOXES,
    COUNT,
    NOTHING,
    POINTS,
    STOP,
    RulePlay,
    find_first_open,
    is_open,
    keep,
)
from solver.rules import YATZY, Ruleset

UPPER = len(YATZY.upper)


def decide(reading: int, filled: int, upper: int, rolls_left: int, roll: int) -> int:
    face, dice = 0, 2  # the most frequent face whose upper box is open, if it is on two dice
    for aimed in range(1, UPPER + 1):
        if is_open(filled, aimed - 1) and COUNT[roll, aimed] >= dice:
            face, dice = aimed, COUNT[roll, aimed]
    three = face > 0 and dice >= 3
    if rolls_left == 0:
        best, most = find_first_open(filled), 0
        for box in range(UPPER, BOXES):
            if is_open(filled, box) and POINTS[box, roll] > most:
                best, most = box, POINTS[box, roll]
        return face - 1 if three else best
    if not three:
        for box in (SMALL_STRAIGHT, LARGE_STRAIGHT, FULL_HOUSE):
            if is_open(filled, box) and POINTS[box, roll] > 0:
                return STOP + roll
    if face:
        return keep(NOTHING, face, dice)
    return decide_by_dice(OPEN | PRINTED, filled, upper, rolls_left, roll)


def make(rules: Ruleset, reading: str) -> RulePlay:
    return RulePlay(rules, decide)


PLAYER = PlayerEntry(
    "upper-first",
    gettext_noop("Upper boxes first"),
    gettext_noop("Plays like Dice-based, but aims for three of each face in the upper boxes."),
    make,
    rulesets=(YATZY.id,),
)
