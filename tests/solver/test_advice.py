"""Advice and the ledger of a game, compared with slow references."""

from collections.abc import Callable, Sequence
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solver.advice import Advice, Advisor, BadPosition, Option, Position, check_card, find_position
from solver.advice.advising import TOGETHER, advise_many
from solver.dp.space import TIE
from solver.rules import (
    RULESETS,
    YATZY,
    Action,
    Block,
    Hold,
    Ruleset,
    Score,
    State,
    list_legal_actions,
    play,
    replay_actions,
    start_state,
)
from solver.rules.dice import Dice, make_cup
from tests.conftest import solved
from tests.known import known
from tests.selection import examples
from tests.solver.reference import Reference

Choose = Callable[[State, Sequence[Action]], Action]


def option(advice: Advice, what: Dice | str) -> Option:
    chosen = [o for o in advice.options if (o.category or o.dice) == what]
    assert len(chosen) == 1
    return chosen[0]


def random_game(
    rules: Ruleset, random: Random, choose: Choose | None = None
) -> tuple[Block, list[Action], State]:
    block = [[[random.randint(1, 6) for _ in range(5)] for _ in range(3)] for _ in rules.categories]
    state = start_state(rules)
    actions: list[Action] = []
    while not state.finished:
        legal = list_legal_actions(state)
        actions.append(choose(state, legal) if choose else random.choice(legal))
        state = play(state, actions[-1], block)
    return block, actions, state


def test_the_best_hold_of_the_published_first_throw(advisor: Advisor) -> None:
    advice = advisor.advise(Position(YATZY, 0, 0, (5, 5, 1, 6, 6), 2), outlook=True)
    assert advice.best.dice == (5, 5, 6, 6)
    assert option(advice, (6, 6)).regret == pytest.approx(0.828, abs=5e-4)


def test_the_published_full_house_in_fours(advisor: Advisor) -> None:
    advice = advisor.advise(Position(YATZY, 0, 0, (4, 4, 4, 6, 6), 0))
    assert advice.best.category == "full_house"
    assert option(advice, "fours").regret == pytest.approx(5.676, abs=5e-4)


def test_every_option_is_there_once_the_best_first(advisor: Advisor) -> None:
    advice = advisor.advise(Position(YATZY, 0, 0, (1, 1, 2, 2, 5), 2))
    assert len(advice.options) == 18 + 15  # holds of 2 + 2 + 1 dice: 3 * 3 * 2
    assert advice.options[0].regret == 0
    regrets = [o.regret for o in advice.options]
    assert regrets == sorted(regrets)
    assert all(o.regret == pytest.approx(advice.value - o.value, abs=1e-9) for o in advice.options)


def test_equal_options_are_all_best_and_the_one_that_keeps_more_dice_comes_first(
    advisor: Advisor,
) -> None:
    only_yatzy_open = YATZY.full ^ YATZY.make_mask(["yatzy"])
    advice = advisor.advise(Position(YATZY, only_yatzy_open, 0, (1, 2, 3, 4, 5), 1))
    best = [o.dice for o in advice.options if o.best]
    assert best == [(1,), (2,), (3,), (4,), (5,), ()]


@pytest.mark.parametrize(
    ("position", "reason"),
    [
        (
            Position(YATZY, YATZY.make_mask(["ones"]), 6, (1, 2, 3, 4, 5), 2),
            "upper total of 6 cannot come",
        ),
        (
            Position(YATZY, YATZY.make_mask(["sixes"]), 13, (1, 2, 3, 4, 5), 2),
            "13 cannot come from sixes",
        ),
        (Position(YATZY, 0, 1, (1, 2, 3, 4, 5), 2), "cannot come from no upper boxes"),
        (Position(YATZY, 0, -1, (1, 2, 3, 4, 5), 2), "cannot come"),
        (Position(YATZY, 0, 0, (1, 2, 3, 4, 5, 6), 2), "there are 5 dice, not 6"),
        (Position(YATZY, 0, 0, (1, 2, 3, 4, 7), 2), "shows 1 to 6, not 7"),
        (Position(YATZY, 0, 0, (1, 2, 3, 4, 5), 3), "rolls left is 0 to 2, not 3"),
        (Position(YATZY, 0, 0, (1, 2, 3, 4, 5), -1), "rolls left"),
        (Position(YATZY, 1 << 15, 0, (1, 2, 3, 4, 5), 2), "no set of the 15 boxes"),
        (Position(YATZY, YATZY.full, 63, (1, 2, 3, 4, 5), 2), "every box is filled"),
        (Position(YATZY, 0, 0, (1, 2, 3, 4, 5), 2, chips_won=True), "bonus chips"),
        (Position(YATZY, 1 << 14, 0, (1, 2, 3, 4, 5), 2, chips_won=True), "bonus chips"),
    ],
)
def test_a_position_that_no_game_can_reach_is_refused_with_the_reason(
    advisor: Advisor, position: Position, reason: str
) -> None:
    with pytest.raises(BadPosition, match=reason):
        advisor.advise(position)


