"""A PettingZoo environment: several players take turns, each with a separate card.

A player acts until it has filled a box, then the next player acts. Actions, masks and features are
as in ``learning.environments``. An observation is a dict. "action_mask" has the legal actions.
"observation" has the player's features, followed by three facts about every other player in the
order of play: the total divided by 100, the share of the bonus, and the open boxes.

With ``reward="points"`` the reward is the points that an action added to the player's score. With
``"win"`` the reward comes at the end of the game: 1 for the winner, an equal share for a tie.
"""

from typing import Any

import gymnasium
import numpy as np
from pettingzoo import AECEnv

from solver.charts.png import Bytes
from solver.learning.environments import (
    DRAWN,
    draw_ansi,
    draw_rgb_array,
    play_action,
    refuse_unknown,
    roll_first,
)
from solver.players.features import (
    count_actions,
    find_lower_bounds,
    find_upper_bounds,
    make_features,
    make_layout,
    make_mask,
)
from solver.rules import PLAYED, find_ruleset, start_state

REWARDS = ("points", "win")
HUNDRED = 100  # points, about half of a good score; features are totals divided by this


class YatzyTable(AECEnv[str, dict[str, Any], Any]):
    metadata = {
        "name": "yatzy_table_v0",
        "render_modes": [*DRAWN],
        "render_fps": 1,
        "is_parallelizable": False,
    }

    def __init__(
        self,
        ruleset: str = "yatzy",
        players: int = 2,
        reward: str = "points",
        render_mode: str | None = None,
    ) -> None:
        super().__init__()
        refuse_unknown(render_mode, self.metadata)
        if players < 1:
            raise ValueError("players must be at least 1")
        if reward not in REWARDS:
            raise ValueError(f"reward must be points or win, not {reward!r}")
        self.rules = find_ruleset(ruleset, PLAYED)
        self.reward, self.render_mode = reward, render_mode
        self.possible_agents = [f"player_{n}" for n in range(players)]
        self.action_spaces = {
            agent: gymnasium.spaces.Discrete(count_actions(self.rules))
            for agent in self.possible_agents
        }
        numbers = 2 + len(self.rules.categories)  # that an agent sees of each opponent
        low, high = np.zeros(numbers), np.ones(numbers)
        high[0] = np.inf
        lows = np.concatenate([find_lower_bounds(self.rules), *[low] * (players - 1)])
        highs = np.concatenate([find_upper_bounds(self.rules), *[high] * (players - 1)])
        self.observation_spaces = {
            agent: gymnasium.spaces.Dict(
                {
                    "observation": gymnasium.spaces.Box(
                        lows.astype(np.float32), highs.astype(np.float32)
                    ),
                    "action_mask": gymnasium.spaces.Box(
                        0, 1, (count_actions(self.rules),), np.int8
                    ),
                }
            )
            for agent in self.possible_agents
        }
        self._random = np.random.default_rng()

    def action_space(self, agent: str) -> Any:
        return self.action_spaces[agent]

    def observation_space(self, agent: str) -> Any:
        return self.observation_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        if seed is not None:
            self._random = np.random.default_rng(seed)
        self.agents = self.possible_agents[:]
        self.states = dict.fromkeys(self.agents, start_state(self.rules))
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._start_turn(self.agents[0])

    def step(self, action: Any) -> None:
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        before = self.states[agent]
        state = play_action(before, int(action), self._random)
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        self.states[agent] = state
        if self.reward == "points":
            self.rewards[agent] = float(state.total - before.total)
        if not state.dice:
            if all(state.finished for state in self.states.values()):
                self.terminations = dict.fromkeys(self.agents, True)
                if self.reward == "win":
                    self._share_victory()
            after = (self.possible_agents.index(agent) + 1) % len(self.possible_agents)
            self._start_turn(self.possible_agents[after])
        self._accumulate_rewards()

    def _start_turn(self, agent: str) -> None:
        self.agent_selection = agent
        self.states[agent] = roll_first(self.states[agent], self._random)

    def _share_victory(self) -> None:
        best = max(state.total for state in self.states.values())
        winners = [agent for agent in self.agents if self.states[agent].total == best]
        for agent in winners:
            self.rewards[agent] = 1 / len(winners)

    def observe(self, agent: str) -> dict[str, Any]:
        at = self.possible_agents.index(agent)
        others = self.possible_agents[at + 1 :] + self.possible_agents[:at]
        seen, groups = [make_features(self.states[agent])], make_layout(self.rules).groups
        for other in others:
            row = make_features(self.states[other])
            total = np.array([self.states[other].total / HUNDRED], dtype=np.float32)
            seen += [total, row[groups["upper_share"]], row[groups["open"]]]
        mine = agent == self.agent_selection and not self.terminations[agent]
        mask = make_mask(self.states[agent])
        return {"observation": np.concatenate(seen), "action_mask": mask if mine else 0 * mask}

    def render(self) -> str | Bytes | None:
        """Return all cards, below each other as text or next to each other as a picture."""
        if self.render_mode is None:
            return None
        if self.render_mode == "rgb_array":
            return np.hstack([draw_rgb_array(self.states[agent]) for agent in self.possible_agents])
        return "\n\n".join(
            f"{agent}\n{draw_ansi(self.states[agent])}" for agent in self.possible_agents
        )

    def close(self) -> None:
        """Do nothing, because there is nothing to close."""
