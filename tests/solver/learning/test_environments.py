"""The environments of Gymnasium and PettingZoo: alone, side by side, at a table, in pictures."""

import struct
import zlib
from dataclasses import replace
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode
from pettingzoo.test import api_test, parallel_api_test, seed_test
from pettingzoo.utils.conversions import turn_based_aec_to_parallel

import solver.learning  # noqa: F401  registers the environments
from solver.charts.png import read_pixels
from solver.learning.environments import NUMBERINGS, Solitaire, draw_rgb_array
from solver.learning.side_by_side import SolitaireVector
from solver.learning.table import YatzyTable
from solver.players.features import find_par, make_features, make_layout, make_mask
from solver.rules import PLAYED, IllegalAction, State, find_ruleset, start_state
from solver.rules.dice import Dice, list_holds, make_cup

# PettingZoo's own tests ask for plain arrays; a mask that must not be missed makes a dict of it.
pytestmark = [
    pytest.mark.filterwarnings("ignore:Observation is not a NumPy array"),
    pytest.mark.filterwarnings("ignore:Observation space for each agent probably"),
]
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


CUP = make_cup(5)


def dice_kept(actions: str, number: int, dice: Dice) -> Dice:
    if actions == "faces":
        return CUP.holds[number]
    return tuple(die for slot, die in enumerate(dice) if number >> slot & 1)


@pytest.mark.parametrize("actions", NUMBERINGS)
def test_the_mask_allows_every_hold_of_the_dice_and_every_open_box(actions: str) -> None:
    env, random = Solitaire("yahtzee", actions=actions), np.random.default_rng(1)
    _, info = env.reset(seed=1)
    holds = 462 if actions == "faces" else 32
    while not env.state.finished:
        allowed = np.flatnonzero(info["action_mask"])
        kept = [dice_kept(actions, n, env.state.dice) for n in allowed.tolist() if n < holds]
        assert set(kept) == (set(list_holds(env.state.dice)) if env.state.throws_left else set())
        if actions != "slots":
            assert len(set(kept)) == len(kept)
        boxes = {env.rules.categories[n - holds].id for n in allowed if n >= holds}
        assert boxes == {env.rules.categories[box].id for box in env.state.offers}
        chosen = int(random.choice(allowed))
        stays = dice_kept(actions, chosen, env.state.dice) if chosen < holds else ()
        *_, info = env.step(np.int64(chosen))
        assert not stays or stays in list_holds(env.state.dice)
    assert not info["action_mask"].any()


@pytest.mark.parametrize("actions", ["distinct", "faces"])
def test_what_the_mask_forbids_is_an_error_and_changes_nothing(actions: str) -> None:
    env = Solitaire("yatzy", actions=actions)
    assert isinstance(env.action_space, gymnasium.spaces.Discrete)
    env.reset(seed=2)
    for action in [*np.flatnonzero(~env.action_masks()), -1, int(env.action_space.n)]:
        before = env.state
        with pytest.raises(IllegalAction, match=f"action {action}$"):
            env.step(action)
        assert env.state == before


def test_other_numberings_are_refused() -> None:
    with pytest.raises(ValueError, match="slots, distinct, faces, not 'dice'"):
        Solitaire(actions="dice")


# What ``gymnasium.make_vec`` makes, against Gymnasium's own way to step many environments.


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


def play(table: YatzyTable, seed: int = 1) -> tuple[dict[str, float], list[str]]:
    random = np.random.default_rng(seed)
    rewards, order = dict.fromkeys(table.possible_agents, 0.0), []
    table.reset(seed=seed)
    for agent in table.agent_iter():
        seen, reward, terminated, _, _ = table.last()
        rewards[agent] += reward
        order.append(agent)
        allowed = np.flatnonzero(seen["action_mask"])
        table.step(None if terminated else int(random.choice(allowed)))
    return rewards, order


@pytest.mark.parametrize("reward", ["points", "win"])
@pytest.mark.parametrize("ruleset", ["yatzy", "yahtzee", "yatzy-saved"])
def test_pettingzoo_finds_nothing_wrong(
    ruleset: str, reward: str, capsys: pytest.CaptureFixture[str]
) -> None:
    api_test(YatzyTable(ruleset, 3, reward), num_cycles=500)
    seed_test(lambda: YatzyTable(ruleset, 2, reward), num_cycles=100)


def test_pettingzoo_s_parallel_interface_plays_the_same_game() -> None:
    parallel_api_test(turn_based_aec_to_parallel(YatzyTable("yatzy", 2)), num_cycles=300)
    table = YatzyTable("yatzy", 2)
    parallel = turn_based_aec_to_parallel(table)
    seen, _ = parallel.reset(seed=3)
    rewards = dict.fromkeys(parallel.agents, 0.0)
    while parallel.agents:
        masks = {agent: seen[agent]["action_mask"] for agent in parallel.agents}
        assert sum(mask.any() for mask in masks.values()) == 1
        chosen = {agent: int(mask.argmax()) for agent, mask in masks.items()}
        seen, gained, *_ = parallel.step(chosen)
        rewards = {agent: rewards[agent] + gained[agent] for agent in rewards}
    assert rewards == {agent: state.total for agent, state in table.states.items()}


def test_points_add_up_to_every_player_s_score() -> None:
    table = YatzyTable("yahtzee", 3)
    rewards, _ = play(table)
    assert rewards == {agent: state.total for agent, state in table.states.items()}


