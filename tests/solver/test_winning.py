"""Playing to win, and the chance to reach a score while a game is open."""

import json
from collections.abc import Callable
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solver.advice import Advisor, BadPosition, Position, find_position
from solver.advice.winning import (
    MOST_OPEN,
    Payoff,
    TooEarly,
    calculate_chance,
    estimate_chance,
    find_chances,
    make_duel_payoff,
    make_target_payoff,
    predict_card_points,
    predict_points,
    predict_totals,
)
from solver.advice.winning.endgame import Endgame
from solver.arena import results
from solver.arena.chunks import find_tabular_agents
from solver.arena.contestants import find_contestants
from solver.arena.performance import simulate
from solver.arena.results import rank_distributions, rank_players
from solver.cli.solve import solve_to
from solver.dp.arrays import Floats, find_roll_chances, make_random_rolls
from solver.exact.distribution import Distribution
from solver.players import Facing, find_player
from solver.players.plain import Advised, make_plain
from solver.players.to_win import (
    CardRest,
    WinningPlay,
    estimate_rest,
    find_most_valuable_box,
    find_win_chance,
    make_race_turn,
)
from solver.players.values import ValuePlay
from solver.rules import (
    RULESETS,
    YATZY,
    Box,
    Hold,
    Ruleset,
    Score,
    State,
    apply_action,
    apply_roll,
    list_legal_actions,
    play,
    start_state,
)
from solver.rules.dice import Dice, make_cup
from solver.rules.rulesets import YAHTZEE
from solver.tables import EXPLAIN, OUTLOOK, VALUES, open_table
from solver.tables.parts import make_explain, make_outlook, make_values
from tests.conftest import solved
from tests.selection import examples
from tests.solver.conftest import Run
from tests.solver.made_up import FOUR_DICE_JOKER, THREE_DICE, TWO_DICE
from tests.solver.reference import CardState, Choice, Followed, ToWin, outcomes
from tests.solver.test_advice import positions
from tests.solver.test_solver import tiny_joker_rulesets, tiny_rulesets

pytestmark = pytest.mark.usefixtures("all_tables")


FIVE = make_cup(5)

EVERY = pytest.mark.parametrize("ruleset", sorted(RULESETS))


def agrees(rules: Ruleset, payoff: Payoff, card: CardState, rolls: list[Dice]) -> None:
    slow = ToWin(rules, payoff.pay)
    filled, upper, chips_won = card
    endgame = Endgame(rules, filled, upper, payoff, chips_won=chips_won)
    best = endgame.turn.best(rules.throws - 1)
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
    state = start_state(rules)
    while len(rules.open(state.filled)) > 3:
        state = play(state, Hold(0), [[list(data.draw(rolls))] * 3] * 15)
        options = rules.score_options(state.filled, state.chips_won, state.dice)
        state = apply_action(state, Score(rules.categories[options[0].category].id))
    states = [state]
    for action in (Hold(0), Hold(data.draw(st.integers(0, 31)))):
        states.append(apply_action(states[-1], action))
        states.append(play(states[-2], action, [[list(data.draw(rolls))] * 3] * 15))
    for state in states:
        totals = predict_totals(coach, state)
        assert totals.sum() == pytest.approx(1.0, abs=1e-12)
        expected = np.arange(len(totals)) @ totals
        assert expected == pytest.approx(state.points + value_of(coach, state), abs=1e-8)


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
    assert [payoff.pay(points) for points in (0, 1, 2, 3, 99)] == [0.0, 0.125, 0.625, 1.0, 1.0]
    assert payoff.shift_by(1).pay(0) == 0.125
    assert payoff.shift_by(50).pay(0) == 1.0


def test_all_or_nothing_is_nothing_below_and_all_from_there_on() -> None:
    payoff = make_target_payoff(31)
    assert [payoff.pay(points) for points in (0, 30, 31, 99)] == [0.0, 0.0, 1.0, 1.0]
    assert (payoff.begins, payoff.settled) == (31, 31)
    assert payoff.shift_by(30).pay(1) == 1.0
    assert make_target_payoff(-5).pay(0) == make_target_payoff(0).pay(0) == 1.0


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


