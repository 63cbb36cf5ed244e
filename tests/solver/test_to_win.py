"""The player that plays to win: its formula, both ways of working it out, and what it sees."""

import json
from dataclasses import asdict
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from solver.advice import Advisor, position_of
from solver.advice.winning import Both, CardOf
from solver.arena.race import POINTS, Racing, race
from solver.dp.throws import random_throws, throws_of
from solver.dp.turn import holds_of_rolls
from solver.players import Facing, find_player
from solver.players.agent import GamesInPlay
from solver.players.plain import plain
from solver.players.race import ahead, race_turn, rest_of_row
from solver.players.to_win import EXACT_FROM, WinningPlay
from solver.rules import YATZY, Box, Hold, Ruleset, Score, State
from solver.rules.rulesets import YAHTZEE
from tests.solver.conftest import Run

pytestmark = pytest.mark.usefixtures("all_tables")
RNG = np.random.default_rng(0)
BOTH_RULES = pytest.mark.parametrize("rules", [YATZY, YAHTZEE], ids=lambda rules: rules.id)


def player(rules: Ruleset) -> WinningPlay:
    agent = plain(find_player("to-win").open(rules))
    assert isinstance(agent, WinningPlay)
    return agent


def state_of(rules: Ruleset, points: dict[str, int], dice: tuple[int, ...], left: int) -> State:
    boxes = tuple(
        Box(points[one.id], (1,) * rules.dice) if one.id in points else None
        for one in rules.categories
    )
    return State(rules, boxes, left, dice)


def all_but(rules: Ruleset, *still: str, above: int = 0) -> dict[str, int]:
    """Nothing in the lower boxes, so much in the sixes."""
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
        rests.append((level + 60 * bonus + 50 * prize, variance, bonus, prize))
    won = float((sums[0] + 5 > sums[1]).mean())
    assert ahead(5.0, *rests[0], *rests[1], 60.0, 50.0) == pytest.approx(won, abs=0.003)


def test_one_is_ahead_as_often_as_the_other_is_behind() -> None:
    one, other = (48.0, 1900.0, 0.3, 0.2), (33.0, 1700.0, 0.1, 0.05)
    found = [ahead(4, *one, *other, 60, 50), ahead(-4, *other, *one, 60, 50)]
    assert sum(found) == pytest.approx(1.0, abs=1e-12)
    assert ahead(0, *one, *one, 60, 50) == pytest.approx(0.5, abs=1e-12)


def test_at_the_end_a_point_decides() -> None:
    done = (0.0, 0.0, 0.0, 0.0)
    found = [ahead(lead, *done, *done, 60.0, 50.0) for lead in (-1, 0, 1)]
    assert found == pytest.approx([0.0, 0.5, 1.0], abs=1e-5)


@BOTH_RULES
def test_alone_it_is_perfect_play(rules: Ruleset) -> None:
    coach, agent = Advisor.open(rules), player(rules)
    state = state_of(rules, {"ones": 3}, (2, 2, 5, 5, 6), 2)
    assert agent.choose(state, RNG) == agent.choose_facing(state, RNG, [])
    best = coach.best(position_of(state))
    assert agent.choose(state, RNG) == Hold.of(best.dice, state.dice)


def test_far_ahead_and_far_behind_it_still_plays_for_points() -> None:
    """Where the chance is the same whatever it does, points are what is left."""
    agent, coach = player(YATZY), Advisor.open(YATZY)
    state = state_of(YATZY, {"ones": 3}, (2, 2, 5, 5, 6), 1)
    best = Hold.of(coach.best(position_of(state)).dice, state.dice)
    for total in (-4000, 4000):
        assert agent.choose(state, RNG, [total]) == best


def test_behind_it_gives_up_a_box_that_points_would_take() -> None:
    """27 are needed of chance and yatzy: with 25 in chance it takes a yatzy, else 27 in chance."""
    state = state_of(YATZY, all_but(YATZY, "yatzy", "chance"), (6, 6, 5, 4, 4), 0)
    agent = player(YATZY)
    theirs = all_but(YATZY, "ones") | {"chance": 26}
    assert agent.choose(state, RNG) == Score("chance")
    assert agent.choose_facing(state, RNG, [state_of(YATZY, theirs, (), 3)]) == Score("yatzy")


def test_against_a_known_target_it_holds_what_reaches_it() -> None:
    """25 are needed with chance alone: 5 5 and not 5 5 4 (``docs/lab.md``)."""
    state = state_of(YATZY, all_but(YATZY, "chance"), (4, 5, 5, 5, 2), 1)
    done = state_of(YATZY, all_but(YATZY) | {"chance": 26}, (), 3)
    safe = state_of(YATZY, all_but(YATZY) | {"chance": 19}, (), 3)
    agent = player(YATZY)
    assert agent.choose_facing(state, RNG, [done]) == Hold.of((5, 5, 5), state.dice)
    assert agent.choose_facing(state, RNG, [safe]) != Hold.of((5, 5, 5), state.dice)