@pytest.mark.parametrize("ruleset", ["yahtzee", "yahtzee-free-joker"])
def test_chips_are_won_only_where_the_box_for_them_is_filled(ruleset: str) -> None:
    rules = RULESETS[ruleset]
    every_other = rules.full ^ rules.make_mask(["yahtzee"])
    for filled in (0, rules.make_mask(["chance"]), every_other ^ 1):
        upper = max(rules.list_upper_totals(filled))
        with pytest.raises(BadPosition, match="bonus chips"):
            check_card(rules, filled, upper, chips_won=True)
    check_card(rules, rules.make_mask(["yahtzee"]), 0, chips_won=True)


def test_the_tables_of_one_ruleset_say_nothing_of_another(advisor: Advisor) -> None:
    other = Position(RULESETS["yahtzee"], 0, 0, (1, 2, 3, 4, 5), 2)
    with pytest.raises(BadPosition, match="a position of yahtzee is none of yatzy"):
        advisor.advise(other)


@st.composite
def positions(draw: st.DrawFn, rules: Ruleset) -> Position:
    state = start_state(rules)
    filled = draw(st.integers(0, len(rules.categories) - 1))
    rolls = st.lists(st.integers(1, 6), min_size=5, max_size=5)
    for _ in range(filled):
        state = play(state, Hold(0), [[draw(rolls)] * 3] * 15)
        boxes = [a for a in list_legal_actions(state) if isinstance(a, Score)]
        state = play(state, draw(st.sampled_from(boxes)), [])
    dice = tuple(sorted(draw(rolls)))
    left = draw(st.integers(0, rules.throws - 1))
    return Position(rules, state.filled, state.upper, dice, left, state.chips_won)


@pytest.mark.sampled("ruleset")
@pytest.mark.parametrize("ruleset", sorted(RULESETS))
@settings(max_examples=examples(40))
@given(data=st.data())
def test_the_best_option_alone_is_the_first_of_all(ruleset: str, data: st.DataObject) -> None:
    solved(RULESETS[ruleset])
    advisor = Advisor.open(RULESETS[ruleset])
    position = data.draw(positions(RULESETS[ruleset]))
    assert advisor.best(position) == advisor.advise(position).best


@pytest.mark.sampled("ruleset")
@pytest.mark.parametrize("ruleset", sorted(RULESETS))
@settings(max_examples=examples(40))
@given(data=st.data())
def test_compiled_and_numpy_advice_agree(ruleset: str, data: st.DataObject) -> None:
    solved(RULESETS[ruleset])
    plain, compiled = Advisor.open(RULESETS[ruleset]), Advisor.open(RULESETS[ruleset])
    compiled.compile()
    position = data.draw(positions(RULESETS[ruleset]))
    ours, theirs = plain.evaluate(position), compiled.evaluate(position)
    for worth in ("holds", "hold_values", "boxes", "box_values"):
        values = getattr(ours, worth), getattr(theirs, worth)
        np.testing.assert_allclose(*values, rtol=0, atol=1e-10)


@pytest.mark.parametrize("ruleset", ["yatzy", "yahtzee"])
@settings(max_examples=examples(8))
@given(data=st.data())
def test_advice_near_the_end_is_what_the_definition_says(ruleset: str, data: st.DataObject) -> None:
    rules = RULESETS[ruleset]
    solved(rules)
    advisor, reference = Advisor.open(rules), Reference(rules)
    only = data.draw(st.integers(0, len(rules.categories) - 1))
    filled = rules.full ^ (1 << only)
    upper = data.draw(st.sampled_from(sorted(rules.list_upper_totals(filled))))
    dice = tuple(sorted(data.draw(st.lists(st.integers(1, 6), min_size=5, max_size=5))))
    advice = advisor.advise(Position(rules, filled, upper, dice, 1))
    for o in advice.options:
        if o.action == "hold":
            assert o.value == pytest.approx(
                reference.hold(o.dice, 1, filled, upper, False), abs=1e-9
            )
    assert advice.value == pytest.approx(reference.best(dice, 1, filled, upper, False), abs=1e-9)


