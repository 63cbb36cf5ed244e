"""Holds three alike, four in a row or two pairs, and rerolls all other dice.

This program played in a published tournament of Yahtzee with forced jokers. Its author says that it
"scores nearly 200 points per game on average". The surviving listing lacks every line that is a
brace, a short statement or the end of a chain of calls. This player follows the listing line by
line and fills the gaps as follows. The means are exact, for Yahtzee with forced jokers.

* ``usableCategories`` returns the free boxes that match the dice, because nothing else fits the
  name.
* For a small straight, the player holds the four dice in a row. The earlier tests rule out others.
* Boxes are sorted by score, but the rule for equal scores is cut off. ``priority``, the default,
  prefers the highest number of ``getPriority``, as for scores (190.76). ``low-priority`` prefers
  the lowest number, as the listing does if all free boxes score 0 (189.23). ``card-order`` keeps
  the order of the card (190.72).
* For two pairs, a bare ``else`` may be missing between ``o = k`` and ``t = k``. With this ``else``
  the player holds only two pairs. Without it, as printed, it also holds a single pair: ``any-pair``
  (192.91).
* For five alike, the lower boxes are in the order of the card, or sorted by ``getPriority`` as in
  the next line (``joker-sorted``, 190.78), or sorted by their points (``joker-points``, 190.81).

``closest`` is ``any-pair`` with ``card-order`` and ``joker-points``: 192.98, the highest mean. No
reading reaches 200, so "nearly" must mean 193.
"""

from solver.dp import arrays
from solver.players.base import PlayerEntry, gettext_noop
from solver.players.rules import COUNT, NOTHING, STOP, RulePlay, find_most_common, is_open, keep
from solver.rules import Ruleset
from solver.rules.rulesets import YAHTZEE, YAHTZEE_FREE_JOKER, YAHTZEE_PLAIN

LOW_FIRST, CARD_ORDER, ONE_PAIR, JOKER_SORTED, JOKER_POINTS = 1, 2, 4, 8, 16
ALL_DICE = YAHTZEE.dice
FLAGS = {
    "priority": 0,
    "low-priority": LOW_FIRST,
    "card-order": CARD_ORDER,
    "any-pair": ONE_PAIR,
    "joker-sorted": JOKER_SORTED,
    "joker-points": JOKER_POINTS,
    "closest": CARD_ORDER | ONE_PAIR | JOKER_POINTS,
}
READINGS = {
    "priority": "of equal scores the highest number of getPriority",
    "low-priority": "of equal scores the lowest number of getPriority",
    "card-order": "with equal scores, the upper box is filled",
    "any-pair": "a single pair is held as well, as printed without else",
    "joker-sorted": "five alike into the lower box of the lowest getPriority",
    "joker-points": "five alike into the lower box that earns most",
    "closest": "any-pair, card-order and joker-points together",
}
POINTS = arrays.calculate_points(
    YAHTZEE
)  # [box, roll]; boxes are the same in all three Yahtzee rulesets
BOXES = len(YAHTZEE.categories)
UPPER = len(YAHTZEE.upper)
THREE_ALIKE, FULL_HOUSE, SMALL_STRAIGHT, LARGE_STRAIGHT, YAHTZEE_BOX = 6, 8, 9, 10, 11
PRIORITY = (2, 3, 4, 5, 6, 7, 8, 9, 10, -2, -1, -3, 1)  # [box]: result of ``getPriority``
AS_JOKER = (0, 0, 0, 0, 0, 0, 0, 0, 25, 30, 40, 0, 0)  # a joker's points in each box


def decide(reading: int, filled: int, upper: int, rolls_left: int, roll: int) -> int:
    face = find_most_common(roll)
    five_alike = COUNT[roll, face] == ALL_DICE
    full_house = POINTS[FULL_HOUSE, roll] > 0 and is_open(filled, FULL_HOUSE)
    if rolls_left:
        return STOP + roll if five_alike or full_house else hold_for(reading, filled, roll)
    if five_alike:
        return choose_five_alike_box(reading, filled, face)
    if full_house:
        return FULL_HOUSE
    best = -1  # the open box with the most points; the reading decides between equal boxes
    for box in range(BOXES):
        if is_open(filled, box):
            more = 1 if best < 0 else POINTS[box, roll] - POINTS[best, roll]
            if more == 0 and not reading & CARD_ORDER:
                more = PRIORITY[box] - PRIORITY[best]
                if reading & LOW_FIRST:
                    more = -more
            if more > 0:
                best = box
    return best


def hold_for(reading: int, filled: int, roll: int) -> int:
    """Return the hold of three alike, else of four in a row, else of pairs, else of no dice."""
    if POINTS[THREE_ALIKE, roll]:
        face = find_most_common(roll)
        return keep(NOTHING, face, COUNT[roll, face])
    large = is_open(filled, LARGE_STRAIGHT)
    if large and POINTS[LARGE_STRAIGHT, roll]:
        return STOP + roll
    hold, pairs_seen = NOTHING, 0
    if POINTS[SMALL_STRAIGHT, roll] and (large or is_open(filled, SMALL_STRAIGHT)):
        if not large:
            return STOP + roll
        lowest = 1 if COUNT[roll, 1] and COUNT[roll, 2] else 2 if COUNT[roll, 2] else 3
        for face in range(lowest, lowest + 4):
            hold = keep(hold, face, 1)
        return hold
    if not is_open(filled, FULL_HOUSE):
        return NOTHING
    for face in range(1, 7):
        if COUNT[roll, face] == 2:
            hold, pairs_seen = keep(hold, face, 2), pairs_seen + 1
    return hold if pairs_seen == 2 or reading & ONE_PAIR else NOTHING


def choose_five_alike_box(reading: int, filled: int, face: int) -> int:
    if is_open(filled, YAHTZEE_BOX):
        return YAHTZEE_BOX
    if is_open(filled, face - 1):
        return face - 1
    best = -1
    for box in range(UPPER, BOXES):
        preferred = reading & JOKER_POINTS > 0 and AS_JOKER[box] > AS_JOKER[best]
        if reading & JOKER_SORTED:
            preferred = PRIORITY[box] < PRIORITY[best]
        if is_open(filled, box) and (best < 0 or preferred):
            best = box
    if best < 0:  # only upper boxes are open
        for box in range(UPPER):
            if is_open(filled, box) and (best < 0 or PRIORITY[box] < PRIORITY[best]):
                best = box
    return best


def make(rules: Ruleset, reading: str) -> RulePlay:
    return RulePlay(rules, decide, FLAGS[reading])


PLAYER = PlayerEntry(
    "AcesAndEights",
    gettext_noop("AcesAndEights"),
    gettext_noop("Holds three equal dice, four in a row or two pairs. Otherwise rerolls all."),
    make,
    READINGS,
    rulesets=(YAHTZEE.id, YAHTZEE_FREE_JOKER.id, YAHTZEE_PLAIN.id),
    taken=gettext_noop(
        "If two boxes score the same, the bot fills the box with the higher priority. It holds "
        "two pairs, but never a single pair."
    ),
)
