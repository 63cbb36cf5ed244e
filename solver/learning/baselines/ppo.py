"""MaskablePPO of sb3-contrib, its own network of two layers of 64 with tanh."""

from typing import Any

import numpy as np
from sb3_contrib import MaskablePPO
from stable_baselines3.common.env_util import make_vec_env

from solver.learning.baselines.training import TrainingCourse, flags

ENVIRONMENTS = 8
SETTINGS = {
    "n_steps": 256,
    "n_epochs": 4,
    "learning_rate": 0.002,
    "gamma": 1.0,
    "gae_lambda": 0.3,
}


def main() -> None:
    options = flags(__doc__)
    envs = make_vec_env(
        f"solver.learning:{options.environment}",
        ENVIRONMENTS,
        seed=options.seed,
        env_kwargs={"actions": options.actions},
    )
    model = MaskablePPO("MlpPolicy", envs, **SETTINGS, seed=options.seed, device="cpu")
    policy = model.policy
    layers = [policy.mlp_extractor.policy_net[0], policy.mlp_extractor.policy_net[2]]
    course = TrainingCourse(options, "tanh", SETTINGS | {"environments": ENVIRONMENTS})

    def after_step(seen: dict[str, Any], _: dict[str, Any]) -> bool:
        ended = int(np.sum(seen["dones"]))
        return course.finished(ended, lambda: [*layers, policy.action_net])

    decisions = options.rules.throws * len(options.rules.categories)
    model.learn(options.games * decisions, callback=after_step)


if __name__ == "__main__":
    main()
