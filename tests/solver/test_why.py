"""Why one option is better than another: what each box is expected to bring, and last the bonus."""

from random import Random

import numpy as np
import pytest

from solver.advice import BONUS, CHIPS, NO_POINTS, Advisor, Position
from solver.cli.solve import write_explain_table
from solver.dp.arrays import Floats, calculate_scale, hold_sizes
from solver.dp.space import PREFER_DIE, Space
from solver.dp.turn import average_rolls, pad_roll_holds
from solver.rules import RULESETS, YATZY, Ruleset
from solver.rules.dice import make_cup
from solver.tables import find_table_path
from tests.conftest import solved
from tests.endings import ends_of
from tests.known import known
from tests.solver.test_advising import random_position

FIVE = make_cup(5)

RULES = RULESETS["yahtzee-plain"]  # the smallest card: its table takes seconds


FREE_JOKER = pytest.param("yahtzee-free-joker", marks=pytest.mark.nightly)


@pytest.fixture(scope="module", params=["yahtzee-plain", "yahtzee", FREE_JOKER])
def explaining(request: pytest.FixtureRequest) -> Advisor:
    rules = RULESETS[request.param]
    solved(rules)
    write_explain_table(rules, find_table_path(rules), force=False, quiet=True)
    return Advisor.open(rules)


def positions(rules: Ruleset, number: int) -> list[Position]:
    random = Random(3)
    return [random_position(rules, random) for _ in range(number)]


def expected(explaining: Advisor) -> Floats:
    points: Floats = known(explaining.explain).read_all() * calculate_scale(explaining.rules)
    return points


def chips_of(explaining: Advisor) -> Floats:
    chips: Floats = explaining.values.read_all() - expected(explaining).sum(axis=-1)
    return chips


def test_the_expected_points_of_all_boxes_add_up_to_the_value(explaining: Advisor) -> None:
    reachable = Space(explaining.rules).reachable
    if explaining.rules.joker is None:
        assert np.abs(chips_of(explaining))[reachable].max() < 0.01
    else:
        assert chips_of(explaining)[reachable].min() > -0.01


def test_chips_are_expected_where_they_can_still_be_won_and_nowhere_else(
    explaining: Advisor,
) -> None:
    rules, space = explaining.rules, Space(explaining.rules)
    if rules.joker is None:
        return
    chips, rows = chips_of(explaining), np.arange(space.rows)
    box_filled = rows >> rules.index[rules.joker.box] & 1 == 1
    over, won = rows & rules.full == rules.full, rows >> space.boxes == 1
    lost = (box_filled & ~won | over)[:, None] & space.reachable
    assert np.abs(chips[lost]).max() < 0.01
    assert chips[(won & ~over)[:, None] & space.reachable].min() > 0.5


def test_the_chips_of_a_last_turn_are_a_hundred_for_every_joker(explaining: Advisor) -> None:
    """Only chance is open and chips are won: how likely are five equal dice?"""
    rules = explaining.rules
    if rules.joker is None:
        return
    filled = rules.full ^ rules.make_mask(["chance"])
    row = Space(rules).find_row(filled, chips_won=True)
    turn = explaining.turn(filled, 0, chips_won=True)
    jokers = np.array([float(len(set(roll)) == 1) for roll in FIVE.holds[FIVE.first_roll :]])
    chance = jokers
    for left in range(1, rules.throws):
        kept = pad_roll_holds(5)
        best = (turn.holds(left) + PREFER_DIE * hold_sizes(5))[kept].argmax(axis=0)
        chance = average_rolls(chance, 5)[kept[best, np.arange(kept.shape[1])]]
    likely = float(average_rolls(chance, 5)[0])
    assert chips_of(explaining)[row, 0] == pytest.approx(100 * likely, abs=0.01)


@pytest.mark.sampled("explaining")
def test_the_parts_of_a_difference_add_up_to_it_within_a_hundredth(explaining: Advisor) -> None:
    for position in positions(explaining.rules, 150):
        advice = explaining.advise(position)
        for worse in advice.options[1:6]:
            parts = known(explaining.why(position, advice.best, worse))
            assert sum(part.points for part in parts) == pytest.approx(worse.regret, abs=0.01)


def test_a_filled_box_has_no_part_in_it(explaining: Advisor) -> None:
    for position in positions(explaining.rules, 40):
        options = explaining.advise(position).options
        filled = set(explaining.rules.ids(position.filled))
        for part in known(explaining.why(position, options[0], options[-1])):
            assert part.box not in filled or abs(part.points) < 1e-9


def test_chips_are_a_part_of_their_own_where_the_rules_have_them(explaining: Advisor) -> None:
    """A joker that is thrown away costs its chip, and the box keeps its points to itself."""
    rules = explaining.rules
    filled = rules.make_mask(["yahtzee", "fours"])
    won = rules.joker is not None
    position = Position(rules, filled, 12, (4, 4, 4, 4, 4), 1, won)
    options = explaining.advise(position).options
    box = next(one for one in options if one.category == "full_house")
    rest = next(one for one in options if one.action == "hold" and not one.dice)
    parts = {part.box: part.points for part in known(explaining.why(position, box, rest))}
    assert (CHIPS in parts) == won
    if won:
        assert parts[CHIPS] == pytest.approx(100, abs=5)
        assert 0 < parts["full_house"] <= 25


def plain() -> Advisor:
    solved(RULES)
    write_explain_table(RULES, find_table_path(RULES), force=False, quiet=True)
    return Advisor.open(RULES)


def test_giving_up_the_bonus_is_named_as_such() -> None:
    """Only sixes are open, at 45 points: three sixes make the bonus, a chance box is no help."""
    filled = RULES.full ^ RULES.make_mask(["sixes", "chance"])
    position = Position(RULES, filled, 45, (1, 2, 6, 6, 6), 0)
    explaining = plain()
    advice = explaining.advise(position)
    parts = {p.box: p.points for p in known(explaining.why(position, *advice.options))}
    assert advice.best.category == "sixes"
    assert parts[BONUS] > 20


def test_without_the_table_nothing_is_said(advisor: Advisor) -> None:
    plain = Advisor(advisor.values, YATZY, advisor.outlook)
    position = Position(YATZY, 0, 0, (1, 2, 3, 4, 5), 2)
    options = plain.advise(position).options
    assert plain.why(position, options[0], options[1]) is None


def test_what_a_hold_ends_in_is_what_every_end_of_the_turn_adds_up_to(any_advisor: Advisor) -> None:
    """Followed forwards, against chances and values that are carried back from every end."""
    rules, random = any_advisor.rules, Random(3)
    for _position in range(60):
        filled = random.randrange(rules.full)
        upper = random.choice(sorted(rules.list_upper_totals(filled)))
        dice = tuple(sorted(random.randint(1, 6) for _ in range(5)))
        position = Position(rules, filled, upper, dice, random.choice((1, 2)))
        holds = [one for one in any_advisor.advise(position).options if one.action == "hold"]
        for hold in random.sample(holds, min(3, len(holds))):
            ended = {end.box: end for end in any_advisor.list_endings(position, hold)}
            assert sum(end.chance for end in ended.values()) == pytest.approx(1.0)
            value = sum(end.chance * end.value for end in ended.values())
            assert value == pytest.approx(hold.value, abs=1e-9)
            ended.pop(NO_POINTS, None)
            slow = ends_of(any_advisor, position, hold)
            assert ended.keys() == slow.keys()
            for box, end in ended.items():
                assert end.chance == pytest.approx(slow[box].chance)
                assert end.value == pytest.approx(slow[box].value)
