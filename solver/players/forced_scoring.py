"""Fills the boxes from top to bottom. In each turn it plays only for the next box.

The study prints pseudo code for this player, and the program follows it line by line. The text is
ambiguous in six places, listed below with their options. ``study/data/readings.csv`` has the exact
figures of every combination. The published mean is 103.9, the median 101.

* Category 10 (four of a kind) has a second ``if`` where a reader expects ``else if``. As printed,
  the player reduces four alike to three: ``as-printed``. This reading is the default, because it is
  the text itself and the closest with three rolls (116.1). ``else-four`` holds all four.
* Category 13 (full house) has a second ``if``, too. As printed, the player reduces a full house to
  two pairs. ``else-house`` holds the full house.
* Category 13 does not mention dice without a pair. As printed, the player rerolls none of them,
  with ``throw-all`` all of them, and with ``keep-highest`` all but the highest. ``sensible`` is
  both elses and ``throw-all`` (120.3).
* "Save highest number" means every die of the highest face, or with ``one-die`` one die (116.2).
* "Save all" ends the turn. With ``improve`` it holds the combination and rerolls the other dice,
  which may still improve a pair. ``go-on`` is ``sensible`` with ``improve`` (120.5).
* The pseudo code runs after each of two rolls, or with ``twice`` only once per turn.
  ``one-reroll`` is ``sensible`` with ``twice`` (86.4).

No reading of the text gives the published figure. With three rolls, and if held dice may be
rerolled later, the means are between 116.1 and 120.6. With two rolls the mean is 86. If held dice
must stay and the bonus needs more than 63 points, the mean falls to 114.5. Two options without
support in the text come near: two rolls for all lower boxes (``lower-twice``, 99.6), or for two
pairs, three of a kind, straights and Yatzy (``many-twice``, 105.0). If dice also stay and the bonus
needs more than 63 points, the latter mean is 103.8, and only 0.6 % of games are in another group of
ten points than in the study's histogram.
"""

from solver.players.base import PlayerEntry, gettext_noop
from solver.players.rules import (
    COUNT,
    NOTHING,
    STOP,
    Choices,
    RulePlay,
    TextChoice,
    TextOption,
    find_first_open,
    find_highest,
    find_most_common,
    keep,
)
from solver.rules import YATZY, Ruleset

ELSE_FOUR, ELSE_HOUSE, THROW_ALL, HIGHEST_TOO, ONE_DIE, IMPROVE, TWICE, MANY_TWICE, LOWER_TWICE = (
    1 << bit for bit in range(9)
)
CHOICES = Choices(
    TextOption(0, "as-printed", gettext_noop("the bot follows every “if” of the pseudocode")),
    (
        TextChoice(
            gettext_noop("for Four of a kind, the bot holds only three of four equal dice"),
            (
                TextOption(
                    ELSE_FOUR,
                    "else-four",
                    gettext_noop("for Four of a kind, the bot holds all four equal dice"),
                ),
            ),
        ),
        TextChoice(
            gettext_noop("the bot breaks up a full house and holds two pairs"),
            (TextOption(ELSE_HOUSE, "else-house", gettext_noop("the bot holds a full house")),),
        ),
        TextChoice(
            gettext_noop("for Full house, the bot rerolls no dice if there is no pair"),
            (
                TextOption(
                    THROW_ALL,
                    "throw-all",
                    gettext_noop("for Full house, the bot rerolls all dice if there is no pair"),
                ),
                TextOption(
                    HIGHEST_TOO,
                    "keep-highest",
                    gettext_noop("for Full house, the bot holds the highest die without a pair"),
                ),
            ),
        ),
        TextChoice(
            gettext_noop("“the highest number” means every die that shows it"),
            (TextOption(ONE_DIE, "one-die", gettext_noop("“the highest number” means one die")),),
        ),
        TextChoice(
            gettext_noop("when the bot holds a combination, its turn ends"),
            (
                TextOption(
                    IMPROVE, "improve", gettext_noop("dice outside a combination are rerolled")
                ),
            ),
        ),
        TextChoice(
            gettext_noop("every turn has three rolls"),
            (
                TextOption(TWICE, "twice", gettext_noop("every turn has only two rolls")),
                TextOption(
                    LOWER_TWICE, "lower-twice", gettext_noop("a lower box gets only two rolls")
                ),
                TextOption(
                    MANY_TWICE,
                    "many-twice",
                    gettext_noop(
                        "two pairs, three of a kind, straights and Yatzy get only two rolls"
                    ),
                ),
            ),
        ),
    ),
    {
        "else-four-else-house-throw-all": "sensible",
        "else-four-else-house-throw-all-improve": "go-on",
        "else-four-else-house-throw-all-twice": "one-reroll",
    },
)
PAIR, TWO_PAIRS, THREE_ALIKE, FOUR_ALIKE, SMALL_STRAIGHT, LARGE_STRAIGHT, FULL_HOUSE, CHANCE = (
    range(6, 14)
)