def test_the_command_tells_what_to_do_and_what_points_would_choose(run: Run) -> None:
    found = told(run, "--dice", "1,1,5,5,6", "--rolls-left", "2", "--target", "250")
    assert found["best"]["dice"] == [5, 5]
    assert found["by_points"]["dice"] == [5, 5, 6]
    assert found["by_points"]["best"]
    assert found["chance"] > found["by_points"]["chance"] > found["for_points"] > 0
    assert found["by_points"]["chance_regret"] == pytest.approx(
        found["chance"] - found["by_points"]["chance"]
    )


def test_the_command_tells_the_chances_of_a_card_before_its_throw(run: Run) -> None:
    same = ("--other-filled", TWO_LEFT, "--other-upper", "60", "--other-total", "219")
    found = told(run, *same)
    assert found["for_points"] == pytest.approx(0.5, abs=1e-12)  # a tie is half a win
    assert found["chance"] == pytest.approx(0.5425, abs=5e-5)


RNG = np.random.default_rng(0)
GAMES = 4
# By how much it ended ahead in the games of seed 101, from the first seat and from the second.
MARGINS = {
    "yatzy": [[7, -14, -1, -4], [7, -14, 25, 14]],
    "yahtzee": [[26, 0, 25, -97], [26, 5, 25, 6]],
    "yahtzee-free-joker": [[26, 0, 25, -97], [26, 5, 25, 6]],
    "yahtzee-plain": [[-14, 0, 0, 2], [0, 0, 0, 2]],
}
BOTH_RULES = pytest.mark.parametrize("rules", [YATZY, YAHTZEE], ids=lambda rules: rules.id)


def player(rules: Ruleset) -> WinningPlay:
    agent = make_plain(find_player("to-win").open(rules))
    assert isinstance(agent, WinningPlay)
    return agent


def player_with(coach: Advisor) -> WinningPlay:
    """Return one that has all tables, which the usual place of the tests lacks."""
    agent = WinningPlay(coach.rules)
    vars(agent)["_coach"] = coach
    return agent


def state_of(rules: Ruleset, points: dict[str, int], dice: tuple[int, ...], left: int) -> State:
    boxes = tuple(
        Box(points[one.id], (1,) * rules.dice) if one.id in points else None
        for one in rules.categories
    )
    return State(rules, boxes, left, dice)


def all_but(rules: Ruleset, *still: str, above: int = 0) -> dict[str, int]:
    found = {one.id: 0 for one in rules.categories if one.id not in still}
    return found | ({"sixes": above} if above else {})


def test_the_chance_to_be_ahead_is_that_of_lumps_and_a_normal_rest() -> None:
    """Bonus or not and the dearest box or not, of the one and of the other, drawn."""
    rng, draws = np.random.default_rng(3), 400_000
    sums, rests = [], []
    for bonus, prize, level, spread in ((0.3, 0.2, 30.0, 9.0), (0.6, 0.05, 10.0, 12.0)):
        lumps = 60.0 * (rng.random(draws) < bonus) + 50.0 * (rng.random(draws) < prize)
        sums.append(level + lumps + rng.normal(0, spread, draws))
        variance = spread**2 + 3600 * bonus * (1 - bonus) + 2500 * prize * (1 - prize)
        rests.append(CardRest(level + 60 * bonus + 50 * prize, variance, bonus, prize))
    won = float((sums[0] + 5 > sums[1]).mean())
    mine, theirs = rests
    assert find_win_chance(5.0, mine, theirs, (60.0, 50.0)) == pytest.approx(won, abs=0.003)


def test_one_is_ahead_as_often_as_the_other_is_behind() -> None:
    one, other = CardRest(48.0, 1900.0, 0.3, 0.2), CardRest(33.0, 1700.0, 0.1, 0.05)
    found = [find_win_chance(4, one, other, (60, 50)), find_win_chance(-4, other, one, (60, 50))]
    assert sum(found) == pytest.approx(1.0, abs=1e-12)
    assert find_win_chance(0, one, one, (60, 50)) == pytest.approx(0.5, abs=1e-12)


