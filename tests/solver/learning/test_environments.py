from dataclasses import replace
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import solver.learning  # noqa: F401  registers the environments
from solver.learning.environments import Solitaire
from solver.players.features import find_par, make_features, make_layout, make_mask
from solver.rules import PLAYED, IllegalAction, State, find_ruleset

IDS = {
    "Yatzy-v0": "yatzy",
    "Yahtzee-v0": "yahtzee",
    "YahtzeeFreeJoker-v0": "yahtzee-free-joker",
    "YahtzeePlain-v0": "yahtzee-plain",
    "MaxiYatzy-v0": "maxi-yatzy",
    "MaxiYatzy50-v0": "maxi-yatzy-50",
    "YatzySaved-v0": "yatzy-saved",
}

Env = gymnasium.Env[Any, Any]


def solitaire(env: Env) -> Solitaire:
    inner = env.unwrapped
    assert isinstance(inner, Solitaire)
    return inner


def text(env: Env) -> str:
    drawn = env.render()
    assert isinstance(drawn, str)
    return drawn


def random_game(env: Env, seed: int) -> list[tuple[Any, Any, dict[str, Any]]]:
    """Every observation, reward and info of a game of random allowed actions."""
    random = np.random.default_rng(seed)
    observation, info = env.reset(seed=seed)
    steps: list[tuple[Any, Any, dict[str, Any]]] = [(observation, 0.0, info)]
    finished = False
    while not finished:
        action = int(random.choice(np.flatnonzero(info["action_mask"])))
        observation, reward, finished, truncated, info = env.step(action)
        assert not truncated
        steps.append((observation, reward, info))
    return steps


@pytest.mark.parametrize("name", IDS)
def test_gymnasium_finds_nothing_wrong(name: str) -> None:
    env = gymnasium.make(name, render_mode="ansi")
    check_env(env.unwrapped)
    assert solitaire(env).rules.id == IDS[name]


def test_every_ruleset_has_an_environment() -> None:
    assert set(PLAYED) <= {spec.kwargs.get("ruleset") for spec in gymnasium.registry.values()}


@pytest.mark.parametrize("name", IDS)
def test_rewards_add_up_to_the_score_and_every_observation_is_in_its_space(name: str) -> None:
    env = gymnasium.make(name)
    for seed in range(5):
        steps = random_game(env, seed)
        assert sum(reward for _, reward, _ in steps) == solitaire(env).state.total
        assert steps[-1][2]["score"] == solitaire(env).state.total
        assert all(env.observation_space.contains(seen) for seen, *_ in steps)
        assert not steps[-1][2]["action_mask"].any()


@pytest.mark.parametrize("action", [3, 47, -1, 1000])
def test_an_illegal_action_is_an_error_and_changes_nothing(action: int) -> None:
    env = gymnasium.make("Yatzy-v0", disable_env_checker=True)
    env.reset(seed=1)
    for _ in range(2):
        env.step(0)
    before = solitaire(env).state
    assert not before.throws_left
    with pytest.raises(IllegalAction):
        env.step(action)
    assert solitaire(env).state == before
    env.step(32)
    with pytest.raises(IllegalAction, match="filled already"):
        env.step(32)


def test_nothing_can_be_done_after_the_end() -> None:
    env = gymnasium.make("Yatzy-v0", disable_env_checker=True)
    random_game(env, 2)
    with pytest.raises(IllegalAction, match="over"):
        env.step(32)


def test_a_hold_keeps_its_slots_and_the_dice_lie_in_order() -> None:
    env = gymnasium.make("Yatzy-v0").unwrapped
    env.reset(seed=7)
    dice = solitaire(env).state.dice
    env.step(np.int64(0b10001))
    now = list(solitaire(env).state.dice)
    assert now == sorted(now)
    now.remove(dice[0])
    now.remove(dice[4])
    env.step(31)
    assert list(solitaire(env).state.dice) == sorted([dice[0], dice[4], *now])
    assert solitaire(env).state.throws_left == 0


def test_the_card_is_drawn_as_text() -> None:
    env = gymnasium.make("Yahtzee-v0", render_mode="ansi")
    env.reset(seed=1)
    drawn = text(env)
    assert all(category.id in drawn for category in find_ruleset("yahtzee").categories)
    assert "throws left 2" in drawn
    env.step(44)
    assert ["chance", str(solitaire(env).state.total)] in map(str.split, text(env).splitlines())
    with pytest.raises(ValueError, match="human"):
        Solitaire(render_mode="human")


def test_features_say_what_they_are_named_after() -> None:
    rules = find_ruleset("yahtzee")
    state = State(rules, (None,) * 13, 1, (1, 1, 1, 1, 1))
    row, groups = make_features(state), make_layout(rules).groups
    assert row[groups["dice"]].reshape(5, 6)[:, 0].tolist() == [1] * 5
    assert row[groups["counts"]].tolist() == [1, 0, 0, 0, 0, 0]
    assert row[groups["throws_left"]].tolist() == [0, 1, 0]
    assert row[groups["upper_distance"]] == 1
    assert row[groups["joker"]] == 0
    assert row[groups["potential"]][rules.index["yahtzee"]] == 1
    assert row[groups["potential"]][rules.index["ones"]] == 1
    assert make_mask(state).sum() == 45


def test_what_is_saved_is_seen_beside_the_throws_of_the_turn() -> None:
    """28 throws at most: two of each turn before the last."""
    env = gymnasium.make("YatzySaved-v0").unwrapped
    seen, _ = env.reset(seed=1)
    groups = make_layout(solitaire(env).rules).groups
    own, saved = groups["throws_left"], groups["stock"]
    assert (seen[own].tolist(), seen[saved]) == ([0, 0, 1], 0)
    seen, *_ = env.step(32 + 13)
    for left, stock in (([0, 0, 1], 2), ([0, 1, 0], 2), ([1, 0, 0], 2), ([1, 0, 0], 1)):
        assert seen[own].tolist() == left
        assert seen[saved] == np.float32(stock / 28)
        seen, *_ = env.step(0)
    assert seen[saved] == 0
    assert "stock" in make_layout(find_ruleset("yatzy")).groups
    assert make_layout(find_ruleset("yatzy")).width == seen.size - 1


def test_par_is_what_secures_the_bonus() -> None:
    assert [find_par(PLAYED[name]) for name in IDS.values()] == [3, 3, 3, 3, 4, 4, 3]
    assert find_par(replace(PLAYED["yatzy"], bonus_threshold=64)) == 4
