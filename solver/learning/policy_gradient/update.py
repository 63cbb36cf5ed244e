"""From a batch of games to a better policy.

    delta = reward + gamma V(next) - V      0 is the next value where the task ends
    A     = delta + gamma lambda A(next)    generalised advantages (Schulman et al., 2016)
    loss  = - mean min(r A, clip(r, 1 - c, 1 + c) A) - beta entropy + w (V - (A + V_then))^2 / 2

``r`` is the chance of what was chosen over what it was when it was chosen. With a single step over
the whole batch it is 1, and the slope is that of the actor and critic; with lambda = 1 that of
REINFORCE with its baseline.
"""

from typing import Any, NamedTuple

import numpy as np

from solver.learning.policy_gradient.backward import choice_back, head_back, trunk_back
from solver.learning.policy_gradient.choices import Chosen, hold_of, one_of
from solver.learning.policy_gradient.config import Config
from solver.learning.policy_gradient.games import BatchOfGames
from solver.players.network import (
    SLOTS,
    Floats32,
    Network,
    Parameters,
    choice_logits,
    forward,
    head,
)


class Credit(NamedTuple):
    """[step, game]: how much better than expected, and what the value should have said."""

    advantages: Floats32
    targets: Floats32


def credit(config: Config, batch: BatchOfGames, throws: int, gamma: float = 1.0) -> Credit:
    rewards, values = batch.rewards / np.float32(config.scale), batch.values
    steps = len(rewards)
    after, ahead = np.zeros_like(values[0]), np.zeros_like(values[0])
    advantages = np.empty_like(values)
    turns_alone = config.task == "turn"
    for step in reversed(range(steps)):
        ends = batch.ends[step] | (turns_alone and step % throws == throws - 1)
        counts = np.where(ends, 0, np.float32(gamma))
        advantages[step] = rewards[step] + counts * after - values[step]
        advantages[step] += np.float32(config.gae_lambda) * counts * ahead
        after, ahead = values[step], advantages[step]
    targets = advantages + values
    if config.algorithm == "reinforce" and config.baseline != "value":
        advantages = targets.copy()
        if config.baseline == "mean":
            advantages -= advantages.mean(axis=1, keepdims=True)
    return Credit(advantages, targets)


class Decisions(NamedTuple):
    """Those of a batch at which a hold is chosen, or those at which a box is; an entry each."""

    features: Floats32
    dice: Floats32
    rolls: Any
    allowed: Any
    chosen: Any
    log_chance: Floats32
    advantages: Floats32
    targets: Floats32

    def some(self, which: Any) -> "Decisions":
        return Decisions(*(field[which] for field in self))


def decisions(
    batch: BatchOfGames, given: Credit, advantages: Floats32, steps: Any, choices: int
) -> Decisions:
    fields = (
        batch.features,
        batch.dice,
        batch.rolls,
        batch.allowed[:, :, :choices],
        batch.chosen,
        batch.log_chance,
        advantages,
        given.targets,
    )
    flat = (field[steps] for field in fields)
    return Decisions(*(field.reshape(-1, *field.shape[2:]) for field in flat))


class PreparedBatch(NamedTuple):
    """``explained`` is the share of the targets' variance that the value had foreseen."""

    holds: Decisions
    boxes: Decisions
    explained: float


class Moved(NamedTuple):
    """Means over a step's decisions."""

    entropy: float
    kl: float
    clipped: float
    value_error: float


Sums = tuple[float, float, float]  # of entropy, divergence, and what was clipped


class PolicySlope:
    """Writes the loss's gradient of some decisions into ``gradient``."""

    def __init__(self, config: Config, network: Network, gradient: Parameters) -> None:
        self.config, self.network, self.gradient = config, network, gradient

    def prepared(self, batch: BatchOfGames, share: float) -> PreparedBatch:
        rules = self.network.rules
        given = credit(self.config, batch, rules.throws, self.config.at("gamma", share))
        advantages = given.advantages
        if self.config.normalised:
            spread = advantages.std() + np.float32(1e-8)
            advantages = (advantages - advantages.mean()) / spread
        wrong = float((given.targets - batch.values).var() / given.targets.var())
        box = np.arange(len(advantages)) % rules.throws == rules.throws - 1
        boxes = len(rules.categories)
        return PreparedBatch(
            decisions(batch, given, advantages, ~box, SLOTS),
            decisions(batch, given, advantages, box, boxes),
            1 - wrong,
        )

    def slope(self, holds: Decisions, boxes: Decisions, beta: float) -> Moved:
        """One pass forwards and one back over both."""
        shape, parameters = self.network.shape, self.network.parameters
        seen = (np.concatenate(pair) for pair in zip(holds[:2], boxes[:2], strict=True))
        passed = forward(shape, parameters, *seen)
        split, count = len(holds.chosen), len(passed.hidden)
        back = np.empty_like(passed.hidden)
        sums = [
            self._policy(name, part, passed.hidden[which], back[which], beta, count)
            for name, part, which in (
                ("holds", holds, slice(split)),
                ("boxes", boxes, slice(split, count)),
            )
        ]
        error = self._value(passed.hidden, np.concatenate([holds.targets, boxes.targets]), back)
        trunk_back(shape, parameters, passed, back, self.gradient)
        entropy, kl, clipped = (np.array(sums).sum(axis=0) / count).tolist()
        return Moved(entropy, kl, clipped, error)

    def _policy(
        self,
        name: str,
        part: Decisions,
        hidden: Floats32,
        back: Floats32,
        beta: float,
        count: int,
    ) -> Sums:
        """Writes what the hidden layer adds to the loss by this head into ``back``."""
        shape, parameters = self.network.shape, self.network.parameters
        logits = choice_logits(shape, parameters, name, hidden, part.rolls)
        found = self._chosen(name, logits, part)
        d, sums = self._to_logits(found, part, beta, count)
        d = choice_back(shape, name, part.rolls, d)
        back[:] = head_back(parameters, name, hidden, d, self.gradient)
        return sums

    def _chosen(self, name: str, logits: Floats32, part: Decisions) -> Chosen:
        if name == "holds":
            return hold_of(self.network.shape, logits, part.allowed, part.chosen)
        return one_of(logits, part.allowed, part.chosen)

    def _to_logits(
        self, found: Chosen, part: Decisions, beta: float, count: int
    ) -> tuple[Floats32, Sums]:
        moved = found.log_chance - part.log_chance
        ratio, clip = np.exp(moved), np.float32(self.config.clip)
        clipped = np.where(part.advantages > 0, ratio > 1 + clip, ratio < 1 - clip)
        clipped &= self.config.algorithm == "ppo"
        weight = np.where(clipped, 0, -ratio * part.advantages) / np.float32(count)
        d = found.pull * weight[:, None] - found.spread * np.float32(beta / count)
        kl = float((ratio - 1 - moved).sum())
        return d, (float(found.entropy.sum()), kl, float(clipped.sum()))

    def _value(self, hidden: Floats32, targets: Floats32, back: Floats32) -> float:
        """Adds to ``back``; the mean squared error."""
        wrong = head(self.network.parameters, "value", hidden)[:, 0] - targets
        d = (np.float32(self.config.value_weight / len(hidden)) * wrong)[:, None]
        back += head_back(self.network.parameters, "value", hidden, d, self.gradient)
        return float((wrong * wrong).mean())