def test_at_the_end_a_point_decides() -> None:
    done = CardRest(0.0, 0.0, 0.0, 0.0)
    found = [find_win_chance(lead, done, done, (60.0, 50.0)) for lead in (-1, 0, 1)]
    assert found == pytest.approx([0.0, 0.5, 1.0], abs=1e-5)


@BOTH_RULES
def test_alone_it_is_perfect_play(rules: Ruleset) -> None:
    coach, agent = Advisor.open(rules), player(rules)
    state = state_of(rules, {"ones": 3}, (2, 2, 5, 5, 6), 2)
    assert agent.choose(state, RNG) == agent.choose_facing(state, RNG, [])
    best = coach.best(find_position(state))
    assert agent.choose(state, RNG) == Hold.from_faces(best.dice, state.dice)


def test_far_ahead_and_far_behind_it_still_plays_for_points() -> None:
    """If no action changes the chance, points decide."""
    agent, coach = player(YATZY), Advisor.open(YATZY)
    state = state_of(YATZY, {"ones": 3}, (2, 2, 5, 5, 6), 1)
    best = Hold.from_faces(coach.best(find_position(state)).dice, state.dice)
    for total in (-4000, 4000):
        assert agent.choose(state, RNG, [total]) == best


def test_behind_it_gives_up_a_box_that_points_would_take(whole: Advisor) -> None:
    """27 are needed of chance and the dearest: with 25 in chance it is the dearest, else chance."""
    rules = whole.rules
    dear = rules.categories[find_most_valuable_box(rules)].id
    state = state_of(rules, all_but(rules, dear, "chance"), (6, 6, 5, 4, 4), 0)
    agent = player_with(whole)
    theirs = all_but(rules, "ones") | {"chance": 26}
    assert agent.choose(state, RNG) == Score("chance")
    assert agent.choose_facing(state, RNG, [state_of(rules, theirs, (), 3)]) == Score(dear)


def test_against_a_known_target_it_holds_what_reaches_it() -> None:
    """25 are needed with chance alone: 5 5 and not 5 5 4 (``docs/lab.md``)."""
    state = state_of(YATZY, all_but(YATZY, "chance"), (4, 5, 5, 5, 2), 1)
    done = state_of(YATZY, all_but(YATZY) | {"chance": 26}, (), 3)
    safe = state_of(YATZY, all_but(YATZY) | {"chance": 19}, (), 3)
    agent = player(YATZY)
    assert agent.choose_facing(state, RNG, [done]) == Hold.from_faces((5, 5, 5), state.dice)
    assert agent.choose_facing(state, RNG, [safe]) != Hold.from_faces((5, 5, 5), state.dice)


def test_several_others_are_to_be_beaten_one_and_all() -> None:
    mine = state_of(YATZY, all_but(YATZY, "chance"), (1, 1, 5, 5, 6), 2)
    coach = Advisor.open(YATZY)
    done = 20, estimate_rest(coach, YATZY.full, 0)
    one, two = (make_race_turn(coach, mine, [done] * n).scores[0] for n in (1, 2))
    assert two == pytest.approx(one**2, abs=1e-5)
    assert 0.2 < one.max() < 1.1


def test_whole_games_end_as_those_did_that_its_strength_was_measured_by(whole: Advisor) -> None:
    """The first games of a seed; of a million such games of Yatzy it won 53.02 %."""
    rng, rules = np.random.default_rng(101), whole.rules
    turns = [make_random_rolls(rng, rules, GAMES) for _ in rules.categories]
    games = [[turn[:, game].tolist() for turn in turns] for game in range(GAMES)]
    found = [[margin(whole, game, seat) for game in games] for seat in (0, 1)]
    assert found == MARGINS[rules.id]


def margin(coach: Advisor, turns: list[list[int]], seat: int) -> int:
    """Return by how much it ends ahead of perfect play on the same dice: digits to base six."""
    to_win, perfect = player_with(coach), Advised(coach)
    seats = [start_state(coach.rules), start_state(coach.rules)]
    for throws in turns:
        for at in (0, 1):
            state, numbers = apply_action(seats[at], Hold(0)), iter(throws)
            while state.waiting or state.dice:
                if state.waiting:
                    state = apply_roll(state, faces(next(numbers), state.held))
                elif at == seat:
                    state = apply_action(state, to_win.choose_facing(state, RNG, [seats[1 - at]]))
                else:
                    state = apply_action(state, perfect.choose(state, RNG))
            seats[at] = state
    return seats[seat].total - seats[1 - seat].total


