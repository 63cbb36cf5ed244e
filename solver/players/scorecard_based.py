"""Looks at the rows of the card for the one that this turn can bring most in.

The thesis has no pseudo code for it. It says that each turn the row with the best score is worked
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
from solver.players.values import ValuePlay, par
from solver.rules import YATZY

READINGS = {
    "bonus": "three or more in an upper box count the bonus as well",
    "points": "only the points of the turn",
    "share": "a point in an upper box earns its share of the bonus",
    "patient": "a box costs what a turn played for it brings on average",
    "patient-bonus": "patient, and three or more in an upper box count the bonus",
}


def make(reading: str) -> ValuePlay:
    credit = {
        "bonus": bonus_with_three(),
        "patient-bonus": bonus_with_three(),
        "share": share_of_bonus(),
    }.get(reading)
    waits = reading.startswith("patient")
    return ValuePlay(still_open(par() if waits else np.zeros(len(YATZY.categories))), credit)


def bonus_with_three() -> Floats:
    """[box, roll]: the bonus, for three or more of its face in an upper box."""
    credit = np.zeros_like(arrays.points_of(YATZY), dtype=np.float64)
    for box in YATZY.upper:
        enough = arrays.points_of(YATZY)[box] >= 3 * YATZY.categories[box].face
        credit[box, enough] = YATZY.bonus_points
    return credit


def share_of_bonus() -> Floats:
    each = YATZY.bonus_points / YATZY.bonus_threshold
    return each * arrays.upper_steps_of(YATZY).astype(np.float64)


def still_open(worth: Floats) -> Floats:
    """[card]: what the open boxes are worth together."""
    cards = np.arange(YATZY.full + 1)
    boxes = np.arange(len(YATZY.categories))
    values: Floats = (1 - (cards[:, None] >> boxes & 1)) @ worth
    return values
