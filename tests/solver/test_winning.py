"""Play to win, held to a recursion over every throw, and play for points to its exact scores."""

import json
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solver.advice import Advisor, BadPosition, Position
from solver.advice.winning import (
    MOST_OPEN,
    Payoff,
    TooEarly,
    find_chances,
    make_duel_payoff,
    make_target_payoff,
    predict_card_points,
    predict_points,
    predict_totals,
)
from solver.advice.winning.endgame import Endgame
from solver.cli.solve import solve_to
from solver.dp.arrays import Floats
from solver.rules import (
    RULESETS,
    YATZY,
    Hold,
    Ruleset,
    Score,
    State,
    apply_action,
    play,
    start_state,
)
from solver.rules.dice import Dice, make_cup
from solver.tables import open_table
from tests.conftest import solved
from tests.selection import examples
from tests.solver.conftest import Run
from tests.solver.reference import CardState, Choice, Followed, ToWin, outcomes
from tests.solver.test_advice import positions
from tests.solver.test_solver import tiny_joker_rulesets, tiny_rulesets

FIVE = make_cup(5)

EVERY = pytest.mark.parametrize("ruleset", sorted(RULESETS))


def start_of(rules: Ruleset, payoff: Payoff, card: CardState) -> Floats:
    filled, upper, chips_won = card
    endgame = Endgame(rules, filled, upper, payoff, chips_won=chips_won)
    return endgame.turn.best(rules.throws - 1)


def agrees(rules: Ruleset, payoff: Payoff, card: CardState, rolls: list[Dice]) -> None:
    slow = ToWin(rules, payoff.of)
    best = start_of(rules, payoff, card)
    for dice in rolls:
        expected = slow.best(dice, rules.throws - 1, 0, *card)
        assert best[FIVE.roll_index[dice]] == pytest.approx(expected, abs=1e-12)


rolls = st.lists(st.integers(1, 6), min_size=5, max_size=5).map(lambda dice: tuple(sorted(dice)))


@st.composite
def payoffs(draw: st.DrawFn, most: int = 200) -> Payoff:
    """All or nothing, or to beat somebody."""
    target = draw(st.integers(0, most))
    if draw(st.booleans()):
        return make_target_payoff(target)
    weights = draw(st.lists(st.integers(0, 5), min_size=1, max_size=most))
    weights[-1] += 1
    return make_duel_payoff(np.array(weights) / sum(weights))


@settings(max_examples=examples(25))
@given(rules=st.one_of(tiny_rulesets(), tiny_joker_rulesets()), data=st.data())
def test_chances_are_what_the_definition_says_on_small_cards(
    rules: Ruleset, data: st.DataObject
) -> None:
    payoff = data.draw(payoffs(most=120))
    agrees(rules, payoff, (0, 0, False), [data.draw(rolls)])


def late(rules: Ruleset, data: st.DataObject, most: int) -> Position:
    position = data.draw(positions(rules))
    still = rules.open(position.filled)[-most:]
    filled = rules.full ^ sum(1 << number for number in still)
    upper = data.draw(st.sampled_from(sorted(rules.list_upper_totals(filled))))
    joker = rules.joker
    won = bool(joker and filled >> rules.index[joker.box] & 1 and data.draw(st.booleans()))
    return Position(rules, filled, upper, position.dice, position.rolls_left, won)


@pytest.mark.sampled("ruleset")
@EVERY
@settings(max_examples=examples(8))
@given(data=st.data())
def test_whom_every_point_is_worth_as_much_plays_for_points(
    ruleset: str, data: st.DataObject
) -> None:
    """A payoff that is the points themselves is V: every cell of five open boxes is in it."""
    solved(RULESETS[ruleset])
    coach = Advisor.open(RULESETS[ruleset])
    position = late(coach.rules, data, most=5)
    found = find_chances(coach, position, Payoff(np.arange(2000.0)))
    assert found.chance == pytest.approx(coach.best(position).value, abs=1e-9)
    for choice in found.choices:
        assert choice.chance == pytest.approx(choice.option.value, abs=1e-9)
    assert found.for_points == pytest.approx(found.chance, abs=1e-9)
    assert not found.differs


