from collections.abc import Sequence
from dataclasses import fields, replace
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solver.rules import (
    RULESETS,
    YATZY,
    Action,
    Block,
    Category,
    Hold,
    IllegalAction,
    Joker,
    Ruleset,
    Score,
    State,
    UnknownRuleset,
    apply_action,
    apply_roll,
    find_ruleset,
    list_legal_actions,
    play,
    replay,
    start_state,
)
from solver.rules.dice import Dice, find_probability, list_holds, make_cup
from tests.known import known
from tests.solver.reference import outcomes

FIVE = make_cup(5)

faces = st.integers(1, 6)
rolls = st.tuples(faces, faces, faces, faces, faces)
blocks = st.lists(st.lists(rolls, min_size=3, max_size=3), min_size=15, max_size=15)
YAHTZEE = RULESETS["yahtzee"]
Move = Dice | Action


def score(category: str, *dice: int) -> int:
    return YATZY.categories[YATZY.index[category]].score(dice)


def test_there_are_252_rolls_and_462_holds() -> None:
    assert len(FIVE.rolls) == 252
    assert len(FIVE.holds) == 462
    assert len(set(FIVE.holds)) == 462


def test_probabilities_are_those_of_listing_every_order() -> None:
    assert {roll: pytest.approx(find_probability(roll)) for roll in FIVE.rolls} == dict(outcomes(5))


@given(rolls)
def test_subsets_are_every_distinct_hold_most_dice_first(roll: Dice) -> None:
    holds = list_holds(roll)
    sizes = [len(hold) for hold in holds]
    assert sizes == sorted(sizes, reverse=True)
    slots = {Hold(mask).kept(roll) for mask in range(32)}
    assert set(holds) == slots
    assert len(holds) == len(slots)


@pytest.mark.parametrize(
    ("category", "dice", "points"),
    [
        ("ones", (1, 1, 2, 3, 1), 3),
        ("sixes", (1, 1, 2, 3, 1), 0),
        ("pair", (6, 5, 6, 5, 5), 12),
        ("pair", (1, 2, 3, 4, 5), 0),
        ("two_pairs", (2, 2, 3, 6, 6), 16),
        ("two_pairs", (4, 4, 4, 4, 1), 0),
        ("two_pairs", (5, 5, 5, 6, 6), 22),
        ("three_of_a_kind", (3, 3, 3, 3, 1), 9),
        ("four_of_a_kind", (3, 3, 3, 3, 3), 12),
        ("small_straight", (5, 4, 3, 2, 1), 15),
        ("small_straight", (2, 3, 4, 5, 6), 0),
        ("large_straight", (6, 2, 5, 3, 4), 20),
        ("full_house", (2, 2, 5, 5, 5), 19),
        ("full_house", (5, 5, 5, 5, 5), 0),
        ("chance", (1, 2, 3, 4, 6), 16),
        ("yatzy", (1, 1, 1, 1, 1), 50),
        ("yatzy", (1, 1, 1, 1, 2), 0),
    ],
)
def test_a_box_scores_only_the_dice_of_its_combination(
    category: str, dice: Dice, points: int
) -> None:
    assert score(category, *dice) == points


def test_the_highest_card_scores_374() -> None:
    best = {c.id: max(c.score(roll) for roll in FIVE.rolls) for c in YATZY.categories}
    assert sum(best.values()) + YATZY.bonus(105) == 374


def test_the_bonus_comes_at_63_not_above_it() -> None:
    assert (YATZY.bonus(62), YATZY.bonus(63)) == (0, 50)


def test_every_ruleset_has_a_hash_of_its_own_that_ignores_its_title() -> None:
    assert len({rules.hash for rules in RULESETS.values()}) == len(RULESETS)
    retitled = replace(YATZY, title="Maxi")
    assert retitled.hash == YATZY.hash
    assert replace(YATZY, bonus_points=35).hash != YATZY.hash
    with pytest.raises(UnknownRuleset, match="known: yatzy"):
        find_ruleset("kniffel")


