"""Looks for the box of the card in which this turn can bring most points.

The study has no pseudo code for this player. It says that in each turn the player finds the row
with the best score, together with the chance of a higher combination. Later turns do not count,
unless a higher score in the same row is likely enough later. In the study's tables, three or more
of a face go into the upper box: five sixes into Sixes and not into Yatzy, three fours into Fours
and not into Full house. The published mean is 198.6, the median 203.

Every reading maximises the average points of the turn. Readings count these points differently:

* ``bonus``, the default: an upper box with three or more of its face also counts the 50 points of
  the bonus, because three of each face win it. This reading repeats the printed upper boxes and is
  the closest in mean, median and shape.
* ``points``: only the points of the turn. This is the player ``greedy``, which hardly ever reaches
  the bonus.
* ``share``: every point in an upper box counts 50/63 of a point more.
* ``patient``: a box costs the average points of a turn that is played only for this box, so the
  player waits for better dice if they are likely.
* ``patient-bonus``: both ``patient`` and ``bonus``.

Two other readings are not included: points as a share of the highest score in the box (186.1), and
points as a share of the average of a turn that is played for the box (206.3).
"""

import numpy as np

from solver.dp import arrays
from solver.dp.arrays import Floats
from solver.players.base import PlayerEntry, gettext_noop
from solver.players.rules import Choices, TextChoice, TextOption
from solver.players.values import ValuePlay, average_boxes
from solver.rules import YATZY, Ruleset

PATIENT, BONUS, SHARE = 1, 2, 4
CHOICES = Choices(
    TextOption(0, "points", gettext_noop("the bot counts only the points of the turn")),
    (
        TextChoice(
            gettext_noop("the bot counts no cost for filling a box"),
            (
                TextOption(
                    PATIENT,
                    "patient",
                    gettext_noop("filling a box costs the average points of a turn for that box"),
                ),
            ),
        ),
        TextChoice(
            gettext_noop("the bot counts points in an upper box like other points"),
            (
                TextOption(
                    BONUS,
                    "bonus",
                    gettext_noop(
                        "for three or more dice in an upper box, the bot also counts the bonus"
                    ),
                ),
                TextOption(
                    SHARE,
                    "share",
                    gettext_noop("each point in an upper box adds a share of the bonus"),
                ),
            ),
        ),
    ),
)


def make(rules: Ruleset, reading: str) -> ValuePlay:
    flags = CHOICES.sum_flags(reading)
    worth = average_boxes(rules) if flags & PATIENT else np.zeros(len(rules.categories))
    credit = None  # [box, roll]: points that the player adds to a score
    if flags & BONUS:
        scores = arrays.calculate_points(rules)
        credit = np.zeros_like(scores, dtype=np.float64)
        for box in rules.upper:
            enough = scores[box] >= 3 * rules.categories[box].face
            credit[box, enough] = rules.bonus_points
    elif flags & SHARE:
        points = arrays.calculate_upper_steps(rules).astype(np.float64)
        credit = rules.bonus_points / rules.bonus_threshold * points
    return ValuePlay(sum_open_boxes(worth), rules, credit)


def sum_open_boxes(worth: Floats) -> Floats:
    """Return an array [card]: the sum of ``worth[box]`` over the open boxes of each card."""
    boxes = np.arange(len(worth))
    cards = np.arange(1 << len(worth))
    values: Floats = (1 - (cards[:, None] >> boxes & 1)) @ worth
    return values


PLAYER = PlayerEntry(
    "scorecard-based",
    gettext_noop("Scorecard-based"),
    gettext_noop(
        "Aims each turn at the box in which it can score most, with the upper bonus in mind."
    ),
    make,
    CHOICES.describe("bonus", "points", "share", "patient", "patient-bonus"),
    rulesets=(YATZY.id,),
    taken=gettext_noop(
        "For three or more dice of a face in its upper box, the bot also counts the bonus."
    ),
    choices=CHOICES,
)
