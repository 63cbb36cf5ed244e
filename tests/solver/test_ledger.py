"""Final score = V(start) + luck - mistakes, for every game that anybody can play."""

from collections.abc import Callable
from random import Random

import pytest

from solver.advice import Advisor, find_position
from solver.rules import (
    YATZY,
    Action,
    Block,
    Hold,
    Score,
    State,
    list_legal_actions,
    play,
    replay_actions,
    start_state,
)
from solver.rules.dice import make_cup

FIVE = make_cup(5)

GAMES = 3_400  # of each player nightly: over 10,000 together

Choose = Callable[[State, Random, Advisor], Action]


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


def a_game(random: Random, choose: Choose, advisor: Advisor) -> tuple[Block, list[Action], int]:
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
    compiled: Advisor, choose: Choose, games: int
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