def test_the_last_rounds_are_those_of_the_exact_game() -> None:
    agent = player(YATZY)
    mine = state_of(YATZY, all_but(YATZY, "yatzy", "pair", "chance", above=18), (1, 1, 5, 5, 6), 2)
    other = state_of(YATZY, all_but(YATZY, "sixes", "pair", "chance"), (), 3)
    exact = Both(YATZY, *(CardOf(one.filled, one.upper, one.total) for one in (mine, other))).turn
    turn = agent.turn_facing(mine, [other])
    assert turn.holds(2) == pytest.approx(exact.holds(2), abs=1e-4)
    assert agent.turn_facing(mine, [other]) is turn  # what was worked out serves the whole turn
    assert len(YATZY.open(mine.filled)) == EXACT_FROM


def test_without_the_compiler_the_exact_game_is_the_same() -> None:
    filled = YATZY.full ^ YATZY.mask(["sixes", "pair", "chance"])
    cards = CardOf(filled, 50, 150), CardOf(filled, 44, 147)
    plainly, quickly = (Both(YATZY, *cards, compiled=one) for one in (False, True))
    assert plainly.after_turn == pytest.approx(quickly.after_turn, abs=1e-12)


def test_cards_that_take_no_turns_and_several_others_are_raced() -> None:
    agent = player(YATZY)
    mine = state_of(YATZY, all_but(YATZY, "chance"), (1, 1, 5, 5, 6), 2)
    slow = state_of(YATZY, all_but(YATZY, "yatzy", "sixes", "chance"), (), 3)
    done = state_of(YATZY, all_but(YATZY) | {"chance": 20}, (), 3)
    for others in ([slow], [done, done]):
        assert isinstance(agent.choose_facing(mine, RNG, others), Hold)
    one, two = (agent.turn_facing(mine, [done] * n).scores[0] for n in (1, 2))
    assert two == pytest.approx(one**2, abs=1e-5)


def test_totals_alone_are_taken_for_a_card_like_its_own() -> None:
    state = state_of(YATZY, {"ones": 3, "twos": 6}, (3, 3, 3, 4, 5), 2)
    twin = state_of(YATZY, {"ones": 3, "twos": 6}, (), 3)
    agent = player(YATZY)
    found = {agent.choose(state, RNG, [9]), agent.choose_facing(state, RNG, [twin])}
    assert len(found) == 1
    assert isinstance(agent, Facing)


def thrown(hold: int, number: int, rules: Ruleset) -> int:
    """The roll that a hold becomes, as the kernels read the dice of a throw."""
    dice = throws_of(rules.dice)
    while hold < dice.stop:
        hold, number = dice.more[hold, number % 6 + 1], number // 6
    return int(hold - dice.stop)


@BOTH_RULES
def test_many_games_at_once_do_what_one_decision_at_a_time_does(rules: Ruleset) -> None:
    games, racing, rng = 12, Racing(rules), np.random.default_rng(5)
    coach, seats = Advisor.open(rules), [GamesInPlay.new(rules, games) for _ in range(2)]
    for turn in range(len(rules.categories)):
        cards = [list(map(card_at, each_of(seat))) for seat in seats]
        throws = random_throws(rng, rules, games)
        racing.turn(seats[0], seats[1], throws, racing.lumps)
        for game in {turn % games, (turn + 5) % games}:
            mine, theirs = (of[game] for of in cards)
            seen = theirs.points, rest_of_row(coach, theirs.row, theirs.upper)
            worth = race_turn(coach, mine, [seen])
            roll = thrown(0, int(throws[0, game]), rules)
            for left in range(rules.throws - 1, 0, -1):
                holds = holds_of_rolls(rules.dice)[roll]
                hold = int(holds[worth.holds(left)[holds].argmax()])
                roll = thrown(hold, int(throws[rules.throws - left, game]), rules)
            box = int(worth.boxes[worth.scores[:, roll].argmax()])
            assert seats[0].rows[game] & rules.full == mine.filled | 1 << box
        racing.turn(seats[1], seats[0], random_throws(rng, rules, games), POINTS)
    assert (seats[1].rows & rules.full == rules.full).all()


def each_of(games: GamesInPlay) -> Any:
    return (
        (games.rules, *numbers)
        for numbers in zip(*map(np.ndarray.tolist, games.arrays), strict=True)
    )


def card_at(facts: tuple[Ruleset, int, int, int]) -> Any:
    """What ``race_turn`` looks at of a state."""
    rules, row, upper, points = facts
    filled, won = row & rules.full, row > rules.full
    return SimpleNamespace(row=row, filled=filled, upper=upper, chips_won=won, points=points)


def test_a_race_is_even_where_nobody_plays_to_win(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("solver.arena.race.lumps", lambda rules: POINTS)
    even = race(YATZY, 50, 1, same=True)
    assert (even.won, even.ties, even.points, even.margin) == (0.5, 1.0, 0.0, 0.0)


def test_the_command_tells_how_often_it_wins(run: Run) -> None:
    status, out, err = run("race", "yatzy", "--games", "40", "--json")
    assert (status, err) == (0, "")
    found = json.loads(out)
    assert found == {"won": found["won"], **asdict(race(YATZY, 40, 1, same=True))}
    assert 0.2 < found["won"] < 0.8
    status, out, _ = run("race", "yatzy", "--games", "40", "--own-dice")
    own = race(YATZY, 40, 1, same=False)
    assert own.ties < found["ties"]
    assert f"{own.won:.2%} ± {own.margin:.2%}" in out
    assert run("race", "yatzy", "--games", "0")[0] == 2