@pytest.mark.sampled("any_advisor")
def test_the_outlook_of_the_best_option_continues_the_table(any_advisor: Advisor) -> None:
    """Averaged over the first throw, the best option's outlook is that of the start."""
    from solver.rules.dice import find_probability

    chance = moment = 0.0
    for roll in any_advisor.rules.cup.rolls:
        position = Position(any_advisor.rules, 0, 0, roll, 2)
        best = any_advisor.advise(position, outlook=True).best
        chance += find_probability(roll) * known(best.outlook).bonus_chance
        moment += find_probability(roll) * (known(best.outlook).deviation ** 2 + best.value**2)
    stored = known(any_advisor.outlook).read_row(0)[0].tolist()
    assert [chance, moment] == pytest.approx(stored, rel=1e-5)


def greedy(state: State, legal: Sequence[Action]) -> Action:
    if isinstance(legal[0], Hold) and not state.dice:
        return legal[0]
    options = state.rules.score_options(state.filled, state.chips_won, state.dice)
    most = max(options, key=lambda o: o.points)
    return Score(state.rules.categories[most.category].id)


def perfect(advisor: Advisor) -> Choose:
    def choose(state: State, legal: Sequence[Action]) -> Action:
        if not state.dice:
            return legal[0]
        position = Position(
            state.rules, state.filled, state.upper, state.dice, state.throws_left, state.chips_won
        )
        best = advisor.advise(position).best
        if best.action == "score":
            return Score(best.category)
        return next(a for a in legal if isinstance(a, Hold) and a.kept(state.dice) == best.dice)

    return choose


@pytest.mark.parametrize("player", ["random", "greedy", "perfect"])
def test_the_ledger_is_exact_for_every_game(any_advisor: Advisor, player: str) -> None:
    choose = {"random": None, "greedy": greedy, "perfect": perfect(any_advisor)}[player]
    for seed in range(8):
        block, actions, end = random_game(any_advisor.rules, Random(seed), choose)
        ledger = any_advisor.make_ledger(replay_actions(any_advisor.rules, block, actions))
        assert ledger.score == pytest.approx(end.total, abs=1e-6)
        assert all(entry.regret >= 0 for entry in ledger.entries)
        if player == "perfect":
            assert ledger.regret == pytest.approx(0, abs=1e-6)


def test_scoring_early_is_a_mistake_that_comparing_boxes_does_not_show(advisor: Advisor) -> None:
    """Two sixes in Pair after the first roll: no box is better for them, throwing again is."""
    block = [[[6, 6, 1, 2, 4]] * 3] * 15
    early: list[Action] = [Hold(0), Score("pair")]
    entry = next(iter(advisor.entries(replay_actions(YATZY, block, early))))
    advice = advisor.advise(entry.position)
    boxes = [option for option in advice.options if option.action == "score"]
    among_boxes = max(option.value for option in boxes) - entry.value
    assert among_boxes == pytest.approx(0, abs=1e-9)
    assert entry.regret > 5


def test_nothing_but_the_last_box_after_the_last_throw_is_forced(advisor: Advisor) -> None:
    block = [[[3] * 5] * 3] * 15
    actions: list[Action] = []
    for box in YATZY.categories:
        actions += [Hold(0), Hold(0), Hold(0), Score(box.id)]
    forced = [entry.forced for entry in advisor.entries(replay_actions(YATZY, block, actions))]
    assert forced == [False] * 44 + [True]


def test_the_outlook_of_the_start_is_that_of_perfect_play(advisor: Advisor) -> None:
    seen = known(advisor.outlook_start)
    assert seen.expected_rest == pytest.approx(advisor.value_start)
    assert seen.deviation == pytest.approx(38.4964, abs=5e-4)
    assert seen.bonus_chance == pytest.approx(0.8981, abs=5e-5)
    assert Advisor(advisor.values, advisor.rules).outlook_start is None


FIVE = make_cup(5)

GAMES = 3_400  # of each player nightly: over 10,000 together

ChooseGame = Callable[[State, Random, Advisor], Action]


@pytest.fixture(scope="module")
def compiled(yatzy_tables: None) -> Advisor:
    advisor = Advisor.open(YATZY)
    advisor.compile()
    return advisor


def random_player(state: State, random: Random, advisor: Advisor) -> Action:
    return random.choice(list_legal_actions(state))


def greedy_player(state: State, random: Random, advisor: Advisor) -> Action:
    if state.throws_left:
        most = max(state.dice, key=lambda face: (state.dice.count(face), face))
        return Hold(sum(1 << slot for slot in range(FIVE.dice) if state.dice[slot] == most))
    options = state.rules.score_options(state.filled, state.chips_won, state.dice)
    return Score(YATZY.categories[max(options, key=lambda o: o.points).category].id)


def perfect_player(state: State, random: Random, advisor: Advisor) -> Action:
    best = advisor.best(find_position(state))
    if best.action == "hold":
        return next(h for h in map(Hold, range(31, -1, -1)) if h.kept(state.dice) == best.dice)
    return Score(best.category)