def decide(reading: int, filled: int, upper: int, rolls_left: int, roll: int) -> int:
    box = find_first_open(filled)
    if rolls_left == 0:
        return box
    two_rolls = reading & TWICE > 0 or (reading & LOWER_TWICE > 0 and box >= PAIR)
    if reading & MANY_TWICE:
        two_rolls = (
            TWO_PAIRS <= box <= THREE_ALIKE
            or SMALL_STRAIGHT <= box <= LARGE_STRAIGHT
            or box > CHANCE
        )
    if rolls_left == 1 and two_rolls:
        return STOP + roll
    if box < PAIR:
        return keep(NOTHING, box + 1, COUNT[roll, box + 1])
    hold = NOTHING
    if box == CHANCE:
        for face in range(4, 7):
            hold = keep(hold, face, COUNT[roll, face])
        return hold
    if SMALL_STRAIGHT <= box <= LARGE_STRAIGHT:
        lowest = box - SMALL_STRAIGHT + 1
        for face in range(lowest, lowest + 5):
            hold = keep(hold, face, min(COUNT[roll, face], 1))
        return hold
    return hold_for_lower_box(reading, box, roll)


def hold_for_lower_box(reading: int, box: int, roll: int) -> int:
    """Return the hold for any lower box except straights and Chance."""
    pair = find_highest_pair(roll, 0)
    if box == PAIR:
        if pair <= 3:
            return save_highest(reading, roll)
        return keep(NOTHING, pair, 2) if reading & IMPROVE else STOP + roll
    if box == TWO_PAIRS:
        if pair and find_highest_pair(roll, pair):
            return STOP + roll
        if pair:
            return hold_pair_and_highest(roll, pair)
        first = find_highest(roll, 0)
        return keep(keep(NOTHING, first, 1), find_highest(roll, first), 1)
    if box == FULL_HOUSE:
        return hold_full_house(reading, roll)
    # Hold two or more equal dice, or dice of the highest face.
    wanted = 3 if box == THREE_ALIKE else 4 if box == FOUR_ALIKE else 5
    face = find_most_common(roll)
    count = COUNT[roll, face]
    if count >= wanted:
        if wanted == 4 and not reading & ELSE_FOUR:
            return keep(NOTHING, face, 3)
        return keep(NOTHING, face, wanted) if reading & IMPROVE else STOP + roll
    return keep(NOTHING, face, count) if count >= 2 else save_highest(reading, roll)


def hold_full_house(reading: int, roll: int) -> int:
    face = find_most_common(roll)
    count = COUNT[roll, face]
    if count == 1 and reading & HIGHEST_TOO:
        return keep(NOTHING, find_highest(roll, 0), 1)
    if count == 1:
        return NOTHING if reading & THROW_ALL else STOP + roll
    second = find_highest_pair(roll, face)
    if second:
        if count == 3 and reading & ELSE_HOUSE:
            return STOP + roll
        return keep(keep(NOTHING, face, 2), second, 2)
    if count == 2 or not reading & ELSE_HOUSE:
        return hold_pair_and_highest(roll, face)
    return keep(keep(NOTHING, face, 3), find_highest(roll, face), 1)


def hold_pair_and_highest(roll: int, face: int) -> int:
    """Return the hold of a pair and the highest other die. Of five equal dice, hold only a pair."""
    other = find_highest(roll, face)
    return keep(keep(NOTHING, face, 2), other, 1 if other else 0)


def save_highest(reading: int, roll: int) -> int:
    face = find_highest(roll, 0)
    return keep(NOTHING, face, 1 if reading & ONE_DIE else COUNT[roll, face])


def find_highest_pair(roll: int, other_than: int) -> int:
    for face in range(6, 0, -1):
        if COUNT[roll, face] >= 2 and face != other_than:
            return face
    return 0


def make(rules: Ruleset, reading: str) -> RulePlay:
    return RulePlay(rules, decide, CHOICES.sum_flags(reading))


PLAYER = PlayerEntry(
    "forced-scoring",
    gettext_noop("Forced scoring"),
    gettext_noop("Fills the card from top to bottom, and aims each turn only at the next box."),
    make,
    CHOICES.describe("as-printed", "sensible", "one-die", "go-on", "one-reroll"),
    rulesets=(YATZY.id,),
    taken=gettext_noop("The bot follows every step of the printed pseudocode."),
    choices=CHOICES,
)
