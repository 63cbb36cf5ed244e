"""What a turn can end in: an open box filled with so many points.

The outcomes of a ruleset are numbered box by box, within a box from 0 points up. All of a card's
chances are kept for its open boxes alone, in that order.
"""

from functools import cache
from typing import NamedTuple

import numpy as np

from solver.dp import arrays
from solver.dp.arrays import Floats, Ints
from solver.dp.space import PREFER_LOWER_BOX, TILE
from solver.rules.dice import FIRST_ROLL
from solver.rules.rulesets import Ruleset


class Outcomes(NamedTuple):
    """The outcomes of box c are start[c]:start[c + 1]; ``step`` moves the upper total."""

    start: Ints
    points: Ints
    step: Ints
    of: Ints  # [box, roll]: the outcome


class Entries(NamedTuple):
    """``arrays.Scores`` with the outcome of every entry and the preference for lower boxes."""

    start: Ints
    target: Ints
    points: Floats
    step: Ints
    outcome: Ints


class NoFlow(ValueError):
    """These rules have jokers, which the outcomes of a turn do not know."""


@cache
def outcomes_of(rules: Ruleset) -> Outcomes:
    if rules.joker:
        raise NoFlow(f"distributions are for rules without jokers, not for {rules.title}")
    of_box = arrays.points_of(rules)
    possible = [np.unique([0, *row]) for row in of_box]
    start = np.cumsum([0, *(len(points) for points in possible)])
    upper = [bool(category.face) for category in rules.categories]
    return Outcomes(
        start=start.astype(np.int64),
        points=np.concatenate(possible),
        step=np.concatenate([row * counts for row, counts in zip(possible, upper, strict=True)]),
        of=np.array(
            [
                first + np.searchsorted(points, row)
                for first, points, row in zip(start, possible, of_box, strict=False)
            ]
        ),
    )


def entries_of(rules: Ruleset, credit: Floats | None = None) -> Entries:
    """``credit[box, roll]`` is what a player likes an entry better than its points."""
    scores, outcomes = arrays.scores_of(rules), outcomes_of(rules)
    box = np.repeat(np.arange(len(rules.categories)), np.diff(scores.start))
    roll = scores.target // TILE - FIRST_ROLL
    liked = scores.points - PREFER_LOWER_BOX * box
    if credit is not None:
        liked = liked + credit[box, roll]
    return Entries(scores.start, scores.target, liked, scores.step, outcomes.of[box, roll])


def widths(rules: Ruleset) -> Ints:
    """[filled]: how many outcomes the open boxes have."""
    sizes = np.diff(outcomes_of(rules).start)
    cards = np.arange(rules.full + 1)
    return sum(
        (sizes[n] * (~cards >> n & 1) for n in range(len(sizes))), start=np.zeros_like(cards)
    )
