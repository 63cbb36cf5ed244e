"""Rolls that earlier turns saved: values, decisions and strategies."""

import json
from dataclasses import replace
from functools import partial
from pathlib import Path
from random import Random

import numpy as np
import pytest

from solver.advice import Advisor, BadPosition
from solver.advice.advising import advise_many
from solver.advice.wire import BadInput, parse_position, serialise_position
from solver.cli.advise import print_answers
from solver.cli.solve import GOLDEN
from solver.dp.levels import solve_by_level
from solver.dp.packing import Packing
from solver.dp.space import Space
from solver.rules import (
    PLAYED,
    RULESETS,
    SOLVED,
    YATZY,
    Action,
    Hold,
    Ruleset,
    Score,
    apply_action,
    apply_roll,
    list_legal_actions,
    play,
    replay_actions,
    start_state,
)
from solver.rules.position import Position, build_state, find_position
from solver.rules.rulesets import NO_LIMIT
from solver.tables import write_packed
from solver.tables.packed import open_packed
from tests.conftest import solved
from tests.solver.conftest import Run
from tests.solver.made_up import THREE_DICE, TWO_DICE
from tests.solver.reference import SavedReference

SAVED = replace(THREE_DICE, id="three-dice-saved", stock=NO_LIMIT, throws=3)
LIMITED = replace(THREE_DICE, id="three-dice-two-saved", stock=2)
Game = tuple[list[list[list[int]]], list[Action]]


