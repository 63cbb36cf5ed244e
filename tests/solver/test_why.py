"""Why one option is better than another: what each box is expected to bring, and last the bonus."""

import numpy as np
import pytest

from solver.advice import BONUS, Advisor, Position
from solver.cli.solve import explain_to
from solver.dp.arrays import points_scale
from solver.dp.space import Space
from solver.rules import RULESETS, YATZY
from solver.tables import table_path
from tests.conftest import solved

RULES = RULESETS["yahtzee-plain"]  # the smallest card: its table takes seconds


@pytest.fixture(scope="module")
def explaining():
    solved(RULES)
    explain_to(RULES, table_path(RULES), force=False, quiet=True)
    return Advisor.open(RULES)


def positions(number):
    """Cards that play can reach, with dice and throws left, at random."""
    random = np.random.default_rng(3)
    space = Space(RULES)
    cards = np.argwhere(space.reachable[: RULES.full])
    for filled, column in random.choice(cards, number).tolist():
        dice = tuple(sorted(random.integers(1, 7, 5).tolist()))
        totals = [t for t in RULES.upper_totals(filled) if space.column(t) == column]
        yield Position(RULES, filled, min(totals), dice, int(random.integers(0, 3)))


def test_the_expected_points_of_all_boxes_add_up_to_the_value(explaining):
    space = Space(RULES)
    values = explaining.values.all()
    points = (explaining.explain.all() * points_scale(RULES)).sum(axis=-1)
    difference = np.abs(points - values)[space.reachable]
    assert difference.max() < 0.01


def test_the_parts_of_a_difference_add_up_to_it_within_a_hundredth(explaining):
    for position in positions(150):
        advice = explaining.advise(position)
        for worse in advice.options[1:6]:
            parts = explaining.why(position, advice.best, worse)
            assert sum(part.points for part in parts) == pytest.approx(worse.regret, abs=0.01)


def test_a_filled_box_has_no_part_in_it(explaining):
    for position in positions(40):
        options = explaining.advise(position).options
        filled = set(RULES.ids(position.filled))
        for part in explaining.why(position, options[0], options[-1]):
            assert part.box not in filled or abs(part.points) < 1e-9


def test_giving_up_the_bonus_is_named_as_such(explaining):
    """Only sixes are open, at 45 points: three sixes make the bonus, a chance box is no help."""
    filled = RULES.full ^ RULES.mask(["sixes", "chance"])
    position = Position(RULES, filled, 45, (1, 2, 6, 6, 6), 0)
    advice = explaining.advise(position)
    parts = {p.box: p.points for p in explaining.why(position, *advice.options)}
    assert advice.best.category == "sixes"
    assert parts[BONUS] > 20


def test_without_the_table_nothing_is_said(advisor):
    plain = Advisor(advisor.values, YATZY, advisor.outlook)
    position = Position(YATZY, 0, 0, (1, 2, 3, 4, 5), 2)
    options = plain.advise(position).options
    assert plain.why(position, options[0], options[1]) is None


def test_what_a_hold_goes_for_is_as_likely_as_its_dice():
    """With one throw left, two fives and two sixes become a full house in one case of three."""
    solved(YATZY)
    advisor = Advisor.open(YATZY)
    filled = YATZY.full ^ YATZY.mask(["full_house"])
    position = Position(YATZY, filled, 0, (1, 5, 5, 6, 6), 1)
    best = advisor.advise(position).best
    assert best.dice == (5, 5, 6, 6)
    assert dict(advisor.aims(position, best)) == {"full_house": pytest.approx(1 / 3)}
