"""Deep Q-learning in the manner of CleanRL's dqn.py: one file, its network and its settings where
nothing else is said, and a mask over the actions, when it plays as when it looks ahead."""

from typing import Any

import gymnasium
import numpy as np
import torch
from torch import nn

import solver.learning  # noqa: F401 - registers the environments
from solver.learning.baselines.training import TrainingCourse, flags
from solver.learning.numbering import Numbering
from solver.players.features import layout

SETTINGS: dict[str, Any] = {
    "learning_rate": 2.5e-4,
    "buffer": 100_000,  # CleanRL's has 10,000, 300 games of these
    "gamma": 1.0,  # a game ends by itself
    "points": 10.0,  # of a reward of one
    "target_every": 500,  # steps of the network
    "batch": 128,
    "epsilon": (1.0, 0.05),
    "exploring": 0.5,  # of all games
    "begin": 10_000,  # decisions before it learns
    "decisions_a_step": 10,
    "environments": 10,
}


class Buffer:
    """What happened lately, in a ring."""

    def __init__(self, size: int, seen: int, actions: int) -> None:
        self.before, self.after = np.zeros((2, size, seen), dtype=np.float32)
        self.actions, self.rewards = np.zeros(size, dtype=np.int64), np.zeros(size, np.float32)
        self.ended, self.masks = np.zeros(size, np.float32), np.zeros((size, actions), np.bool_)
        self.added = 0

    def add(self, **rows: Any) -> None:
        count = len(rows["actions"])
        places = (self.added + np.arange(count)) % len(self.actions)
        for name, values in rows.items():
            getattr(self, name)[places] = values
        self.added += count

    def draw(self, count: int, random: np.random.Generator) -> list[torch.Tensor]:
        some = random.integers(min(self.added, len(self.actions)), size=count)
        fields = (self.before, self.actions, self.rewards, self.after, self.masks, self.ended)
        return [torch.from_numpy(field[some]) for field in fields]


def network(seen: int, actions: int) -> nn.Sequential:
    return nn.Sequential(
        nn.Linear(seen, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, actions)
    )


def loss_of(online: Any, target: Any, drawn: list[torch.Tensor]) -> torch.Tensor:
    before, actions, rewards, after, masks, ended = drawn
    with torch.no_grad():
        best = target(after).masked_fill(~masks, -torch.inf).max(dim=1).values
        best = torch.where(ended > 0, torch.zeros_like(best), best)
        promised = rewards + SETTINGS["gamma"] * best
    told = online(before).gather(1, actions[:, None]).squeeze(1)
    return nn.functional.mse_loss(told, promised)


def epsilon_after(games: int, total: int) -> float:
    first, last = SETTINGS["epsilon"]
    return float(max(last, first + (last - first) * games / (SETTINGS["exploring"] * total)))


def chosen_by(online: Any, seen: Any, masks: Any, epsilon: float, random: Any) -> Any:
    with torch.no_grad():
        worth = online(torch.from_numpy(seen)).numpy()
    tried = random.random(len(seen)) < epsilon
    worth = np.where(tried[:, None], random.random(worth.shape), worth)
    return np.where(masks, worth, -np.inf).argmax(axis=1)


def main() -> None:
    options = flags(__doc__)
    random = np.random.default_rng(options.seed)
    envs = gymnasium.make_vec(
        options.environment, SETTINGS["environments"], actions=options.actions
    )
    width = layout(options.rules).width
    count = Numbering(options.rules, options.actions).count
    online, target = network(width, count), network(width, count)
    target.load_state_dict(online.state_dict())
    adam = torch.optim.Adam(online.parameters(), lr=SETTINGS["learning_rate"])
    buffer, steps = Buffer(SETTINGS["buffer"], width, count), 0
    course = TrainingCourse(options, "relu", SETTINGS)
    seen, info = envs.reset(seed=options.seed)
    going = True
    while going:
        epsilon = epsilon_after(course.games, options.games)
        actions = chosen_by(online, seen, info["action_mask"], epsilon, random)
        after, rewards, ended, _, info = envs.step(actions)
        told = {"before": seen, "actions": actions, "rewards": rewards / SETTINGS["points"]}
        buffer.add(**told, after=after, masks=info["action_mask"], ended=ended)
        seen = after
        if buffer.added >= SETTINGS["begin"]:
            for _ in range(len(seen) // SETTINGS["decisions_a_step"]):
                loss = loss_of(online, target, buffer.draw(SETTINGS["batch"], random))
                adam.zero_grad()
                loss.backward()
                adam.step()
                steps += 1
                if steps % SETTINGS["target_every"] == 0:
                    target.load_state_dict(online.state_dict())
        going = course.finished(int(ended.sum()), lambda: [online[0], online[2], online[4]])


if __name__ == "__main__":
    main()
