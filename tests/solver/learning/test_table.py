import numpy as np
import pytest
from pettingzoo.test import api_test, parallel_api_test, seed_test
from pettingzoo.utils.conversions import turn_based_aec_to_parallel

from solver.learning.table import YatzyTable
from solver.rules import IllegalAction

# Both ask for plain arrays as observations; a mask that must not be missed makes a dict of it.
pytestmark = [
    pytest.mark.filterwarnings("ignore:Observation is not a NumPy array"),
    pytest.mark.filterwarnings("ignore:Observation space for each agent probably"),
]


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