@pytest.mark.sampled("ruleset")
@EVERY
@settings(max_examples=3)
@given(data=st.data())
def test_a_higher_target_is_never_likelier_and_play_to_win_never_worse(
    ruleset: str, data: st.DataObject
) -> None:
    solved(RULESETS[ruleset])
    coach = Advisor.open(RULESETS[ruleset])
    position = late(coach.rules, data, most=2)
    rest = predict_points(coach, position)
    reach = rest[::-1].cumsum()[::-1]
    targets = range(min(len(rest), 60))  # chips go on for long, and each target takes its time
    found = [find_chances(coach, position, make_target_payoff(points)) for points in targets]
    likely = [one.chance for one in found]
    assert likely[0] == pytest.approx(1.0, abs=1e-12)
    assert all(more <= less + 1e-12 for less, more in pairwise(likely))
    for one, chance in zip(found, reach, strict=False):
        assert one.for_points == pytest.approx(chance, abs=1e-12)
        assert one.chance >= chance - 1e-12
        assert one.by_points.chance >= chance - 1e-12
    # A mean is the sum of the chances of all totals.
    assert reach[1:].sum() == pytest.approx(coach.best(position).value, abs=1e-9)
    assert all(len(one.choices) == len(coach.advise(position).options) for one in found)


def test_options_are_ranked_by_chance_and_then_by_points(advisor: Advisor) -> None:
    position = Position(
        YATZY, YATZY.full ^ YATZY.make_mask(["chance", "yatzy"]), 50, (1, 1, 1, 5, 6), 1
    )
    found = find_chances(advisor, position, make_target_payoff(31))
    regrets = [choice.regret for choice in found.choices]
    assert regrets == pytest.approx(sorted(regrets), abs=1e-9)
    assert found.best.best
    assert found.by_points.option == advisor.best(position)
    hopeless = find_chances(advisor, position, make_target_payoff(200))
    assert [choice.option for choice in hopeless.choices] == list(advisor.advise(position).options)
    assert hopeless.chance == 0.0


def best_choices(coach: Advisor) -> Callable[..., list[Choice]]:
    def choices(dice: Dice, left: int, *card: *CardState) -> list[Choice]:
        filled, upper, chips_won = card
        best = coach.best(Position(coach.rules, filled, upper, dice, left, chips_won))
        if best.action == "hold" and len(best.dice) < FIVE.dice:
            return [best.dice]
        last = coach.best(Position(coach.rules, filled, upper, dice, 0, chips_won))
        number = coach.rules.index[last.category]
        options = coach.rules.score_options(filled, chips_won, dice)
        return [option for option in options if option.category == number]

    return choices


@settings(max_examples=examples(10))
@given(rules=st.one_of(tiny_rulesets(), tiny_joker_rulesets()), data=st.data())
def test_play_for_points_has_the_scores_of_listing_every_throw(
    tmp_path_factory: pytest.TempPathFactory, rules: Ruleset, data: st.DataObject
) -> None:
    path = tmp_path_factory.mktemp("tiny") / "tiny.values"
    solve_to(rules, path, quiet=True)
    coach = Advisor(open_table(rules, path=path), rules)
    listed = Followed(rules, best_choices(coach))
    same(predict_card_points(coach, 0, 0), listed.start(0, 0, False))
    dice, left = data.draw(rolls), data.draw(st.integers(0, rules.throws - 1))
    same(
        predict_points(coach, Position(rules, 0, 0, dice, left)),
        listed.decide(dice, left, 0, 0, False),
    )


def same(ours: Floats, listed: dict[int, float]) -> None:
    scores = np.zeros(max(len(ours), max(listed) + 1))
    for score, chance in listed.items():
        scores[score] = chance
    assert ours == pytest.approx(scores[: len(ours)], abs=1e-12)
    assert scores[len(ours) :].sum() == 0


@pytest.mark.sampled("ruleset")
@EVERY
@settings(max_examples=examples(10))
@given(data=st.data())
def test_what_a_game_will_total_follows_it_through_a_turn(
    ruleset: str, data: st.DataObject
) -> None:
    """Between two throws, before the first and after the last, it is what its mean is in V."""
    rules = RULESETS[ruleset]
    solved(rules)
    coach = Advisor.open(rules)
    states = [state_of_late(rules, data)]
    for action in (Hold(0), Hold(data.draw(st.integers(0, 31)))):
        states.append(apply_action(states[-1], action))
        states.append(play(states[-2], action, [[list(data.draw(rolls))] * 3] * 15))
    for state in states:
        totals = predict_totals(coach, state)
        assert totals.sum() == pytest.approx(1.0, abs=1e-12)
        expected = np.arange(len(totals)) @ totals
        assert expected == pytest.approx(state.points + value_of(coach, state), abs=1e-8)


def state_of_late(rules: Ruleset, data: st.DataObject) -> State:
    state = start_state(rules)
    while len(rules.open(state.filled)) > 3:
        state = play(state, Hold(0), [[list(data.draw(rolls))] * 3] * 15)
        options = rules.score_options(state.filled, state.chips_won, state.dice)
        state = apply_action(state, Score(rules.categories[options[0].category].id))
    return state


