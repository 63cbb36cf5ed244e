"""Players of six dice and of saved throws, and what is refused there."""

import numpy as np
import pytest

from solver.advice import Advisor
from solver.arena.performance import simulate
from solver.players import find_player
from solver.players.optimal import LargePlay, make
from solver.players.plain import Advised, make_plain
from solver.players.values import ValuePlay
from solver.rules import PLAYED, YATZY, Box, Hold, Score, State
from solver.rules.rulesets import MAXI_YATZY, YATZY_SAVED
from tests.solver.test_saving_turns import SAVED, coach

__all__ = ["coach"]  # a fixture of theirs


def test_perfect_play_spends_what_it_saved(coach: Advisor) -> None:
    """It stops early, plays more throws later, and reaches the value of perfect play."""
    agent = make(SAVED, "")
    assert isinstance(agent, Advised)
    games = 1000
    found = simulate(agent, SAVED, "optimal", games, seed=5)
    assert found.mean == pytest.approx(coach.value_start, abs=4 * found.deviation / games**0.5)


@pytest.mark.usefixtures("yatzy_tables")
def test_a_large_table_is_played_as_any_other(monkeypatch: pytest.MonkeyPatch) -> None:
    usual = make(YATZY, "")
    monkeypatch.setattr("solver.players.optimal.is_large", lambda _rules: True)
    large = make(YATZY, "")
    assert isinstance(usual, ValuePlay)
    assert isinstance(large, LargePlay)
    rng = np.random.default_rng(1)
    card = tuple(None if number % 3 else Box(0, ()) for number in range(15))
    for left in range(3):
        state = State(YATZY, card, left, (1, 2, 2, 5, 5))
        assert make_plain(large).choose(state, rng) == make_plain(usual).choose(state, rng)
    assert "values" not in vars(large)
    one, other = (simulate(it, YATZY, "optimal", 500, seed=2).counts for it in (large, usual))
    assert np.array_equal(one, other)


def test_greed_with_six_dice_is_the_same_with_and_without_the_compiler() -> None:
    greedy = find_player("greedy").open(MAXI_YATZY)
    rng = np.random.default_rng(2)
    nothing = (None,) * len(MAXI_YATZY.categories)
    for left in range(3):
        for dice in ((1, 2, 2, 5, 5, 5), (6,) * 6, (1, 2, 3, 4, 5, 6)):
            state = State(MAXI_YATZY, nothing, left, dice)
            assert greedy.choose(state, rng) == make_plain(greedy).choose(state, rng)
    # exactly 322.0142, as ``evaluate`` works out in half a minute
    found = simulate(greedy, MAXI_YATZY, "greedy", 2000, seed=3)
    assert found.mean == pytest.approx(322.0142, abs=4 * found.deviation / 2000**0.5)


def test_greed_throws_as_long_as_it_has_throws() -> None:
    greedy, rng = find_player("greedy").open(YATZY_SAVED), np.random.default_rng(1)
    nothing = (None,) * len(YATZY_SAVED.categories)
    for left, stock in ((0, 0), (1, 4), (4, 4), (6, 4)):
        state = State(YATZY_SAVED, nothing, left, (1, 2, 6, 6, 6), stock=stock)
        chosen = greedy.choose(state, rng)
        assert chosen == (Hold(0b11100) if left else Score("chance"))
    whole = State(YATZY_SAVED, nothing, 6, (6,) * 5, stock=4)
    assert greedy.choose(whole, rng) == Score("yatzy")


def test_who_plays_what_has_more_dice_or_more_throws() -> None:
    playing = {
        name: {
            one
            for one in ("optimal", "greedy", "random", "dice-based")
            if find_player(one).plays(rules)
        }
        for name, rules in PLAYED.items()
    }
    assert playing["maxi-yatzy"] == playing["maxi-yatzy-50"] == {"optimal", "greedy", "random"}
    assert playing["yatzy-saved"] == {"optimal", "greedy"}
