"""What ``gymnasium.make_vec`` makes, against Gymnasium's own way to step many environments."""

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

import solver.learning  # noqa: F401  registers the environments
from solver.learning.side_by_side import SolitaireVector
from solver.players.features import make_features
from solver.rules import IllegalAction, find_ruleset, start_state

Vector = gymnasium.vector.VectorEnv[Any, Any, Any]


def compiled(name: str = "Yahtzee-v0", count: int = 3, **about: Any) -> SolitaireVector:
    made = gymnasium.make_vec(name, count, **about)
    assert isinstance(made, SolitaireVector)
    return made


def one_by_one(count: int = 3, **about: Any) -> Vector:
    same_step = {"autoreset_mode": AutoresetMode.SAME_STEP}
    return gymnasium.make_vec("Yahtzee-v0", count, "sync", vector_kwargs=same_step, **about)


def first_end(envs: Vector) -> tuple[list[float], tuple[Any, ...]]:
    """The rewards of the first game to end, played by the first allowed box, and the last step.

    The other games throw again first, so that they take longer.
    """
    _, info = envs.reset(seed=4)
    rewards = []
    while True:
        boxes = info["action_mask"].shape[1] - 13
        chosen = np.where(
            info["action_mask"][:, 0], 0, boxes + info["action_mask"][:, boxes:].argmax(1)
        )
        chosen[0] = boxes + info["action_mask"][0, boxes:].argmax()
        seen, reward, ended, cut, info = step = envs.step(chosen)
        rewards.append(float(reward[0]))
        assert not cut.any()
        assert seen in envs.observation_space
        if ended.any():
            return rewards, step


def form(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: form(inner) for key, inner in value.items()}
    return value.dtype, value.shape


@pytest.mark.parametrize("actions", ["slots", "faces"])
def test_all_that_is_told_has_gymnasium_s_form(actions: str) -> None:
    ours, theirs = compiled(actions=actions), one_by_one(actions=actions)
    assert ours.action_space == theirs.action_space
    assert ours.observation_space == theirs.observation_space
    (_, mine), (_, other) = first_end(ours), first_end(theirs)
    assert list(map(form, mine[:4])) == list(map(form, other[:4]))
    assert form(mine[4]) == form(other[4])
    for key in ("_final_obs", "_final_info", "_score", "_action_mask"):
        assert (mine[4][key] == other[4][key]).all()
    assert [seen is None for seen in mine[4]["final_obs"]] == [False, True, True]
    assert form(mine[4]["final_obs"][0]) == form(other[4]["final_obs"][0])


def test_a_game_that_ends_is_told_and_another_stands_in_its_place() -> None:
    envs = compiled()
    rewards, (seen, _, ended, _, info) = first_end(envs)
    assert ended.tolist() == [True, False, False]
    assert info["final_info"]["score"].tolist() == [sum(rewards), 0, 0]
    assert not info["final_info"]["action_mask"].any()
    assert info["score"][0] == 0 < info["score"][1]
    fresh = make_features(start_state(find_ruleset("yahtzee")))
    assert seen[0, 36:49].tolist() == fresh[36:49].tolist() == [1] * 13
    assert info["final_obs"][0][36:49].tolist() == [0] * 13


def test_what_a_step_told_stays_as_it_was() -> None:
    envs = compiled()
    seen, info = envs.reset(seed=1)
    kept = seen.copy(), info["action_mask"].copy(), info["score"].copy()
    envs.step(np.array([32 + 12] * 3))
    assert (seen == kept[0]).all()
    assert (info["action_mask"] == kept[1]).all()
    assert (info["score"] == kept[2]).all()


def test_the_same_seed_gives_the_same_games_and_no_seed_others() -> None:
    envs, again = compiled(), compiled()
    first, _ = envs.reset(seed=5)
    assert (again.reset(seed=5)[0] == first).all()
    assert (envs.reset()[0] != first).any()


def test_an_illegal_action_is_named_as_it_was_chosen_and_nothing_is_played() -> None:
    envs = compiled(actions="faces")
    seen, info = envs.reset(seed=1)
    wrong = int(np.flatnonzero(info["action_mask"][1] == 0)[-1])
    with pytest.raises(IllegalAction, match=f"game 1 does not allow action {wrong} now"):
        envs.step(np.array([462, wrong, 462]))
    assert (envs.games.features == seen).all()
    assert (envs.action_masks() == info["action_mask"]).all()


def test_pictures_are_those_of_single_environments() -> None:
    with pytest.raises(ValueError, match="render_mode is None, not 'rgb_array'"):
        compiled(render_mode="rgb_array")
    envs = one_by_one(2, render_mode="rgb_array")
    envs.reset(seed=1)
    assert np.array(envs.render()).shape == (2, 392, 240, 3)
