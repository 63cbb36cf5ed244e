"""Looks at the rows of the card for the one that this turn can bring most in.

The study has no pseudo code for it. It says that each turn the row with the best score is worked
out together with the chance of a higher combination, that later turns do not count, except where
a higher score of the same row is likely enough later, and in its tables three or more of a face
go into the upper box: five sixes into Sixes and not into Yatzy, three fours into Fours and not
into Full house. The published mean is 198.6, the median 203.

Every reading plays the turn for the most points on average that its rule counts:

* ``bonus``, the default: an upper box with three or more of its face counts the 50 points of the
  bonus as well, since three of each are what earns it. It repeats the printed upper boxes and
  comes closest in mean, median and shape.
* ``points``: nothing but the points of the turn. It is the player ``greedy``, and hardly ever
  reaches the bonus.
* ``share``: every point in an upper box counts 50/63 of a point more.
* ``patient``: a box costs what playing one turn for it alone brings on average, so that it waits
  for better dice where they are likely.
* ``patient-bonus``: both ``patient`` and ``bonus``.

Two other readings were tried and left out: points as a share of what the box can hold at most
(186.1), and of what a turn for it brings on average (206.3).
"""

import numpy as np

from solver.dp import arrays
from solver.dp.arrays import Floats
from solver.players.base import PlayerEntry, gettext_noop
from solver.players.rules import Choices, TextChoice, TextOption
from solver.players.values import ValuePlay, par
from solver.rules import YATZY, Ruleset

PATIENT, BONUS, SHARE = 1, 2, 4
CHOICES = Choices(
    TextOption(0, "points", gettext_noop("only the points of the turn")),
    (
        TextChoice(
            gettext_noop("a box costs nothing"),
            (
                TextOption(
                    PATIENT,
                    "patient",
                    gettext_noop("a box costs what a turn played for it brings on average"),
                ),
            ),
        ),
        TextChoice(
            gettext_noop("points in an upper box count no more than others"),
            (
                TextOption(
                    BONUS,
                    "bonus",
                    gettext_noop("three or more in an upper box count the bonus as well"),
                ),
                TextOption(
                    SHARE,
                    "share",
                    gettext_noop("a point in an upper box earns its share of the bonus"),
                ),
            ),
        ),
    ),
)


def make(rules: Ruleset, reading: str) -> ValuePlay:
    flags = CHOICES.flags(reading)
    worth = par(rules) if flags & PATIENT else np.zeros(len(rules.categories))
    credit = None
    if flags & BONUS:
        credit = bonus_with_three(rules)
    elif flags & SHARE:
        credit = share_of_bonus(rules)
    return ValuePlay(still_open(worth), rules, credit)


def bonus_with_three(rules: Ruleset) -> Floats:
    """Return [box, roll]: the bonus if the roll has at least three of an upper box's face, else
    0."""
    points = arrays.points_of(rules)
    credit = np.zeros_like(points, dtype=np.float64)
    for box in rules.upper:
        credit[box, points[box] >= 3 * rules.categories[box].face] = rules.bonus_points
    return credit


def share_of_bonus(rules: Ruleset) -> Floats:
    each = rules.bonus_points / rules.bonus_threshold
    return each * arrays.upper_steps_of(rules).astype(np.float64)


def still_open(worth: Floats) -> Floats:
    """Return [card]: the worth of its open boxes together."""
    boxes = np.arange(len(worth))
    cards = np.arange(1 << len(worth))
    values: Floats = (1 - (cards[:, None] >> boxes & 1)) @ worth
    return values


PLAYER = PlayerEntry(
    "scorecard-based",
    gettext_noop("Scorecard-based"),
    gettext_noop(
        "Aims each turn at the box that it can score most in, with the upper bonus in view."
    ),
    make,
    CHOICES.says("bonus", "points", "share", "patient", "patient-bonus"),
    rulesets=(YATZY.id,),
    taken=gettext_noop("Three or more of a face in its upper box count the bonus as well."),
    choices=CHOICES,
)
