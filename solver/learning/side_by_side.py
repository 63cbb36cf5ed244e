"""The vector environment of ``gymnasium.make_vec``, for the compiled games of ``vectorised``.

Within a step, a new game replaces a finished game. "final_obs" and "final_info" then have the last
observation and info of the finished game. This environment draws no pictures; the environment for
``vectorization_mode="sync"`` does.
"""

from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from solver.dp.arrays import Ints
from solver.learning.environments import SLOTS, Numbering, refuse_unknown
from solver.learning.vectorised import Games, refuse_illegal
from solver.players.features import Features, Mask, find_lower_bounds, find_upper_bounds
from solver.rules import PLAYED, find_ruleset

Flags = npt.NDArray[np.bool_]


class SolitaireVector(VectorEnv[Features, Ints, npt.NDArray[Any]]):
    metadata = {"render_modes": [], "autoreset_mode": AutoresetMode.SAME_STEP}

    def __init__(
        self,
        num_envs: int = 1,
        ruleset: str = "yatzy",
        render_mode: str | None = None,
        actions: str = SLOTS,
    ) -> None:
        refuse_unknown(render_mode, self.metadata)
        rules = find_ruleset(ruleset, PLAYED)
        self.num_envs = num_envs
        self.numbering = Numbering(rules, actions)
        self.single_action_space = gymnasium.spaces.Discrete(self.numbering.count)
        self.single_observation_space = gymnasium.spaces.Box(
            find_lower_bounds(rules), find_upper_bounds(rules)
        )
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.games = Games(rules, num_envs, seed=0)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Features, dict[str, Any]]:
        super().reset(seed=seed)
        self.games.restart(int(self.np_random.integers(2**63)))
        return self.games.features.copy(), self._make_info()

    def step(
        self, actions: Ints
    ) -> tuple[Features, npt.NDArray[np.float64], Flags, Flags, dict[str, Any]]:
        games = self.games
        refuse_illegal(self._make_masks(), actions)
        games.step(self.numbering.convert_actions(actions, games.rolls))
        ended, never = games.finished.copy(), np.zeros(self.num_envs, dtype=np.bool_)
        info = self._make_info()
        if ended.any():  # also report the last observation, action mask and score of ended games
            seen = np.full(self.num_envs, None, dtype=object)
            for place in np.flatnonzero(ended):
                seen[place] = games.last[place].copy()
            nothing = np.zeros((self.num_envs, self.numbering.count), dtype=np.int8)
            scores = np.where(ended, games.scores, 0)
            final = add_masks(ended, action_mask=nothing, score=scores)
            info |= add_masks(ended, final_obs=seen, final_info=final)
        return games.features.copy(), games.rewards.astype(np.float64), ended, never, info

    def action_masks(self) -> Flags:
        return self._make_masks().astype(np.bool_)

    def _make_masks(self) -> Mask:
        return self.numbering.convert_masks(self.games.masks, self.games.rolls)

    def _make_info(self) -> dict[str, Any]:
        everybody = np.ones(self.num_envs, dtype=np.bool_)
        return add_masks(everybody, action_mask=self._make_masks(), score=self.games.totals.copy())


def add_masks(games: Flags, **facts: Any) -> dict[str, Any]:
    """Return the facts and, for each key "x", a key "_x" that marks the games with this fact."""
    return facts | {f"_{name}": games.copy() for name in facts}