def faces(number: int, held: int) -> list[int]:
    shown = [1] * YATZY.dice
    for slot in range(YATZY.dice):
        if not held >> slot & 1:
            shown[slot], number = number % 6 + 1, number // 6
    return shown


def test_totals_alone_are_taken_for_a_card_like_its_own() -> None:
    state = state_of(YATZY, {"ones": 3, "twos": 6}, (3, 3, 3, 4, 5), 2)
    twin = state_of(YATZY, {"ones": 3, "twos": 6}, (), 3)
    agent = player(YATZY)
    found = {agent.choose(state, RNG, [9]), agent.choose_facing(state, RNG, [twin])}
    assert len(found) == 1
    assert isinstance(agent, Facing)


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


def test_a_whole_game_reaches_it_as_often_as_is_told_about(whole: Advisor) -> None:
    rules = whole.rules
    played = simulate(ValuePlay(whole.values.read_all(), rules), rules, "", 20_000, seed=3)
    reached = played.counts[::-1].cumsum()[::-1] / played.games
    for points in FAR:
        goal = round(whole.value_start) + points
        told = estimate_chance(whole, start_state(rules), goal)
        assert told == pytest.approx(reached[goal], abs=CLOSE.get(rules.id, LESS_CLOSE)), points


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


def of(weights: list[int]) -> Distribution:
    return Distribution(np.array(weights) / sum(weights), 0.0, 1)


some = st.lists(st.integers(1, 9), min_size=1, max_size=5)


@given(st.lists(some, min_size=1, max_size=3))
def test_chances_are_those_of_every_combination_of_scores(weights: list[list[int]]) -> None:
    found = rank_distributions({str(n): of(row) for n, row in enumerate(weights)})
    order = [int(name) for name in found.names]
    points, wins, ties = np.zeros(3), np.zeros((3, 3)), np.zeros((3, 3))
    for scores in product(*(range(len(row)) for row in weights)):
        chance = np.prod([of(row).probabilities[s] for row, s in zip(weights, scores, strict=True)])
        for one, score in enumerate(scores):
            points[one] += chance * (score == max(scores))
            for other, less in enumerate(scores):
                wins[one, other] += chance * (score > less)
                ties[one, other] += chance * (score == less and one != other)
    assert found.points == pytest.approx(points[order])
    assert (np.diff(found.points) <= 1e-12).all()
    for a, one in enumerate(order):
        for b, other in enumerate(order):
            if a != b:
                assert found.wins[a, b] == pytest.approx(wins[one, other])
                assert found.ties[a, b] == pytest.approx(ties[one, other])


def test_players_of_the_same_strength_stay_as_they_are_listed() -> None:
    """The last bits of their points differ by the order of a sum."""
    little = 1e-14
    listed = {
        "weak": of([2, 1]),
        "first": Distribution(np.array([1 / 3 + little, 2 / 3 - little]), 0.0, 1),
        "second": Distribution(np.array([1 / 3 - little, 2 / 3 + little]), 0.0, 1),
    }
    assert rank_distributions(listed).names == ("first", "second", "weak")


def test_who_has_no_distribution_yet_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(results, "read_result", lambda player, rules: None)
    assert rank_players(YAHTZEE).names == ()


def test_a_player_that_looks_at_its_opponents_is_in_no_exact_table(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Its table is perfect play's, and it loses points on purpose where others are ahead."""
    asked: list[str] = []
    monkeypatch.setattr(results, "read_result", lambda player, rules: asked.append(player.id))
    rank_players(YATZY)
    assert "optimal" in asked
    assert "to-win" not in asked
    contestants = find_contestants(["optimal", "to-win"], YATZY)
    assert list(find_tabular_agents(contestants)) == [0]