def a_game(random: Random, choose: ChooseGame, advisor: Advisor) -> tuple[Block, list[Action], int]:
    block = [[random.choices(range(1, 7), k=FIVE.dice) for _ in range(3)] for _ in range(15)]
    state = start_state(YATZY)
    actions: list[Action] = []
    while not state.finished:
        actions.append(choose(state, random, advisor) if state.dice else Hold(0))
        state = play(state, actions[-1], block)
    return block, actions, state.total


@pytest.mark.sampled("choose")
@pytest.mark.parametrize("choose", [random_player, greedy_player, perfect_player])
@pytest.mark.parametrize("games", [200, pytest.param(GAMES, marks=pytest.mark.nightly)])
def test_the_ledger_adds_up_in_thousands_of_games(
    compiled: Advisor, choose: ChooseGame, games: int
) -> None:
    random = Random(choose.__name__)
    worst, regret = 0.0, 0.0
    for _ in range(games):
        block, actions, total = a_game(random, choose, compiled)
        ledger = compiled.make_ledger(replay_actions(YATZY, block, actions))
        worst = max(worst, abs(ledger.score - total))
        regret += ledger.regret / games
    assert worst < 1e-6
    assert (regret < 1e-6) == (choose is perfect_player)


NUMBER = 3 * TOGETHER + 5  # so that some throws left have more than one lot


def random_position(rules: Ruleset, random: Random) -> Position:
    """Five alike are frequent: jokers are where rulesets differ."""
    filled = random.randrange(rules.full)
    upper = random.choice(sorted(rules.list_upper_totals(filled)))
    chips = rules.joker and filled >> rules.index[rules.joker.box] & 1 and random.random() < 0.5
    dice = [random.randint(1, 6) for _ in range(5)]
    if random.random() < 0.2:
        dice = dice[:1] * 5
    return Position(rules, filled, upper, tuple(dice), random.randrange(rules.throws), bool(chips))


@pytest.fixture(scope="module")
def random_positions(any_advisor: Advisor) -> list[Position]:
    random = Random(5)
    return [random_position(any_advisor.rules, random) for _ in range(NUMBER)]


def named(advice: Advice) -> dict[tuple[str, object], Option]:
    return {(option.category, option.dice): option for option in advice.options}


@pytest.mark.sampled("any_advisor")
def test_every_option_is_the_one_of_a_position_alone(
    any_advisor: Advisor, random_positions: list[Position]
) -> None:
    found = advise_many(any_advisor, random_positions, outlook=True)
    for position, many in zip(random_positions, found, strict=True):
        alone = any_advisor.advise(position, outlook=True)
        assert many.value == pytest.approx(alone.value, abs=2e-12)
        assert [o[:4] for o in many.options] == [o[:4] for o in alone.options]
        ours, theirs = named(many), named(alone)
        assert ours.keys() == theirs.keys()
        for key, option in ours.items():
            assert option[:4] == theirs[key][:4]
            assert option[4:6] == pytest.approx(theirs[key][4:6], abs=2e-12)
            assert option.outlook == pytest.approx(theirs[key].outlook, abs=1e-8)
        costs = [option.regret for option in many.options]
        assert costs == pytest.approx(sorted(costs), abs=TIE)


def test_the_best_of_many_are_the_first_of_all(
    any_advisor: Advisor, random_positions: list[Position]
) -> None:
    everything = advise_many(any_advisor, random_positions)
    for top in (1, 3, 99):
        best = advise_many(any_advisor, random_positions, top=top)
        for one, every in zip(best, everything, strict=True):
            assert one == Advice(every.value, every.options[:top])
            assert one.best.outlook is None


def test_without_the_table_of_outlooks_there_is_none(
    any_advisor: Advisor, random_positions: list[Position]
) -> None:
    plain = Advisor(any_advisor.values, any_advisor.rules)
    found = advise_many(plain, random_positions[:9], outlook=True)
    assert found == advise_many(any_advisor, random_positions[:9])


def test_of_nothing_there_is_no_advice(any_advisor: Advisor) -> None:
    assert advise_many(any_advisor, []) == []


def test_the_outlook_of_the_best_alone_is_the_one_it_has_among_all(
    any_advisor: Advisor, random_positions: list[Position]
) -> None:
    """It is followed forwards to where it ends, where that of all is worked out backwards."""
    everything = advise_many(any_advisor, random_positions, outlook=True)
    best = advise_many(any_advisor, random_positions, top=1, outlook=True)
    for one, every in zip(best, everything, strict=True):
        (option,), first = one.options, every.options[0]
        assert (one.value, option[:6]) == (every.value, first[:6])
        assert option.outlook == pytest.approx(first.outlook, abs=1e-10)
