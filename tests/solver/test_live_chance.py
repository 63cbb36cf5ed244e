"""The chance to reach a total as a game stands: exact late, and early close to what is played."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solver.advice import Advisor
from solver.advice.winning import (
    MOST_OPEN,
    TooEarly,
    calculate_chance,
    estimate_chance,
    predict_card_points,
)
from solver.arena.performance import simulate
from solver.dp.arrays import Floats, find_roll_chances
from solver.players.values import ValuePlay
from solver.rules import (
    YATZY,
    Hold,
    Ruleset,
    Score,
    State,
    apply_action,
    list_legal_actions,
    start_state,
)
from solver.rules.game import apply_roll
from solver.tables import EXPLAIN, OUTLOOK, VALUES, open_table
from solver.tables.parts import make_explain, make_outlook, make_values
from tests.selection import examples
from tests.solver.made_up import FOUR_DICE_JOKER, THREE_DICE, TWO_DICE
from tests.solver.reference import ToWin

# A number of dice is compiled for itself; with a change the one with jokers and chips is tried.
SMALL = [
    FOUR_DICE_JOKER,
    pytest.param(TWO_DICE, marks=pytest.mark.nightly),
    pytest.param(THREE_DICE, marks=pytest.mark.nightly),
]
FAR = (-40, -20, 0, 20, 40)  # points from what is expected
# What the chances of 20,000 simulated games may differ by from those told, in shares of all games.
CLOSE = {"yatzy": 0.045}
LESS_CLOSE = 0.075
ODD_CARD = 0.12  # a card that no good player has: its first box is the rarest
THROWN = ((6, 6, 6, 6, 6), (3, 3, 3, 4, 5), (3, 3, 4, 4, 4))


def listed(rules: Ruleset, needed: int) -> ToWin:
    return ToWin(rules, lambda total: float(total >= needed))


@pytest.fixture(scope="module", params=SMALL, ids=lambda rules: rules.id)
def small(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Advisor:
    rules: Ruleset = request.param
    path = tmp_path_factory.mktemp("tables") / "values"
    for make in (make_values, make_outlook, make_explain):
        make(rules, path)
    beside = (open_table(rules, kind, Path(f"{path}.{kind}")) for kind in (OUTLOOK, EXPLAIN))
    return Advisor(open_table(rules, VALUES, path), rules, *beside)


def somewhere(rules: Ruleset, data: st.DataObject) -> State:
    state = start_state(rules)
    for _ in range(data.draw(st.integers(0, 3 * len(rules.categories)))):
        if state.finished:
            break
        if state.waiting:
            faces = data.draw(st.tuples(*[st.integers(1, 6)] * rules.dice))
            kept = enumerate(faces)
            held = [state.dice[at] if state.held >> at & 1 else face for at, face in kept]
            state = apply_roll(state, tuple(held))
        else:
            actions = list_legal_actions(state)
            scores = [action for action in actions if isinstance(action, Score)]
            state = apply_action(state, data.draw(st.sampled_from(scores or actions)))
            if data.draw(st.booleans()) and not state.finished and not state.waiting:
                state = apply_action(state, Hold(0))
    return state


@settings(max_examples=examples(12))
@given(data=st.data())
def test_late_it_is_what_listing_every_throw_and_decision_gives(
    small: Advisor, data: st.DataObject
) -> None:
    state = somewhere(small.rules, data)
    goal = data.draw(st.integers(0, 80))
    expected = float(state.total >= goal) if state.finished else listed(small.rules, goal).at(state)
    assert calculate_chance(small, state, goal) == pytest.approx(expected, abs=1e-12)


@settings(max_examples=examples(15))
@given(data=st.data())
def test_about_is_the_listing_where_one_box_is_open(small: Advisor, data: st.DataObject) -> None:
    """The cards after it are full, and of those everything is known."""
    rules = small.rules
    state = start_state(rules)
    while len(rules.open(state.filled)) > 1:
        faces = data.draw(st.tuples(*[st.integers(1, 6)] * rules.dice))
        state = apply_roll(apply_action(state, Hold(0)), faces)
        scores = [one for one in list_legal_actions(state) if isinstance(one, Score)]
        state = apply_action(state, data.draw(st.sampled_from(scores)))
    for goal in range(state.points, state.points + 40, 3):
        expected = listed(rules, goal).at(state)
        assert estimate_chance(small, state, goal) == pytest.approx(expected, abs=1e-12)


def test_a_throw_changes_about_what_it_was_on_average_to_nothing(small: Advisor) -> None:
    rules = small.rules
    for goal in range(0, 80, 9):
        before = estimate_chance(small, start_state(rules), goal)
        after = [
            estimate_chance(
                small, apply_roll(apply_action(start_state(rules), Hold(0)), roll), goal
            )
            or 0.0
            for roll in rules.cup.rolls
        ]
        assert find_roll_chances(rules.dice) @ after == pytest.approx(before, abs=1e-12)


def test_about_is_a_chance_and_never_higher_for_more(whole: Advisor) -> None:
    state = apply_roll(apply_action(start_state(whole.rules), Hold(0)), (6, 6, 6, 2, 1))
    told = [estimate_chance(whole, state, goal) or 0.0 for goal in range(0, 2000, 41)]
    assert np.all(np.diff(told) <= 1e-12)
    assert told[0] == pytest.approx(1.0, abs=1e-3)
    assert told[-1] == pytest.approx(0.0, abs=1e-3)


def close(rules: Ruleset) -> float:
    return CLOSE.get(rules.id, LESS_CLOSE)


def test_a_whole_game_reaches_it_as_often_as_is_told_about(whole: Advisor) -> None:
    rules = whole.rules
    played = simulate(ValuePlay(whole.values.read_all(), rules), rules, "", 20_000, seed=3)
    reached = played.counts[::-1].cumsum()[::-1] / played.games
    for points in FAR:
        goal = round(whole.value_start) + points
        told = estimate_chance(whole, start_state(rules), goal)
        assert told == pytest.approx(reached[goal], abs=close(rules)), points


def midway(rules: Ruleset, still: int) -> State:
    """Five sixes, then threes and fours in turn, until so many boxes are open."""
    state = start_state(rules)
    for turn in range(len(rules.categories) - still):
        state = apply_roll(apply_action(state, Hold(0)), THROWN[min(turn, 1 + turn % 2)])
        offers = {box: points for box, points in state.offers.items() if points}
        box = max(offers or state.offers, key=lambda one: (state.offers[one], one))
        state = apply_action(state, Score(rules.categories[box].id))
    return state


@pytest.mark.sampled("still")
@pytest.mark.parametrize("still", [8, 9])
def test_the_rest_of_a_game_reaches_it_as_often_as_is_told_about(
    whole: Advisor, still: int
) -> None:
    """Held to the exact scores of perfect play."""
    state = midway(whole.rules, still)
    card = state.filled, state.upper
    rest: Floats = predict_card_points(whole, *card, chips_won=state.chips_won)
    reached = rest[::-1].cumsum()[::-1]
    expected = whole.value(*card, chips_won=state.chips_won)
    for points in FAR:
        needed = round(expected) + points
        told = estimate_chance(whole, state, state.points + needed)
        assert told == pytest.approx(reached[needed], abs=ODD_CARD), points


def test_what_cannot_be_known_is_not_told(advisor: Advisor) -> None:
    assert (
        estimate_chance(
            Advisor(advisor.values, YATZY, None, advisor.explain), start_state(YATZY), 1
        )
        is None
    )
    assert (
        estimate_chance(Advisor(advisor.values, YATZY, advisor.outlook), start_state(YATZY), 1)
        is None
    )
    with pytest.raises(TooEarly):
        calculate_chance(advisor, midway(YATZY, MOST_OPEN + 1), 200)
    assert 0 < calculate_chance(advisor, midway(YATZY, MOST_OPEN), 200) < 1