def value_of(coach: Advisor, state: State) -> float:
    turn = coach.turn(state.filled, state.upper, chips_won=state.chips_won)
    if not state.dice:
        return turn.start
    roll = FIVE.roll_index[tuple(sorted(state.dice))]
    if not state.waiting:
        return float(turn.best(state.throws_left)[roll])
    kept = Hold(state.held).kept(state.dice)
    thrown = outcomes(FIVE.dice - len(kept))
    best = turn.best(state.throws_left - 1)
    return sum(p * float(best[FIVE.roll_index[tuple(sorted(kept + more))]]) for more, p in thrown)


def test_a_finished_game_totals_what_it_has(advisor: Advisor) -> None:
    state = start_state(YATZY)
    while not state.finished:
        state = play(state, Hold(0), [[[6, 6, 6, 6, 6]] * 3] * 15)
        state = apply_action(state, Score(YATZY.ids(YATZY.full ^ state.filled)[0]))
    totals = predict_totals(advisor, state)
    assert totals[state.total] == 1.0
    assert totals.sum() == 1.0


def test_a_tie_is_half_a_win() -> None:
    payoff = make_duel_payoff(np.array([0.0, 0.25, 0.75]))
    assert [payoff.of(points) for points in (0, 1, 2, 3, 99)] == [0.0, 0.125, 0.625, 1.0, 1.0]
    assert payoff.after(1).of(0) == 0.125
    assert payoff.after(50).of(0) == 1.0


def test_all_or_nothing_is_nothing_below_and_all_from_there_on() -> None:
    payoff = make_target_payoff(31)
    assert [payoff.of(points) for points in (0, 30, 31, 99)] == [0.0, 0.0, 1.0, 1.0]
    assert (payoff.begins, payoff.settled) == (31, 31)
    assert payoff.after(30).of(1) == 1.0
    assert make_target_payoff(-5).of(0) == make_target_payoff(0).of(0) == 1.0


def test_early_positions_and_those_that_no_game_has_are_refused(advisor: Advisor) -> None:
    early = Position(YATZY, YATZY.make_mask(YATZY.ids(YATZY.full)[MOST_OPEN + 1 :]), 0, (1,) * 5, 0)
    with pytest.raises(TooEarly, match="8 boxes are open"):
        find_chances(advisor, early, make_target_payoff(100))
    with pytest.raises(BadPosition):
        find_chances(advisor, Position(YATZY, YATZY.full, 0, (1,) * 5, 0), make_target_payoff(100))


def test_an_endgame_looks_at_what_can_be_reached_and_no_more() -> None:
    """Straights have two results each: nobody comes to any other number of points."""
    still = YATZY.make_mask(["small_straight", "large_straight", "yatzy"])
    endgame = Endgame(YATZY, YATZY.full ^ still, 50, make_target_payoff(35))
    assert endgame.cells == 5 + 7  # with one box filled, with two; from 35 on nothing is open


TWO_LEFT = ",".join(YATZY.ids(YATZY.full ^ YATZY.make_mask(["chance", "yatzy"])))
CARD = ("win", "yatzy", "--filled", TWO_LEFT, "--upper", "60", "--total", "219", "--json")


def told(run: Run, *more: str) -> Any:
    status, out, err = run(*CARD, *more)
    assert (status, err) == (0, "")
    return json.loads(out)


@pytest.mark.usefixtures("yatzy_tables")
def test_the_command_tells_what_to_do_and_what_points_would_choose(run: Run) -> None:
    found = told(run, "--dice", "1,1,5,5,6", "--rolls-left", "2", "--target", "250")
    assert found["best"]["dice"] == [5, 5]
    assert found["by_points"]["dice"] == [5, 5, 6]
    assert found["by_points"]["best"]
    assert found["chance"] > found["by_points"]["chance"] > found["for_points"] > 0
    assert found["by_points"]["chance_regret"] == pytest.approx(
        found["chance"] - found["by_points"]["chance"]
    )


@pytest.mark.usefixtures("yatzy_tables")
def test_the_command_tells_the_chances_of_a_card_before_its_throw(run: Run) -> None:
    same = ("--other-filled", TWO_LEFT, "--other-upper", "60", "--other-total", "219")
    found = told(run, *same)
    assert found["for_points"] == pytest.approx(0.5, abs=1e-12)  # a tie is half a win
    assert found["chance"] == pytest.approx(0.5425, abs=5e-5)
