"""Players that a network decides for: a position, a card, many games are the same decisions."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import cast

import numpy as np
import pytest

from solver.advice.moments import Evaluation
from solver.arena.learners import read_stored_report
from solver.arena.match import make_random_roller, play_out
from solver.arena.performance import simulate
from solver.arena.results import Exact, hash_weights, read_result
from solver.dp.space import Space
from solver.exact.distribution import Distribution, calculate_distribution
from solver.players import PLAYERS, find_player
from solver.players.agent import GamesInPlay
from solver.players.cards import CardPlay
from solver.players.features import (
    Positions,
    cap_at_bonus,
    find_allowed_boxes,
    make_features,
    make_features_at,
    make_mask,
)
from solver.players.files import TRAINED
from solver.players.learned import NetworkPlay
from solver.rules import RULESETS, Hold, Ruleset, Score, State
from solver.rules.dice import make_cup
from tests.known import known
from tests.solver.conftest import Run

FIVE = make_cup(5)
LEARNED = ("learned-yahtzee", "learned-yatzy")
STATED = {"learned-yahtzee": 251.62, "learned-yatzy": 245.72}  # means that docs/learning.md states


@pytest.fixture(params=LEARNED)
def player(request: pytest.FixtureRequest) -> NetworkPlay:
    entry = find_player(request.param)
    return cast(NetworkPlay, entry.open(RULESETS[entry.rulesets[0]]))


def states_of(rules: Ruleset, games: int, seed: int) -> Iterator[State]:
    rng, agent = np.random.default_rng(seed), find_player("random").open(rules)
    for _ in range(games):
        for state, _ in play_out(agent, rules, make_random_roller(rng), rng).moves:
            if state.dice:
                yield replace(state, dice=tuple(sorted(state.dice)))


def positions_of(rules: Ruleset, states: list[State]) -> Positions:
    space = Space(rules)
    return Positions(
        np.array([space.find_row(one.filled, chips_won=one.chips_won) for one in states]),
        np.array([space.find_column(one.upper) for one in states]),
        np.array([FIVE.roll_index[tuple(sorted(one.dice))] for one in states]),
        np.array([one.throws_left for one in states]),
    )


@pytest.mark.parametrize("ruleset", sorted(RULESETS))
def test_features_of_arrays_are_those_of_states(ruleset: str) -> None:
    rules = RULESETS[ruleset]
    states = list(states_of(rules, 30, 1))
    due = np.array([make_features(state) for state in states])
    cap_at_bonus(rules, due)
    at = positions_of(rules, states)
    assert make_features_at(rules, at) == pytest.approx(due, abs=1e-6)
    boxes = np.array([make_mask(state)[32:] for state in states])
    assert (find_allowed_boxes(rules, at) == (boxes == 1)).all()


def test_a_position_is_decided_alone_as_on_its_card_and_among_others(player: NetworkPlay) -> None:
    rules, rng = player.rules, np.random.default_rng(0)
    states = [next(states_of(rules, 1, seed)) for seed in range(3)] + list(states_of(rules, 3, 9))
    together = player.choose_many(states, rng)
    for state, action in zip(states, together, strict=True):
        assert player.choose(state, rng) == action
        row = player.space.find_row(state.filled, chips_won=state.chips_won)
        card = player.card(row, player.space.find_column(state.upper))
        roll = FIVE.roll_index[state.dice]
        box = Score(rules.categories[card.boxes[0, roll]].id)
        if isinstance(action, Hold):
            held = tuple(die for n, die in enumerate(state.dice) if action.slots >> n & 1)
            assert FIVE.hold_index[held] == card.holds[0, state.throws_left - 1, roll]
        else:
            assert action == box


def test_games_in_lockstep_are_those_of_the_table_of_decisions(player: NetworkPlay) -> None:
    """In last turns, networks would reroll after they held all dice, if they could."""
    rng, games, rules = np.random.default_rng(1), 2000, player.rules
    throws = rng.integers(6**5, size=(rules.throws, games), dtype=np.uint16)
    luck = np.zeros((rules.throws, 1), dtype=np.uint32)
    fast, slow = (GamesInPlay.new(rules, games) for _ in range(2))
    cards = [0, *(rules.full ^ 1 << np.arange(len(rules.categories)))]
    fast.rows[:] = slow.rows[:] = rng.choice(cards, games)
    player.turns(fast, throws, luck, 1)
    CardPlay.turns(player, slow, throws, luck, 1)
    assert np.array_equal(fast.arrays, slow.arrays)


def test_what_ships_is_small_and_plays_as_stated(player: NetworkPlay) -> None:
    """5,000 greedy games within four standard errors."""
    (name,) = (one for one in LEARNED if player.rules.id in PLAYERS[one].rulesets)
    assert (TRAINED / f"{name}.npz").stat().st_size < 2_000_000
    found = simulate(player, player.rules, name, 5_000, 7)
    assert abs(found.mean - STATED[name]) < 4 * found.deviation / 5_000**0.5


@pytest.mark.parametrize("name", LEARNED)
def test_the_exact_mean_of_a_network_is_told_as_it_comes_with_it(
    name: str, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    player = find_player(name)
    monkeypatch.setattr("solver.cli.evaluate.evaluate", lambda *_, **__: Evaluation(1, 2, 0.5, 3))
    asked = ("evaluate", name, "--ruleset", player.rulesets[0], "--json")
    told, anew = (json.loads(run(*asked, *more)[1]) for more in ((), ("--anew",)))
    came = known(read_result(player, RULESETS[player.rulesets[0]]))
    of = came.distribution
    assert (told["mean"], told["sd"], told["states"]) == (of.mean, of.deviation, of.states)
    assert (told["bonus_probability"], told["seconds"]) == (of.bonus_probability, came.seconds)
    assert (anew["mean"], anew["sd"], anew["bonus_probability"], anew["states"]) == (1, 2, 0.5, 3)


@pytest.mark.nightly
@pytest.mark.parametrize("name", [one.id for one in PLAYERS.values() if one.worked_out])
def test_what_comes_with_a_player_is_what_it_is_worth(name: str, tmp_path: Path) -> None:
    """Other processors may round a near tie of a network another way."""
    player = find_player(name)
    rules = RULESETS[player.rulesets[0]]
    shipped = known(read_result(player, rules)).distribution
    found = calculate_distribution(player.open_tabular(rules))
    assert found.mean == pytest.approx(shipped.mean, abs=1e-6)
    assert found.probabilities == pytest.approx(shipped.probabilities, abs=1e-9)
    assert found.bonus_probability == pytest.approx(shipped.bonus_probability, abs=1e-9)


@pytest.mark.parametrize("name", [one.id for one in PLAYERS.values() if one.worked_out])
def test_the_report_and_what_comes_with_a_player_agree(name: str, tmp_path: Path) -> None:
    player = find_player(name)
    rules = RULESETS[player.rulesets[0]]
    exact = known(read_result(player, rules)).distribution
    (told,) = [one for one in known(read_stored_report(rules))["learners"] if one["player"] == name]
    assert told["mean"] == pytest.approx(exact.mean, abs=1e-5)
    assert told["bonus"] == pytest.approx(exact.bonus_probability, abs=1e-5)


def test_a_learned_player_brings_the_result_of_its_own_weights(tmp_path: Path) -> None:
    rules = RULESETS["yatzy"]
    came_with_it, policy = tmp_path / "exact.json", tmp_path / "exact.npz"
    policy.write_bytes(b"learned")
    player = replace(find_player("random"), worked_out=came_with_it)
    assert read_result(player, rules) is None
    scores = Distribution(np.array([0.25, 0.75]), 0.5, 3)
    facts = Exact("random", "yatzy", scores, 1.0).facts()
    came_with_it.write_text(json.dumps(facts | {"policy": hash_weights(came_with_it)}))
    found = known(read_result(player, rules))
    assert found.distribution.mean == 0.75
    policy.write_bytes(b"learned more")
    assert read_result(player, rules) is None
