"""Made-up rulesets, and equal options under every ruleset."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from solver.advice import Advisor, BadPosition, Position, check_position
from solver.advice.advising import advise_many
from solver.advice.aims import find_aim
from solver.advice.moments import evaluate
from solver.advice.options import sort_by_cost
from solver.advice.winning import find_chances, make_target_payoff, predict_points
from solver.arena import grading_kernels
from solver.arena.performance import simulate
from solver.dp.arrays import Floats, Ints
from solver.dp.outlook import calculate_outlook
from solver.dp.slots import MOST_SLOTS
from solver.dp.space import TIE, Space, Unsolvable
from solver.dp.sweep import evaluate_dice, solve
from solver.dp.turn import (
    Turn,
    choose_best_boxes,
    choose_best_holds,
    choose_holds,
    find_first_best,
    list_roll_holds,
)
from solver.exact.distribution import calculate_distribution
from solver.players import Agent
from solver.players.erring import Erring
from solver.players.plain import PlainValues, find_best_action
from solver.players.random import RandomPlay
from solver.players.scorecard_based import sum_open_boxes
from solver.players.values import ValuePlay, average_boxes
from solver.rules import YATZY, Box, Category, Hold, Joker, Ruleset, Score, State
from solver.tables import EXPLAIN, OUTLOOK, VALUES, open_table
from solver.tables.parts import make_explain, make_outlook, make_values
from tests.selection import examples
from tests.solver.made_up import (
    CHANCE,
    FOUR_DICE_JOKER,
    MADE_UP,
    SIX_DICE,
    SIX_DICE_JOKER,
    TWO_DICE,
)
from tests.solver.reference import Reference
from tests.solver.test_advice import random_position
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


SIX = pytest.mark.sampled("small")


@pytest.fixture(scope="module", params=[SIX_DICE, SIX_DICE_JOKER], ids=lambda rules: rules.id)
def small(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Advisor:
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
def test_advice_with_six_dice_is_that_of_the_definition(small: Advisor) -> None:
    reference = Reference(small.rules)
    for position in positions(small.rules):
        card = (position.filled, position.upper, position.chips_won)
        scores = {o.category: o for o in small.rules.score_options(*card[::2], position.dice)}
        for option in small.advise(position).options:
            if option.action == "hold":
                expected = reference.hold(option.dice, position.rolls_left, *card)
            else:
                scored = scores[small.rules.index[option.category]]
                expected = reference.score(scored, *card)
            assert option.value == pytest.approx(expected, abs=1e-9)


@SIX
def test_many_positions_at_once_are_advised_as_one_by_one(small: Advisor) -> None:
    asked = positions(small.rules)
    for position, advice in zip(asked, advise_many(small, asked, outlook=True), strict=True):
        alone = small.advise(position, outlook=True)
        assert advice.value == pytest.approx(alone.value, abs=1e-9)
        told = {(o.action, o.dice, o.category): o.value for o in advice.options}
        for option in alone.options:
            key = option.action, option.dice, option.category
            assert told[key] == pytest.approx(option.value, abs=1e-9)


@SIX
def test_the_compiled_turn_is_that_of_numpy(small: Advisor) -> None:
    rules = small.rules
    compiled = Advisor(small.values, rules)
    compiled.compile()
    for one, other in zip(
        advise_all(small, positions(rules)), advise_all(compiled, positions(rules)), strict=True
    ):
        assert np.abs(one - other).max() < 1e-9


def advise_all(small: Advisor, asked: list[Position]) -> list[Floats]:
    found = [small.evaluate(position) for position in asked]
    worth = [np.concatenate((one.hold_values, one.box_values)) for one in found]
    return [np.nan_to_num(values, neginf=-1.0) for values in worth]


@SIX
def test_to_win_and_for_points_with_six_dice(small: Advisor) -> None:
    position = positions(small.rules)[-1]
    told = find_chances(small, position, make_target_payoff(20))
    rest = predict_points(small, position)
    assert rest.sum() == pytest.approx(1.0)
    assert rest @ np.arange(len(rest)) == pytest.approx(small.advise(position).value, abs=1e-9)
    assert told.chance >= told.for_points - 1e-9


def test_the_random_player_plays_with_six_dice_too() -> None:
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


RNG = np.random.default_rng(0)
SHAKE = 1e-12  # ten times what the order of a sum changes


@dataclass(frozen=True)
class Shaken:
    """A table whose values differ by rounding from those of another."""

    table: Any

    def rows(self, numbers: Ints) -> Floats:
        return moved(self.table.rows(numbers))

    def read_row(self, number: int) -> Floats:
        row: Floats = self.rows(np.array([number]))[0]
        return row


def moved(values: Floats) -> Floats:
    rng = np.random.default_rng(values.size)
    return values + rng.uniform(-SHAKE, SHAKE, size=values.shape)


def shaken(small: Advisor) -> Advisor:
    table: Any = Shaken(small.values)
    return Advisor(table, small.rules, small.outlook, small.explain)


@pytest.fixture
def drawn_positions(any_advisor: Advisor) -> list[Position]:
    random = Random(11)
    return [random_position(any_advisor.rules, random) for _ in range(60)]


def state_of(position: Position) -> State:
    rules = position.rules
    boxes = [Box(0, (1,) * rules.dice) if position.filled >> n & 1 else None for n in range(99)]
    return State(rules, tuple(boxes[: len(rules.categories)]), position.rolls_left, position.dice)


def read_advice(coach: Advisor, position: Position) -> Any:
    advice = coach.advise(position)
    found = [option[:4] for option in advice.options], coach.best(position)[:4]
    holds = [option for option in advice.options if option.action == "hold"][:2]
    aims = [find_aim(coach.list_endings(position, hold)) for hold in holds]
    boxes = [(aim.box, aim.rest and aim.rest.boxes) if aim else None for aim in aims]
    return found, [coach.predict_box(position, hold.dice) for hold in holds], boxes


@pytest.mark.sampled("any_advisor")
def test_the_last_bits_of_values_change_no_advice(
    any_advisor: Advisor, drawn_positions: list[Position]
) -> None:
    ties, other = 0, shaken(any_advisor)
    for position in drawn_positions:
        assert read_advice(other, position) == read_advice(any_advisor, position)
        regrets = [option.regret for option in any_advisor.advise(position).options]
        ties += len(regrets) - len({round(regret, 6) for regret in regrets})
    assert ties > 20
    many = [
        [
            [option[:4] for option in advice.options]
            for advice in advise_many(coach, drawn_positions)
        ]
        for coach in (any_advisor, other)
    ]
    assert many[0] == many[1]


@pytest.mark.sampled("any_advisor")
def test_the_last_bits_of_values_change_nothing_that_is_played(
    any_advisor: Advisor, drawn_positions: list[Position]
) -> None:
    rules, other = any_advisor.rules, shaken(any_advisor)
    zeros = np.zeros(any_advisor.space.rows)
    nearly = moved(zeros)
    greedy: list[Agent] = [PlainValues(ValuePlay(values, rules)) for values in (zeros, nearly)]
    erring: list[Agent] = [Erring(coach, 0.0, 1.0) for coach in (any_advisor, other)]
    for position in drawn_positions:
        state = state_of(position)
        for pair in (greedy, erring):
            assert len({agent.choose(state, RNG) for agent in pair}) == 1
        turns = [coach.turn(position.filled, position.upper) for coach in (any_advisor, other)]
        for left in range(1, rules.throws):
            assert (choose_best_holds(turns[0], left) == choose_best_holds(turns[1], left)).all()
        assert (choose_best_boxes(turns[0]) == choose_best_boxes(turns[1])).all()


@pytest.mark.parametrize("kind", ["values", "nothing", "open boxes"])
@pytest.mark.sampled("any_advisor")
def test_the_last_bits_of_values_change_no_decision_that_is_compiled(
    any_advisor: Advisor, kind: str
) -> None:
    """Holds 1 1 1 2 and 1 1 1 5 are equal when only four of a kind is open."""
    rules = any_advisor.rules
    values = {
        "values": any_advisor.values.read_all(),
        "nothing": np.zeros(any_advisor.space.rows),
        "open boxes": np.resize(sum_open_boxes(average_boxes(rules)), any_advisor.space.rows),
    }[kind]
    players = [ValuePlay(table, rules) for table in (values, moved(values))]
    space = Space(rules)
    cards = np.argwhere(space.reachable)
    left = len(rules.categories) - np.bitwise_count(cards[:, 0] & rules.full)
    late, early = np.flatnonzero((left > 0) & (left <= 4)), np.flatnonzero(left > 4)
    rng = np.random.default_rng(3)
    number = examples(1_000)
    drawn = np.concatenate([rng.choice(some, number, replace=False) for some in (late, early)])
    rows, columns = cards[np.sort(drawn)].T.astype(np.int32)
    for found in zip(*(player.cards(rows, columns) for player in players), strict=True):
        np.testing.assert_array_equal(*found)


@pytest.mark.parametrize("kind", ["values", "nothing"])
def test_the_last_bits_of_values_change_no_figure(advisor: Advisor, kind: str) -> None:
    values = advisor.values.read_all() if kind == "values" else np.zeros(advisor.space.rows)
    found = [evaluate(ValuePlay(table, YATZY)) for table in (values, moved(values))]
    assert found[0].mean == pytest.approx(found[1].mean, abs=1e-10)
    assert found[0].deviation == pytest.approx(found[1].deviation, abs=1e-10)


def test_the_last_bits_of_values_change_no_spread(advisor: Advisor) -> None:
    values = advisor.values.read_all()
    one, other = (calculate_outlook(YATZY, table) for table in (values, moved(values)))
    np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("many", range(5))
def test_a_player_that_finds_all_equal_keeps_its_dice_and_fills_the_first_box(many: int) -> None:
    rng = np.random.default_rng(many)
    for left, expected in ((0, Score("ones")), (2, Score("ones"))):
        state = State(YATZY, (None,) * len(YATZY.categories), left, (1, 2, 3, 4, 5))
        turn = Turn(Space(YATZY), 0, 0, False, lambda rows: np.zeros((len(rows), 64)))
        turn.scores = 1.0 + rng.uniform(-1e-14, 1e-14, size=turn.gains.shape)
        assert find_best_action(turn, state) == expected
        turn.scores[:, YATZY.cup.roll_index[(1, 2, 3, 4, 5)]] = 0.0
        known = turn.holds(left) if left else None
        if known is not None:
            known[turn.rules.cup.hold_index[(1, 2, 3, 4, 5)]] = 0.0
            assert find_best_action(turn, state) == Hold.from_faces((1, 2, 3, 4), state.dice)


def test_of_equal_chances_the_one_of_most_points_is_first_whatever_the_last_bits(
    advisor: Advisor,
) -> None:
    """150 is out of reach with a pair and chance open: every option has the same chance, none."""
    filled = YATZY.full ^ YATZY.make_mask(["pair", "chance"])
    position = Position(YATZY, filled, 50, (2, 3, 3, 5, 6), 2)
    found = find_chances(advisor, position, make_target_payoff(150))
    assert [one.option for one in found.choices] == list(advisor.advise(position).options)


@pytest.mark.parametrize("add", [lambda a, b: a + b, lambda a, b: a - b])
def test_equal_costs_stay_as_listed_and_a_chain_of_them_is_one(
    add: Callable[[float, float], float],
) -> None:
    costs = [5.0, 0.0, add(5.0, 1e-13), 3.0, add(0.0, 1e-14), 5.0]
    assert sort_by_cost(costs) == [1, 4, 3, 0, 2, 5]
    assert sort_by_cost([0.9 * TIE * n for n in (3, 2, 1, 0)]) == [0, 1, 2, 3]
    assert sort_by_cost([1.1 * TIE * n for n in (3, 2, 1, 0)]) == [3, 2, 1, 0]
    assert sort_by_cost([]) == []


def test_of_equal_holds_more_dice_are_chosen_and_then_the_first_listed() -> None:
    cup, dice = YATZY.cup, YATZY.dice
    flat = moved(np.zeros(len(cup.holds)))
    assert (choose_holds(flat, dice) == np.arange(cup.first_roll, len(cup.holds))).all()
    pairs = np.where([len(hold) == 2 for hold in cup.holds], 1.0, 0.0) + flat
    roll = cup.roll_index[(1, 2, 3, 4, 5)]
    assert cup.holds[choose_holds(pairs, dice)[roll]] == (1, 2)
    for hold in ((1, 5), (2, 3), (3, 4)):
        pairs[cup.hold_index[hold]] += 1.0
    assert cup.holds[choose_holds(pairs, dice)[roll]] == (1, 5)
    listed = [cup.holds[hold] for hold in list_roll_holds(dice)[roll]]
    assert listed.index((1, 5)) < listed.index((2, 3)) < listed.index((3, 4))
    assert find_first_best(np.array([[1.0, 0.0], [1.0 + 1e-13, 2.0]])).tolist() == [0, 1]
    boxes = np.array([-np.inf, 1.0, 2.0, 2.0 + 1e-13, 0.0])
    assert find_first_best(boxes) == grading_kernels.find_first_best(boxes) == 2
