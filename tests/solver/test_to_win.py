"""The player that plays to win: its formula, what it sees, and how it decides."""

import numpy as np
import pytest

from solver.advice import Advisor, find_position
from solver.dp.arrays import make_random_rolls
from solver.players import Facing, find_player
from solver.players.plain import Advised, make_plain
from solver.players.to_win import (
    CardRest,
    WinningPlay,
    estimate_rest,
    find_dearest_box,
    find_win_chance,
    make_race_turn,
)
from solver.rules import (
    YATZY,
    Box,
    Hold,
    Ruleset,
    Score,
    State,
    apply_action,
    apply_roll,
    start_state,
)
from solver.rules.rulesets import YAHTZEE

pytestmark = pytest.mark.usefixtures("all_tables")
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
    assert agent.choose(state, RNG) == Hold.of(best.dice, state.dice)


def test_far_ahead_and_far_behind_it_still_plays_for_points() -> None:
    """If no action changes the chance, points decide."""
    agent, coach = player(YATZY), Advisor.open(YATZY)
    state = state_of(YATZY, {"ones": 3}, (2, 2, 5, 5, 6), 1)
    best = Hold.of(coach.best(find_position(state)).dice, state.dice)
    for total in (-4000, 4000):
        assert agent.choose(state, RNG, [total]) == best


def test_behind_it_gives_up_a_box_that_points_would_take(whole: Advisor) -> None:
    """27 are needed of chance and the dearest: with 25 in chance it is the dearest, else chance."""
    rules = whole.rules
    dear = rules.categories[find_dearest_box(rules)].id
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
    assert agent.choose_facing(state, RNG, [done]) == Hold.of((5, 5, 5), state.dice)
    assert agent.choose_facing(state, RNG, [safe]) != Hold.of((5, 5, 5), state.dice)


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