def test_rulesets_from_before_dice_were_theirs_are_what_they_were() -> None:
    """Tables and registered studies name them by it."""
    assert YATZY.hash.startswith("2942580ea73d59bf")
    assert RULESETS["yahtzee"].hash.startswith("067e3e22cba88e2a")
    assert replace(YATZY, dice=5, stock=0).hash == YATZY.hash


OTHERS: dict[str, Any] = {
    "id": "other",
    "categories": YATZY.categories[:-1],
    "bonus_threshold": 64,
    "bonus_points": 51,
    "throws": 4,
    "joker": Joker("yatzy", "free", 100),
    "dice": 6,
    "stock": 1,
}
OTHER_CATEGORIES: dict[str, Any] = {
    "id": "other",
    "pattern": "other",
    "size": 9,
    "points": 99,
    "counts_every_die": True,
    "joker_points": 99,
}
OTHER_JOKERS: dict[str, Any] = {"box": "chance", "policy": "forced", "chip": 99}


def test_every_field_of_a_ruleset_changes_its_hash() -> None:
    assert set(OTHERS) | {"title"} == {field.name for field in fields(Ruleset)}
    for name, value in OTHERS.items():
        assert replace(YATZY, **{name: value}).hash != YATZY.hash, name


def test_every_field_of_a_category_and_of_a_joker_changes_the_hash() -> None:
    assert set(OTHER_CATEGORIES) == {field.name for field in fields(Category)}
    assert set(OTHER_JOKERS) == {field.name for field in fields(Joker)}
    first, *rest = YATZY.categories
    for name, value in OTHER_CATEGORIES.items():
        changed = (replace(first, **{name: value}), *rest)
        assert replace(YATZY, categories=changed).hash != YATZY.hash, name
    free = RULESETS["yahtzee-free-joker"]
    for name, value in OTHER_JOKERS.items():
        assert replace(free, joker=replace(known(free.joker), **{name: value})).hash != free.hash, (
            name
        )


@pytest.mark.sampled("rules")
@pytest.mark.parametrize("rules", RULESETS.values(), ids=lambda rules: rules.id)
@given(data=st.data())
def test_any_legal_game_ends_with_a_total_that_is_the_sum_of_its_card(
    rules: Ruleset, data: st.DataObject
) -> None:
    state = start_state(rules)
    throws = 0
    while not state.finished:
        action = data.draw(st.sampled_from(list_legal_actions(state)))
        before = state
        state = apply_action(state, action)
        if state.waiting:
            assert isinstance(action, Hold)
            throws += 1
            state = apply_roll(state, data.draw(rolls))
            kept = [n for n in range(5) if before.dice and action.slots >> n & 1]
            assert [state.dice[n] for n in kept] == [before.dice[n] for n in kept]
        else:
            throws = 0
        assert throws <= rules.throws
    assert list_legal_actions(state) == ()
    assert state.total == sum(known(box).points for box in state.boxes) + state.chips + state.bonus
    assert state.upper == sum(known(state.boxes[n]).points for n in rules.upper)
    assert state.upper in rules.list_upper_totals(state.filled)


@given(blocks, st.data())
def test_replaying_the_actions_over_the_same_block_gives_the_same_state(
    block: Block, data: st.DataObject
) -> None:
    state = start_state(YATZY)
    actions: list[Action] = []
    while not state.finished:
        actions.append(data.draw(st.sampled_from(list_legal_actions(state))))
        state = play(state, actions[-1], block)
    assert replay(YATZY, block, actions) == state
    for box in state.boxes:
        assert len(known(box).dice) == 5


def after(*moves: Move) -> State:
    state = start_state(YATZY)
    for move in moves:
        state = apply_roll(state, move) if isinstance(move, tuple) else apply_action(state, move)
    return state


