"""Dice, throws and boxes are the ruleset's: whatever they are, solving follows the definition."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from solver.advice import Advisor, BadPosition, Position, check_position
from solver.advice.advising import advise_many
from solver.advice.moments import evaluate
from solver.advice.winning import find_chances, make_target_payoff, predict_points
from solver.arena.performance import simulate
from solver.dp.arrays import Floats
from solver.dp.outlook import calculate_outlook
from solver.dp.slots import MOST_SLOTS
from solver.dp.space import Space, Unsolvable
from solver.dp.sweep import evaluate_dice, solve
from solver.exact.distribution import calculate_distribution
from solver.players.random import RandomPlay
from solver.players.values import ValuePlay
from solver.rules import YATZY, Category, Joker, Ruleset
from solver.tables import EXPLAIN, OUTLOOK, VALUES, open_table
from solver.tables.parts import make_explain, make_outlook, make_values
from tests.solver.made_up import (
    CHANCE,
    FOUR_DICE_JOKER,
    MADE_UP,
    SIX_DICE,
    SIX_DICE_JOKER,
    TWO_DICE,
)
from tests.solver.reference import Reference
from tests.solver.test_solver import assert_equal_to_the_reference


@pytest.mark.parametrize("rules", MADE_UP, ids=lambda rules: rules.id)
def test_the_solver_agrees_with_the_definition(rules: Ruleset) -> None:
    assert_equal_to_the_reference(rules)


@pytest.mark.nightly
@pytest.mark.parametrize("rules", [FOUR_DICE_JOKER, SIX_DICE], ids=lambda rules: rules.id)
def test_what_perfect_play_brings_is_the_same_however_it_is_worked_out(rules: Ruleset) -> None:
    """The ways: the value, every final score, moments, weighted dice, and what is carried."""
    values = solve(rules)
    play = ValuePlay(values, rules)
    found, moments, outlook = (
        calculate_distribution(play),
        evaluate(play),
        calculate_outlook(rules, values),
    )
    assert found.mean == pytest.approx(values[0, 0], abs=1e-9)
    assert moments.mean == pytest.approx(values[0, 0], abs=1e-9)
    assert evaluate_dice(rules, np.full(6, 1 / 6)) == pytest.approx(values[0, 0], abs=1e-9)
    chance, square = outlook[0, 0]
    assert found.bonus_probability == pytest.approx(chance, abs=1e-9)
    assert found.deviation**2 == pytest.approx(square - values[0, 0] ** 2, abs=1e-6)


SIX = pytest.mark.sampled("advisor")


@pytest.fixture(scope="module", params=[SIX_DICE, SIX_DICE_JOKER], ids=lambda rules: rules.id)
def advisor(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Advisor:
    rules: Ruleset = request.param
    path = tmp_path_factory.mktemp("tables") / "values"
    make_values(rules, path)
    make_outlook(rules, path)
    make_explain(rules, path)
    kinds = (OUTLOOK, EXPLAIN)
    beside = (open_table(rules, kind, Path(f"{path}.{kind}")) for kind in kinds)
    return Advisor(open_table(rules, VALUES, path), rules, *beside)


def positions(rules: Ruleset) -> list[Position]:
    rolls = rules.cup.rolls[:: len(rules.cup.rolls) // 5]
    cards = ((0, 0), (1, 0), (1, rules.categories[0].face), (rules.full ^ 1, 0))
    places = [
        (filled, upper, roll, left)
        for filled, upper in cards
        for roll in rolls
        for left in range(rules.throws)
    ]
    return [Position(rules, *place) for place in places]


@SIX
def test_advice_with_six_dice_is_that_of_the_definition(advisor: Advisor) -> None:
    reference = Reference(advisor.rules)
    for position in positions(advisor.rules):
        card = (position.filled, position.upper, position.chips_won)
        scores = {o.category: o for o in advisor.rules.score_options(*card[::2], position.dice)}
        for option in advisor.advise(position).options:
            if option.action == "hold":
                expected = reference.hold(option.dice, position.rolls_left, *card)
            else:
                scored = scores[advisor.rules.index[option.category]]
                expected = reference.score(scored, *card)
            assert option.value == pytest.approx(expected, abs=1e-9)


@SIX
def test_many_positions_at_once_are_advised_as_one_by_one(advisor: Advisor) -> None:
    asked = positions(advisor.rules)
    for position, advice in zip(asked, advise_many(advisor, asked, outlook=True), strict=True):
        alone = advisor.advise(position, outlook=True)
        assert advice.value == pytest.approx(alone.value, abs=1e-9)
        told = {(o.action, o.dice, o.category): o.value for o in advice.options}
        for option in alone.options:
            key = option.action, option.dice, option.category
            assert told[key] == pytest.approx(option.value, abs=1e-9)


@SIX
def test_the_compiled_turn_is_that_of_numpy(advisor: Advisor) -> None:
    rules = advisor.rules
    compiled = Advisor(advisor.values, rules)
    compiled.compile()
    for one, other in zip(
        advise_all(advisor, positions(rules)), advise_all(compiled, positions(rules)), strict=True
    ):
        assert np.abs(one - other).max() < 1e-9


def advise_all(advisor: Advisor, asked: list[Position]) -> list[Floats]:
    found = [advisor.evaluate(position) for position in asked]
    worth = [np.concatenate((one.hold_values, one.box_values)) for one in found]
    return [np.nan_to_num(values, neginf=-1.0) for values in worth]


@SIX
def test_to_win_and_for_points_with_six_dice(advisor: Advisor) -> None:
    position = positions(advisor.rules)[-1]
    told = find_chances(advisor, position, make_target_payoff(20))
    rest = predict_points(advisor, position)
    assert rest.sum() == pytest.approx(1.0)
    assert rest @ np.arange(len(rest)) == pytest.approx(advisor.advise(position).value, abs=1e-9)
    assert told.chance >= told.for_points - 1e-9


def test_whoever_plays_at_random_plays_with_six_dice_too() -> None:
    player = RandomPlay(SIX_DICE)
    exact, played = (
        calculate_distribution(player),
        simulate(player, SIX_DICE, "random", 20_000, seed=1),
    )
    assert played.mean == pytest.approx(exact.mean, abs=5 * exact.deviation / 20_000**0.5)


BAD = (
    (replace(YATZY, stock=1), "saved"),
    (replace(TWO_DICE, dice=1), "1 dice, not 2 to 6"),
    (replace(TWO_DICE, dice=7), "7 dice, not 2 to 6"),
    (replace(TWO_DICE, throws=0), "0 throws"),
    (replace(TWO_DICE, throws=99), "99 throws"),
    (replace(TWO_DICE, categories=()), "no box"),
    (replace(TWO_DICE, bonus_points=-1), "less than nothing"),
    (replace(TWO_DICE, bonus_threshold=-1), "less than nothing"),
    (replace(TWO_DICE, bonus_threshold=10**9), "too large"),
    (replace(TWO_DICE, categories=(Category("minus", "any", points=-1),)), "less than nothing"),
    (replace(TWO_DICE, joker=Joker("nowhere", "free", 1)), "no box for its jokers"),
    (
        replace(TWO_DICE, categories=tuple(replace(CHANCE, id=f"any{n}") for n in range(40))),
        "too large",
    ),
    (
        replace(
            TWO_DICE, categories=tuple(replace(CHANCE, id=f"any{n}") for n in range(MOST_SLOTS))
        ),
        "slots",
    ),
)


@pytest.mark.parametrize(("rules", "reason"), BAD, ids=[reason for _, reason in BAD])
def test_what_cannot_be_solved_is_refused_with_the_reason(rules: Ruleset, reason: str) -> None:
    for asked in (solve, lambda rules: evaluate_dice(rules, np.full(6, 1 / 6))):
        with pytest.raises(Unsolvable, match=f"{rules.id} cannot be solved: .*{reason}"):
            asked(rules)


def test_a_position_has_the_dice_of_its_rules() -> None:
    with pytest.raises(BadPosition, match="there are 6 dice, not 5"):
        check_position(Position(SIX_DICE, 0, 0, (1, 2, 3, 4, 5), 2))


def test_a_space_is_of_a_ruleset_that_can_be_solved() -> None:
    with pytest.raises(Unsolvable):
        Space(replace(YATZY, dice=9))