@pytest.fixture(scope="module", params=[SAVED, LIMITED], ids=lambda rules: rules.id)
def saver(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Advisor:
    rules: Ruleset = request.param
    path = tmp_path_factory.mktemp("tables") / "values"
    write_packed(path, rules, partial(solve_by_level, rules))
    return Advisor(open_packed(path, rules), rules)


def random_game(rules: Ruleset, random: Random) -> Game:
    many = rules.throws * len(rules.categories)
    block = [
        [[random.randint(1, 6) for _ in range(rules.dice)] for _ in range(many)]
        for _ in rules.categories
    ]
    actions: list[Action] = []
    state = start_state(rules)
    while not state.finished:
        actions.append(random.choice(list_legal_actions(state)))
        state = play(state, actions[-1], block)
    return block, actions


def test_a_turn_begins_with_its_throws_and_what_was_saved() -> None:
    rules = SOLVED["yatzy-saved"]
    state = apply_roll(apply_action(start_state(rules), Hold(0)), (1, 2, 3, 4, 5))
    assert (state.throws_left, state.stock) == (2, 0)
    state = apply_action(state, Score("small_straight"))
    assert (state.throws_left, state.stock) == (5, 2)
    for left in (4, 3, 2, 1, 0):
        state = apply_roll(apply_action(state, Hold(0)), (1, 1, 1, 1, 1))
        found = find_position(state)
        assert state.throws_left == found.throws_left == left
        assert (found.rolls_left, found.stock) == (max(0, left - 2), min(left, 2))
    state = apply_action(state, Score("ones"))
    assert (state.throws_left, state.stock) == (3, 0)


def test_no_more_is_saved_than_the_rules_allow() -> None:
    state = apply_roll(apply_action(start_state(LIMITED), Hold(0)), (1, 2, 3))
    assert state.throws_left == 3
    assert apply_action(state, Score("small_straight")).stock == 2


def test_nothing_is_saved_where_nobody_said_so() -> None:
    state = apply_roll(apply_action(start_state(YATZY), Hold(0)), (1, 2, 3, 4, 5))
    assert apply_action(state, Score("chance")).throws_left == 3


def test_saved_throws_are_taken_from_the_block_after_those_of_the_turn() -> None:
    block = [[[n % 6 + 1] * 3 for n in range(turn, turn + 9)] for turn in range(4)]
    state = start_state(SAVED)
    actions: list[Action] = [Hold(0), Score("twos"), *[Hold(0)] * 5]
    for action in actions:
        state = play(state, action, block)
    assert state.dice == (6,) * 3
    assert state.throws_left == 0


def test_every_option_is_worth_what_the_definition_says(saver: Advisor) -> None:
    rules, reference, random = saver.rules, SavedReference(saver.rules), Random(1)
    asked = 0
    for _ in range(40):
        for state, _ in replay_actions(rules, *random_game(rules, random)):
            if not state.dice:
                saved = min(state.stock, rules.most_saved(state.turn))
                worth = saver.value(state.filled, state.upper, stock=saved)
                expected = reference.start(state.filled, state.upper, saved)
                assert worth == pytest.approx(expected, abs=1e-6)
                continue
            position = find_position(state)
            left, card = position.throws_left, (state.filled, state.upper)
            scores = {o.category: o for o in rules.score_options(state.filled, False, state.dice)}
            for option in saver.advise(position).options:
                asked += 1
                if option.action == "hold":
                    expected = reference.hold(option.dice, left, *card)
                else:
                    scored = scores[rules.index[option.category]]
                    expected = reference.score(scored, left, *card)
                assert option.value == pytest.approx(expected, abs=1e-6)
    assert asked > 1000


def test_the_score_is_the_value_with_luck_and_without_what_was_lost(saver: Advisor) -> None:
    rules, random = saver.rules, Random(2)
    for _ in range(30):
        block, actions = random_game(rules, random)
        state = start_state(rules)
        for action in actions:
            state = play(state, action, block)
        ledger = saver.make_ledger(replay_actions(rules, block, actions))
        assert ledger.score == pytest.approx(state.total, abs=1e-5)


def test_only_as_many_throws_are_saved_as_turns_can_have_left(saver: Advisor) -> None:
    rules = saver.rules
    most = rules.most_saved(1)
    assert saver.value(1, 0, stock=most) > saver.value(1, 0)
    for stock in (-1, most + 1):
        with pytest.raises(BadPosition, match=f"from 0 to {most} throws can be saved"):
            saver.value(1, 0, stock=stock)
        with pytest.raises(BadPosition, match="can be saved"):
            saver.advise(Position(rules, 1, 0, (1, 1, 1), 1, stock=stock))
    assert saver.value(rules.full, 0, stock=rules.most_saved(4)) == 0


def test_a_stock_is_asked_for_and_told_as_json(
    saver: Advisor, capsys: pytest.CaptureFixture[str]
) -> None:
    facts = {"filled": ["twos"], "upper": 4, "dice": [3, 3, 1], "rolls_left": 0, "stock": 2}
    position = parse_position(saver.rules, facts)
    assert serialise_position(position) == facts | {"dice": [3, 3, 1]}
    assert find_position(build_state(position)).throws_left == 2
    print_answers(saver, [json.dumps(facts), json.dumps(facts | {"stock": 20})])
    told, refused = map(json.loads, capsys.readouterr().out.splitlines())
    assert {option["action"] for option in told["options"]} == {"hold", "score"}
    assert "can be saved by now" in refused["error"]
    with pytest.raises(BadInput, match="unknown key 'stock'"):
        parse_position(THREE_DICE, facts)


@pytest.fixture
def known_to_commands(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Ruleset:
    monkeypatch.setitem(SOLVED, SAVED.id, SAVED)
    value = SavedReference(SAVED).start(0, 0, 0)
    monkeypatch.setitem(GOLDEN, SAVED.id, (value, 1e-9))
    monkeypatch.setenv("YATZY_TABLES", str(tmp_path))
    return SAVED


def test_the_commands_solve_ask_and_prove_it_and_say_how_precise_it_is(
    run: Run, known_to_commands: Ruleset
) -> None:
    name, reference = known_to_commands.id, SavedReference(known_to_commands)
    status, out, _ = run("solve", name, "--json")
    facts = json.loads(out)
    assert (status, facts["value"]) == (0, pytest.approx(reference.start(0, 0, 0), abs=1e-12))
    assert 0 < facts["precision"] < 1e-7
    assert facts["states"] == Packing(Space(known_to_commands)).values
    assert json.loads(run("solve", name, "--json")[1])["seconds"] == 0
    assert run("verify", name)[0] == 0

    asked = ("value", name, "--filled", "pair", "--stock", "2")
    told = json.loads(run(*asked, "--json")[1])
    expected = reference.start(SAVED.make_mask(["pair"]), 0, 2)
    assert told == {"value": pytest.approx(expected, abs=1e-7), "precision": facts["precision"]}
    assert "stored to within" in run(*asked)[1]

    position = ("--filled", "pair", "--stock", "2", "--dice", "2,2,3", "--rolls-left", "1")
    best = json.loads(run("advise", name, *position, "--json")[1])["value"]
    expected = reference.best((2, 2, 3), 3, SAVED.make_mask(["pair"]), 0)
    assert best == pytest.approx(expected, abs=1e-6)


def test_what_large_rulesets_do_not_have_is_refused(run: Run, known_to_commands: Ruleset) -> None:
    for arguments, reason in (
        (("solve", known_to_commands.id, "--explain"), "too large"),
        (("solve", known_to_commands.id, "--dice-counts", "1,1,1,1,1,1"), "throws are saved"),
    ):
        status, _, err = run(*arguments)
        assert status == 2
        assert reason in err
        assert err.count("\n") == 1


TWO_SAVED = replace(TWO_DICE, id="two-dice-saved", title="Two dice, saved throws", stock=NO_LIMIT)
SECOND = Position(TWO_SAVED, TWO_SAVED.make_mask(["chance"]), 0, (5, 6), 2, stock=2)


@pytest.fixture
def coach(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> Advisor:
    monkeypatch.setenv("YATZY_TABLES", str(tmp_path_factory.mktemp("tables")))
    solved(TWO_SAVED)
    return Advisor.open(TWO_SAVED)


def test_a_hold_is_followed_through_the_saved_throws(coach: Advisor) -> None:
    """The ways that a turn may end are worth together what the hold is worth."""
    for stock in range(3):
        position = replace(SECOND, stock=stock)
        for hold in coach.advise(position).options:
            if hold.action == "hold":
                ends = coach.list_endings(position, hold)
                assert sum(end.chance for end in ends) == pytest.approx(1.0, abs=1e-12)
                worth = sum(end.chance * end.value for end in ends)
                assert worth == pytest.approx(hold.value, abs=1e-9)


def test_a_turn_may_end_before_its_last_throw(coach: Advisor) -> None:
    """Two sixes are taken at once, and what is left is saved."""
    position = Position(TWO_SAVED, TWO_SAVED.make_mask(["chance", "pair"]), 0, (6, 6), 2)
    stops = coach.turn(position.filled, 0).find_stops(2)
    assert stops[coach.cup.roll_index[6, 6]]
    assert not stops[coach.cup.roll_index[1, 2]]
    assert coach.turn(position.filled, 0).find_stops(0).all()


def test_many_positions_are_told_what_each_is_told(coach: Advisor) -> None:
    positions = [SECOND, replace(SECOND, stock=0, rolls_left=0), replace(SECOND, dice=(6, 6))]
    told = advise_many(coach, positions, top=3)
    for one, position in zip(told, positions, strict=True):
        alone = coach.advise(position)
        assert (one.value, one.options) == (alone.value, alone.options[:3])


def test_what_is_saved_is_worth_the_difference_to_nothing(coach: Advisor) -> None:
    boxes = [one for one in coach.advise(SECOND).options if one.action == "score"]
    for box in boxes:
        filled = SECOND.filled | TWO_SAVED.make_mask([box.category])
        upper = box.points if box.category == "sixes" else 0
        kept, none = (coach.value(filled, upper, stock=stock) for stock in (4, 0))
        assert coach.find_saved_value(SECOND, box) == pytest.approx(kept - none, abs=1e-6)


def test_a_turn_without_stock_ends_after_its_last_throw(advisor: Advisor) -> None:
    turn = advisor.turn(0, 0)
    assert not turn.find_stops(1).any()
    assert turn.find_stops(0).all()
    assert np.array_equal(turn.evaluate_boxes(1), turn.scores)


def test_who_is_played_and_who_is_studied() -> None:
    def studied(rules: Ruleset) -> bool:
        return rules.studied

    assert [name for name, rules in PLAYED.items() if studied(rules)] == list(RULESETS)
    assert set(RULESETS) < set(PLAYED) < set(SOLVED)
