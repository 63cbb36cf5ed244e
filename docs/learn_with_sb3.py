"""Train MaskablePPO of sb3-contrib on the environments of this repository, and grade it on the way.

    pip install torch==2.13.0 sb3-contrib==2.9.2
    python docs/learn_with_sb3.py --ruleset yahtzee --actions faces --games 10000 --every 2000

Every grade is the mean of greedy games on dice that are the same for all grades. The last policy
is saved for ``MaskablePPO.load`` if ``--out`` names a file.
"""

import argparse
from pathlib import Path
from time import process_time
from typing import Any

import gymnasium
import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.env_util import make_vec_env

import solver.learning  # noqa: F401 - registers the environments
from solver.learning.environments import NUMBERINGS
from solver.rules import find_ruleset

ENVIRONMENTS = 8
SETTINGS: dict[str, Any] = {
    "n_steps": 256,
    "n_epochs": 4,
    "learning_rate": 0.002,
    "gamma": 1.0,
    "gae_lambda": 0.3,
}
DICE_OF_GRADES = 2_000_000  # the seed of the games that grade


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ruleset", default="yahtzee")
    parser.add_argument("--actions", choices=NUMBERINGS, default="faces")
    parser.add_argument("--games", type=int, default=10_000, help="training games")
    parser.add_argument("--every", type=int, default=2_000, help="games between two grades")
    parser.add_argument("--graded", type=int, default=10_000, help="greedy games per grade")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, help="file of the policy that was learned")
    options = parser.parse_args()
    rules = find_ruleset(options.ruleset)
    name = f"{''.join(map(str.capitalize, options.ruleset.split('-')))}-v0"
    torch.set_num_threads(1)  # the matrices are small
    envs = make_vec_env(
        f"solver.learning:{name}",
        ENVIRONMENTS,
        seed=options.seed,
        env_kwargs={"actions": options.actions},
    )
    model = MaskablePPO("MlpPolicy", envs, **SETTINGS, seed=options.seed, device="cpu")
    played, grading, began = 0, 0.0, process_time()

    def after_step(seen: dict[str, Any], _: dict[str, Any]) -> bool:
        """Grade when due; return whether training goes on."""
        nonlocal played, grading
        before, played = played, played + int(np.sum(seen["dones"]))
        if before // options.every < played // options.every:
            stopped = process_time()
            mean = greedy_mean(model, name, options.actions, options.graded)
            print(f"{played} games, {stopped - began - grading:.1f} CPU seconds: {mean:.2f} points")
            grading += process_time() - stopped
        return played < int(options.games)

    decisions = rules.throws * len(rules.categories)
    model.learn(options.games * decisions, callback=after_step)
    if options.out:
        model.save(options.out)


def greedy_mean(model: Any, name: str, actions: str, games: int) -> float:
    """Play games side by side, always the likeliest action; return the mean final score."""
    envs: Any = gymnasium.make_vec(name, games, actions=actions)
    seen, info = envs.reset(seed=DICE_OF_GRADES)
    scores, going = np.zeros(games), np.ones(games, dtype=np.bool_)
    while going.any():
        chosen, _ = model.predict(seen, action_masks=info["action_mask"] == 1, deterministic=True)
        seen, rewards, ended, _, info = envs.step(chosen)
        scores[going] += rewards[going]
        going &= ~ended
    return float(scores.mean())


if __name__ == "__main__":
    main()
