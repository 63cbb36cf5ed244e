"""Final score = V(start) + luck - mistakes, for every game that anybody can play."""

from collections.abc import Callable
from random import Random

import pytest

from solver.advice import Advisor, position_of
from solver.rules import (
    YATZY,
    Action,
    Block,
    Hold,
    Score,
    State,
    legal_actions,
    play,
    played,
    start,
)
from solver.rules.dice import cup_of

FIVE = cup_of(5)

GAMES = 3_400  # of each player nightly: over 10,000 together

Choose = Callable[[State, Random, Advisor], Action]


@pytest.fixture(scope="module")
def compiled(yatzy_tables: None) -> Advisor:
    advisor = Advisor.open(YATZY)
    advisor.compile()
    return advisor


def random_player(state: State, random: Random, advisor: Advisor) -> Action:
    return random.choice(legal_actions(state))


def greedy_player(state: State, random: Random, advisor: Advisor) -> Action:
    """Keeps what shows most often, then fills the box with most points."""
    if state.throws_left:
        most = max(state.dice, key=lambda face: (state.dice.count(face), face))
        return Hold(sum(1 << slot for slot in range(FIVE.dice) if state.dice[slot] == most))
    options = state.rules.score_options(state.filled, state.chips_won, state.dice)
    return Score(YATZY.categories[max(options, key=lambda o: o.points).category].id)


def perfect_player(state: State, random: Random, advisor: Advisor) -> Action:
    best = advisor.best(position_of(state))
    if best.action == "hold":
        return next(h for h in map(Hold, range(31, -1, -1)) if h.kept(state.dice) == best.dice)
    return Score(best.category)


def a_game(random: Random, choose: Choose, advisor: Advisor) -> tuple[Block, list[Action], int]:
    block = [[random.choices(range(1, 7), k=FIVE.dice) for _ in range(3)] for _ in range(15)]
    state = start(YATZY)
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
        ledger = compiled.ledger(played(YATZY, block, actions))
        worst = max(worst, abs(ledger.score - total))
        regret += ledger.regret / games
    assert worst < 1e-6
    assert (regret < 1e-6) == (choose is perfect_player)


def test_scoring_early_is_a_mistake_that_comparing_boxes_does_not_show(advisor: Advisor) -> None:
    """Two sixes in Pair after the first roll: no box is better for them, throwing again is."""
    block = [[[6, 6, 1, 2, 4]] * 3] * 15
    early: list[Action] = [Hold(0), Score("pair")]
    entry = next(iter(advisor.entries(played(YATZY, block, early))))
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
    forced = [entry.forced for entry in advisor.entries(played(YATZY, block, actions))]
    assert forced == [False] * 44 + [True]