@pytest.mark.parametrize(
    ("moves", "action", "reason"),
    [
        ([], Score("ones"), "throw the dice first"),
        ([], Hold(1), "no dice to hold"),
        ([Hold(0)], Hold(0), "the throw is still to come"),
        ([Hold(0), (1, 2, 3, 4, 5)], Hold(32), "from 0 to 31"),
        ([Hold(0), (1, 2, 3, 4, 5)], Hold(-1), "from 0 to 31"),
        ([Hold(0), (1, 2, 3, 4, 5)], Score("kings"), "no box 'kings'"),
        (
            [Hold(0), (1, 2, 3, 4, 5), Score("ones"), Hold(0), (1, 2, 3, 4, 5)],
            Score("ones"),
            "filled already",
        ),
        (
            [Hold(0), (1, 2, 3, 4, 5), Hold(0), (1, 2, 3, 4, 5), Hold(0), (1, 2, 3, 4, 5)],
            Hold(0),
            "no throw is left",
        ),
    ],
)
def test_an_illegal_action_is_refused_with_the_reason(
    moves: Sequence[Move], action: Action, reason: str
) -> None:
    with pytest.raises(IllegalAction, match=reason):
        apply_action(after(*moves), action)


def test_a_throw_is_refused_when_none_is_due_or_it_is_none() -> None:
    with pytest.raises(IllegalAction, match="no throw is due"):
        apply_roll(start_state(YATZY), (1, 2, 3, 4, 5))
    for faces in [(1, 2, 3, 4), (1, 2, 3, 4, 7), (0, 2, 3, 4, 5)]:
        with pytest.raises(IllegalAction, match="5 faces"):
            apply_roll(after(Hold(0)), faces)


NATURAL = {"fives": 25, "three_of_a_kind": 25, "four_of_a_kind": 25, "chance": 25, "yahtzee": 50}
AS_JOKER = NATURAL | {"full_house": 25, "small_straight": 30, "large_straight": 40}
LOWER = ("full_house", "large_straight", "chance")


def allowed(policy: str, yahtzee: int | None, own_open: bool, lower_open: bool) -> dict[str, int]:
    upper = {"ones": 0, "twos": 0} | ({"fives": 25} if own_open else {})
    lower = LOWER if lower_open else ()
    if yahtzee is None:  # the box is open: nothing is a joker, and nothing must be chosen
        return {**upper, **{box: NATURAL.get(box, 0) for box in lower}, "yahtzee": 50}
    if policy == "free":
        scores = NATURAL if own_open else AS_JOKER
        return {**upper, **{box: scores.get(box, 0) for box in lower}}
    if own_open:
        return {"fives": 25}
    return {box: AS_JOKER[box] for box in lower} or {"ones": 0, "twos": 0}


@pytest.mark.parametrize(("own_open", "lower_open"), list(product((True, False), repeat=2)))
@pytest.mark.parametrize("yahtzee", [None, 0, 50])
@pytest.mark.parametrize("ruleset", ["yahtzee", "yahtzee-free-joker"])
def test_a_joker_goes_where_the_printed_rules_say(
    ruleset: str, yahtzee: int | None, own_open: bool, lower_open: bool
) -> None:
    rules = RULESETS[ruleset]
    # Two upper boxes are open in every case, so that there is somewhere to go.
    open_boxes = {"ones", "twos", *(["fives"] if own_open else []), *(LOWER if lower_open else ())}
    open_boxes |= {"yahtzee"} if yahtzee is None else set()
    options = rules.score_options(rules.full ^ rules.make_mask(open_boxes), yahtzee == 50, (5,) * 5)
    points = {rules.categories[option.category].id: option.points for option in options}
    assert points == allowed(known(rules.joker).policy, yahtzee, own_open, lower_open)
    assert {option.chip for option in options} == {100 if yahtzee == 50 else 0}
