"""The chance of the bonus and the spread: carried by the sweep, and by one turn in numpy."""

import numpy as np
import pytest

from solver.advice import Advisor
from solver.dp.arrays import Floats, hold_sizes
from solver.dp.space import PREFER_DIE, PREFER_LOWER_BOX
from solver.dp.turn import Turn, average_rolls, find_outlook, pad_roll_holds
from solver.rules import RULESETS
from tests.conftest import solved
from tests.known import known

SAMPLE = 40
ROUNDING = 1e-12  # values that differ by less are equal, whatever is preferred among equals


def cards(advisor: Advisor, open_boxes: int) -> list[tuple[int, int]]:
    space, random = advisor.space, np.random.default_rng(open_boxes)
    found = [
        (row, column)
        for row, column in np.argwhere(space.reachable).tolist()
        if len(space.rules.open(row & space.rules.full)) == open_boxes
    ]
    chosen = random.choice(len(found), min(SAMPLE, len(found)), replace=False)
    return [found[at] for at in chosen]


def turn_of(advisor: Advisor, row: int, column: int) -> Turn:
    filled = row & advisor.rules.full
    return advisor.turn(filled, column, chips_won=bool(row >> advisor.space.boxes))


def among_equals(liked: Floats, low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """The least and the most that choosing one of the best may bring; [candidate, roll]."""
    best = liked >= liked.max(axis=0) - ROUNDING
    least = np.where(best[..., None], low, np.inf).min(axis=0)
    return least, np.where(best[..., None], high, -np.inf).max(axis=0)


def range_of_one_step(advisor: Advisor, turn: Turn) -> tuple[Floats, Floats]:
    """Apply the rule itself: more dice, then the lower box, and any of what is left."""
    after = find_outlook(turn, known(advisor.outlook).rows).after
    liked = turn.scores - PREFER_LOWER_BOX * turn.boxes[:, None]
    low, high = among_equals(liked, after, after)
    liked = liked.max(axis=0)
    for _ in range(turn.rules.throws - 1):
        held = (average_rolls(liked, 5) + PREFER_DIE * hold_sizes(5))[pad_roll_holds(5)]
        low, high = (average_rolls(side, 5)[pad_roll_holds(5)] for side in (low, high))
        low, high = among_equals(held, low, high)
        liked = held.max(axis=0)
    return average_rolls(low, 5)[0], average_rolls(high, 5)[0]


@pytest.mark.sampled("ruleset", "open_boxes")
@pytest.mark.parametrize("ruleset", sorted(RULESETS))
@pytest.mark.parametrize("open_boxes", [1, 2, 4])
def test_the_table_follows_the_rule_for_equal_moves(ruleset: str, open_boxes: int) -> None:
    solved(RULESETS[ruleset])
    advisor = Advisor.open(RULESETS[ruleset])
    for row, column in cards(advisor, open_boxes):
        low, high = range_of_one_step(advisor, turn_of(advisor, row, column))
        stored = known(advisor.outlook).read_row(row)[column]
        slack = 1e-6 + 1e-5 * np.abs(high)
        assert (low - slack <= stored).all()
        assert (stored <= high + slack).all()


@pytest.mark.sampled("ruleset", "open_boxes")
@pytest.mark.parametrize("ruleset", sorted(RULESETS))
@pytest.mark.parametrize("open_boxes", [1, 2, 4])
def test_one_turn_in_numpy_follows_the_rule_for_equal_moves(ruleset: str, open_boxes: int) -> None:
    solved(RULESETS[ruleset])
    advisor = Advisor.open(RULESETS[ruleset])
    for row, column in cards(advisor, open_boxes):
        turn = turn_of(advisor, row, column)
        low, high = range_of_one_step(advisor, turn)
        carried = find_outlook(turn, known(advisor.outlook).rows).best(turn.rules.throws - 1)
        found = average_rolls(carried, 5)[0]
        assert (low - 1e-9 <= found).all()
        assert (found <= high + 1e-9).all()
