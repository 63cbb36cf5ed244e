"""The interface of the published tournament, and the strict joker in every constellation."""

from typing import Any

import pytest

from solver.arena.chunks import apply_answer
from solver.arena.controller import (
    Category,
    Controller,
    Scorecard,
    TurnChoice,
    count,
    int_to_upper_category,
    make_box_enum,
    parse_action,
    sum_of,
    upper_category_to_int,
)
from solver.arena.illegal import Disqualified, Where
from solver.rules import RULESETS, YATZY, Box, Hold, Ruleset, Score, State
from solver.rules.dice import make_cup
from solver.rules.rulesets import YAHTZEE, YAHTZEE_FREE_JOKER
from tests.known import known

FIVE = make_cup(5)

FIVES = (5,) * 5


def state(
    rules: Ruleset,
    yahtzee: int | None,
    own_open: bool,
    lower_open: bool,
    dice: tuple[int, ...] = FIVES,
    throws_left: int = 0,
) -> Any:
    open_ones = {"ones", "twos"} | ({"fives"} if own_open else set())
    open_ones |= {"full_house", "large_straight", "chance"} if lower_open else set()
    boxes = [None if c.id in open_ones else Box(0, ()) for c in rules.categories]
    number = rules.index["yahtzee"]
    boxes[number] = None if yahtzee is None else Box(yahtzee, ())
    return State(rules, tuple(boxes), throws_left, dice)


def test_a_joker_in_a_box_that_the_rules_keep_from_it_disqualifies() -> None:
    # tests/solver/test_rules.py has every box that a joker may go to.
    for rules, policy_refuses in ((YAHTZEE, True), (YAHTZEE_FREE_JOKER, False)):
        now = state(rules, 50, own_open=True, lower_open=True)
        action = parse_action(TurnChoice(Category.CHANCE), rules)
        if policy_refuses:
            with pytest.raises(Disqualified, match="a joker goes into") as out:
                apply_answer(now, action, Where.from_state(0, now))
            assert known(out.value.where).turn == now.turn + 1
        else:
            after = apply_answer(now, action, Where.from_state(0, now))
            assert (known(after.boxes[12]).points, after.chips) == (25, 100)
    with pytest.raises(Disqualified, match="is filled already"):
        apply_answer(now, parse_action(TurnChoice(Category.SIXES), rules), Where.from_state(0, now))


def test_categories_are_those_of_the_source_in_its_order() -> None:
    assert [category.name for category in Category] == [
        *("ACES", "TWOS", "THREES", "FOURS", "FIVES", "SIXES"),
        *("THREE_OF_A_KIND", "FOUR_OF_A_KIND", "FULL_HOUSE", "SMALL_STRAIGHT", "LARGE_STRAIGHT"),
        *("YAHTZEE", "CHANCE"),
    ]
    assert [c.name for c in Category if c.is_upper] == [c.name for c in Category][:6]
    assert all(c.is_upper != c.is_lower for c in Category)


@pytest.mark.parametrize("rules", RULESETS.values(), ids=lambda rules: rules.id)
def test_categories_of_any_rules_score_as_the_rules_do(rules: Ruleset) -> None:
    categories = list(make_box_enum(rules))
    assert [category.id for category in categories] == [box.id for box in rules.categories]
    for dice in FIVE.rolls[::7]:
        shuffled = [dice[n] for n in (3, 0, 4, 2, 1)]
        points = [box.score(dice) for box in rules.categories]
        assert [category.score(shuffled) for category in categories] == points
        fitting = [c for c, scored in zip(categories, points, strict=True) if scored]
        assert make_box_enum(rules).matching_categories(shuffled) == fitting
        assert [c for c in categories if c.matches(dice)] == fitting


def test_rules_with_the_same_boxes_share_their_categories() -> None:
    assert make_box_enum(YAHTZEE_FREE_JOKER) is Category
    assert make_box_enum(YATZY) is not Category


def test_a_scorecard_tells_what_the_source_tells() -> None:
    now = state(YAHTZEE, 50, own_open=True, lower_open=False)
    card = Scorecard.from_state(now)
    assert card.free_categories == [Category.ACES, Category.TWOS, Category.FIVES]
    assert (card.score, card.yahtzee_bonus, card.upper_bonus, card.upper_score) == (50, 0, 0, 0)
    after = apply_answer(now, Score("fives"), Where.from_state(0, now))
    card = Scorecard.from_state(after)
    assert (card.score, card.yahtzee_bonus, card.upper_score) == (175, 100, 25)
    assert Category.FIVES not in card.free_categories


def test_the_upper_bonus_is_in_the_score_once_it_is_earned() -> None:
    boxes = [Box(3 * c.face, ()) if c.face else None for c in YAHTZEE.categories]
    card = Scorecard.from_state(State(YAHTZEE, tuple(boxes), 2, FIVES))
    assert (card.upper_score, card.upper_bonus, card.score) == (63, 35, 98)


def test_everybodys_scores_are_in_an_order_that_names_nobody() -> None:
    game = Controller(state(YAHTZEE, 50, own_open=True, lower_open=True), [200, 10])
    assert game.scores == [10, 50, 200]
    assert game.rules == YAHTZEE
    assert game.categories is Category


def test_a_choice_of_dice_holds_their_slots() -> None:
    assert parse_action(TurnChoice([0, 3]), YAHTZEE) == Hold(0b1001)
    assert parse_action(TurnChoice(()), YAHTZEE) == Hold(0)
    assert parse_action(TurnChoice(range(5)), YAHTZEE) == Hold(31)
    assert parse_action(TurnChoice(Category.ACES), YAHTZEE) == Score("ones")


@pytest.mark.parametrize(
    ("choice", "reason"),
    [
        *[([index], "no whole number") for index in (True, 1.0, "first")],
        *[([0, index], f"the die {index}: dice are 0 to 4") for index in (-1, 5)],
        ([2, 2], "the die 2 twice"),
        *[(choice, "neither a category nor indexes") for choice in ("01", 3, None)],
        (make_box_enum(YATZY).PAIR, "no category of"),
    ],
)
def test_a_choice_that_is_none_disqualifies(choice: Any, reason: str) -> None:
    with pytest.raises(Disqualified, match=reason):
        parse_action(TurnChoice(choice), YAHTZEE)


def test_the_utilities_are_those_that_the_source_names() -> None:
    assert count([1, 5, 5, 2, 5], 5) == 3
    assert sum_of([1, 5, 5, 2, 5]) == 18
    assert [int_to_upper_category(face) for face in range(1, 7)] == list(Category)[:6]
    assert [upper_category_to_int(category) for category in list(Category)[:6]] == [*range(1, 7)]
    with pytest.raises(ValueError, match="no upper category for 7"):
        int_to_upper_category(7)
    with pytest.raises(ValueError, match="CHANCE"):
        upper_category_to_int(Category.CHANCE)