def test_the_winner_takes_it_and_equals_share() -> None:
    table = YatzyTable("yatzy", 2, "win")
    rewards, _ = play(table)
    totals = {agent: state.total for agent, state in table.states.items()}
    assert totals["player_0"] != totals["player_1"]
    assert rewards[max(totals, key=lambda agent: totals[agent])] == sum(rewards.values()) == 1
    table.reset(seed=1)
    table.states = dict.fromkeys(table.agents, table.states["player_0"])
    table._share_victory()
    assert list(table.rewards.values()) == [0.5, 0.5]


def test_players_take_turns_and_only_one_may_act() -> None:
    table = YatzyTable("yatzy", 2)
    table.reset(seed=3)
    table.step(0)
    assert table.agent_selection == "player_0"
    assert not table.observe("player_1")["action_mask"].any()
    table.step(32)
    assert table.agent_selection == "player_1"
    assert table.observe("player_1")["action_mask"].all()
    assert not table.observe("player_0")["action_mask"].any()


def test_everybody_sees_the_cards_of_the_others() -> None:
    table = YatzyTable("yatzy", 3)
    table.reset(seed=3)
    table.step(32 + 13)
    chance = table.states["player_0"].total
    mine, of_one, of_two = np.split(table.observe("player_1")["observation"], [77, 77 + 17])
    assert of_two[0] == pytest.approx(chance / 100)
    assert of_two[2:].tolist() == [1] * 13 + [0, 1]
    assert of_one[0] == 0
    assert mine[:30].sum() == 5


def test_an_illegal_action_is_an_error() -> None:
    table = YatzyTable("yatzy", 2)
    table.reset(seed=1)
    for action in (47, -1):
        with pytest.raises(IllegalAction):
            table.step(action)
    for wrong in ({"players": 0}, {"reward": "money"}):
        with pytest.raises(ValueError):
            YatzyTable(**wrong)


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + b"\0\0\0\0"


@pytest.mark.parametrize("told", range(5))
def test_a_picture_is_read_however_its_lines_are_told(told: int) -> None:
    shown = np.random.default_rng(told).integers(256, size=(7, 5, 4), dtype=np.uint8)
    height, width, _ = shown.shape
    padded = np.zeros((height + 1, width + 1, 4), dtype=int)
    padded[1:, 1:] = shown
    left, above, corner = padded[1:, :-1], padded[:-1, 1:], padded[:-1, :-1]
    guess = left + above - corner
    far = [abs(guess - side) for side in (left, above, corner)]
    nearest = np.where(far[1] <= far[2], above, corner)
    nearest = np.where((far[0] <= far[1]) & (far[0] <= far[2]), left, nearest)
    sides = [np.zeros_like(left), left, above, (left + above) // 2, nearest]
    rows = ((shown - sides[told]) % 256).astype(np.uint8).reshape(height, -1)
    packed = zlib.compress(b"".join(bytes([told]) + row.tobytes() for row in rows))
    header = struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)
    halves = chunk(b"IDAT", packed[:20]) + chunk(b"IDAT", packed[20:])
    assert (
        read_pixels(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + halves + chunk(b"IEND", b""))
        == shown[..., :3]
    ).all()


def test_card_dice_and_throws_are_all_in_the_picture() -> None:
    env = Solitaire("yatzy")
    env.reset(seed=1)
    first = draw_rgb_array(env.state)
    assert first.dtype == np.uint8
    assert first[0, 0].tolist() == [0xEF, 0xE9, 0xDB]
    foot = (first.shape[0], 240, 3)
    changed = {
        "throws": replace(env.state, throws_left=1),
        "dice": replace(env.state, dice=(1, 1, 1, 1, 1)),
    }
    lines = {
        name: np.flatnonzero((draw_rgb_array(s) != first).any((1, 2)))
        for name, s in changed.items()
    }
    assert lines["throws"].min() > 17 * 20 + 24 + 36
    assert lines["dice"].min() < 20
    assert first.shape == foot
    env.step(np.int64(32))
    after = draw_rgb_array(replace(env.state, dice=()))
    assert after.shape == foot
    assert (after[17 * 20 + 12 :] == first[0, 0]).all()


@pytest.mark.parametrize("face", range(1, 7))
def test_a_die_shows_as_many_pips_as_its_face(face: int) -> None:
    env = Solitaire("yatzy")
    env.reset(seed=1)
    shown = draw_rgb_array(replace(env.state, dice=(face,) * 5))
    die = shown[17 * 20 + 26 : 17 * 20 + 58, 14:46].sum(axis=2) < 300
    begins = die & ~np.roll(die, 1, 0) & ~np.roll(die, 1, 1) & ~np.roll(np.roll(die, 1, 0), -1, 1)
    places = {(y // 10, x // 10) for y, x in np.argwhere(begins)}
    assert len(places) == face


def test_a_mode_that_nobody_draws_is_refused_and_one_of_the_names_is_not() -> None:
    with pytest.raises(ValueError, match="ansi or rgb_array or None, not 'human'"):
        Solitaire(render_mode="human")
    with pytest.raises(ValueError, match="not 'human'"):
        YatzyTable(render_mode="human")
    for mode in ("ansi", "rgb_array"):
        gymnasium.make("Yatzy-v0", render_mode=mode)


def test_players_of_a_table_are_drawn_side_by_side() -> None:
    table = YatzyTable("yatzy", 2, render_mode="rgb_array")
    table.reset(seed=1)
    drawn = table.render()
    assert isinstance(drawn, np.ndarray)
    assert (drawn[:, 240:] == draw_rgb_array(table.states["player_1"])).all()
    assert YatzyTable().render() is None
