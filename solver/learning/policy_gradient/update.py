"""An update of the policy from a batch of games: the loss, its gradient, and the optimiser.

    delta = reward + gamma V(next) - V      V(next) is 0 if the task ends
    A     = delta + gamma lambda A(next)    generalised advantages (Schulman et al., 2016)
    loss  = - mean min(r A, clip(r, 1 - c, 1 + c) A) - beta entropy + w (V - (A + V_then))^2 / 2

``r`` is the current probability of a decision, divided by the probability at the time of the
decision. With a single step over the whole batch, ``r`` is 1, and the gradient is that of advantage
actor-critic (A2C). With lambda = 1, it is the gradient of REINFORCE with a baseline.
"""

from math import cos, pi, sqrt
from typing import Any, NamedTuple

import numpy as np

from solver.learning.policy_gradient.config import Config
from solver.learning.policy_gradient.games import (
    BatchOfGames,
    backprop_choice,
    backprop_head,
    backprop_trunk,
    evaluate_choices,
    evaluate_holds,
)
from solver.players.network import (
    SLOTS,
    Floats32,
    Network,
    Parameters,
    Shape,
    apply_head,
    calculate_choice_logits,
    forward,
)
from solver.rules import Ruleset


class Credit(NamedTuple):
    """The advantages, and the values that the value head should learn, as arrays [step, game]."""

    advantages: Floats32
    targets: Floats32


def assign_credit(config: Config, batch: BatchOfGames, throws: int, gamma: float = 1.0) -> Credit:
    """Return the advantage A and the target of V for every decision, by the formulas above."""
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
    """All holds or all boxes of a batch, as arrays with an entry per decision."""

    features: Floats32
    dice: Floats32
    rolls: Any
    allowed: Any
    chosen: Any
    log_chance: Floats32
    advantages: Floats32
    targets: Floats32

    def select(self, indexes: Any) -> "Decisions":
        return Decisions(*(field[indexes] for field in self))


def collect_decisions(
    batch: BatchOfGames, credit: Credit, advantages: Floats32, steps: Any, choices: int
) -> Decisions:
    """Return the decisions of all steps that the mask ``steps`` marks. Each decision has
    ``choices`` options."""
    fields = (
        batch.features,
        batch.dice,
        batch.rolls,
        batch.allowed[:, :, :choices],
        batch.chosen,
        batch.log_chance,
        advantages,
        credit.targets,
    )
    flat = (field[steps] for field in fields)
    return Decisions(*(field.reshape(-1, *field.shape[2:]) for field in flat))


class PreparedBatch(NamedTuple):
    holds: Decisions
    boxes: Decisions
    explained: float  # share of the variance of the targets that the value head predicted


class StepStats(NamedTuple):
    """Statistics of an optimiser step, as means over the step's decisions."""

    entropy: float
    kl: float
    clipped: float
    value_error: float


class PolicySlope:
    """The gradient of the loss. ``add_gradient`` adds the parts of several groups of decisions."""

    def __init__(self, config: Config, network: Network, gradient: Parameters) -> None:
        self.config, self.network, self.gradient = config, network, gradient

    def prepare_batch(self, batch: BatchOfGames, share: float) -> PreparedBatch:
        rules = self.network.rules
        credit = assign_credit(
            self.config, batch, rules.throws, self.config.interpolate("gamma", share)
        )
        advantages = credit.advantages
        if self.config.normalised:
            spread = advantages.std() + np.float32(1e-8)
            advantages = (advantages - advantages.mean()) / spread
        wrong = float((credit.targets - batch.values).var() / credit.targets.var())
        box = np.arange(len(advantages)) % rules.throws == rules.throws - 1
        boxes = len(rules.categories)
        return PreparedBatch(
            collect_decisions(batch, credit, advantages, ~box, SLOTS),
            collect_decisions(batch, credit, advantages, box, boxes),
            1 - wrong,
        )

    def add_gradient(self, holds: Decisions, boxes: Decisions, beta: float) -> StepStats:
        """Add the loss's gradient over these decisions to ``gradient``. Return their statistics."""
        shape, parameters = self.network.shape, self.network.parameters
        seen = (np.concatenate(pair) for pair in zip(holds[:2], boxes[:2], strict=True))
        passed = forward(shape, parameters, *seen)
        split, count = len(holds.chosen), len(passed.hidden)
        back, clip = np.empty_like(passed.hidden), np.float32(self.config.clip)
        sums = []  # per head: sums of entropy, KL divergence and clipped decisions
        for name, part, which in (
            ("holds", holds, slice(split)),
            ("boxes", boxes, slice(split, count)),
        ):
            hidden = passed.hidden[which]
            logits = calculate_choice_logits(shape, parameters, name, hidden, part.rolls)
            if name == "holds":
                chosen = evaluate_holds(shape, logits, part.allowed, part.chosen)
            else:
                chosen = evaluate_choices(logits, part.allowed, part.chosen)
            moved = chosen.log_chance - part.log_chance
            ratio = np.exp(moved)
            clipped = np.where(part.advantages > 0, ratio > 1 + clip, ratio < 1 - clip)
            clipped &= self.config.algorithm == "ppo"
            weight = np.where(clipped, 0, -ratio * part.advantages) / np.float32(count)
            d = chosen.pull * weight[:, None] - chosen.spread * np.float32(beta / count)
            d = backprop_choice(shape, name, part.rolls, d)
            back[which] = backprop_head(parameters, name, hidden, d, self.gradient)
            kl = float((ratio - 1 - moved).sum())
            sums.append((float(chosen.entropy.sum()), kl, float(clipped.sum())))
        targets = np.concatenate([holds.targets, boxes.targets])
        wrong = apply_head(parameters, "value", passed.hidden)[:, 0] - targets
        d = (np.float32(self.config.value_weight / count) * wrong)[:, None]
        back += backprop_head(parameters, "value", passed.hidden, d, self.gradient)
        error = float((wrong * wrong).mean())
        backprop_trunk(shape, parameters, passed, back, self.gradient)
        entropy, kl, clip_share = (np.array(sums).sum(axis=0) / count).tolist()
        return StepStats(entropy, kl, clip_share, error)


KEEPS = {"adam": 0.9, "rmsprop": 0.0}
HEADS = {"holds": 0.01, "boxes": 0.01, "value": 0.1}  # factors for the initial weights of the heads


def make_views(flat: Floats32, sizes: dict[str, tuple[int, ...]]) -> Parameters:
    """Return the parameters by name, as views that share the memory of the flat vector."""
    parts, at = {}, 0
    for name, size in sizes.items():
        end = at + int(np.prod(size))
        parts[name] = flat[at:end].reshape(size)
        at = end
    return parts


def make_initial_parameters(
    shape: Shape, rules: Ruleset, rng: np.random.Generator, initial: str = "he"
) -> Floats32:
    """Return initial parameters as a vector: weights by He or orthogonal, gains 1, biases 0. He's
    weights have a standard deviation of sqrt(2 / inputs). An orthogonal matrix has perpendicular
    rows if it has fewer rows than columns, otherwise perpendicular columns."""
    sizes = shape.list_parameters(rules)
    flat = np.zeros(sum(int(np.prod(size)) for size in sizes.values()), dtype=np.float32)
    for name, array in make_views(flat, sizes).items():
        if name.endswith("gain"):
            array[:] = 1
        elif not name.endswith("bias"):
            scale = sqrt(2) * HEADS.get(name.partition(".")[0], 1.0)
            drawn = rng.standard_normal(array.shape)
            if initial == "orthogonal":
                turned = len(drawn) < drawn.shape[1]
                orthogonal = np.linalg.qr(drawn.T if turned else drawn)[0]
                array[:] = scale * (orthogonal.T if turned else orthogonal)
            else:
                array[:] = scale * (drawn / sqrt(len(drawn)))
    return flat


def calculate_rate(config: Config, share: float) -> float:
    """Return the learning rate after this share of all games."""
    if share < config.warm_up:
        return config.rate * share / config.warm_up
    left = (1 - share) / (1 - config.warm_up) if config.warm_up < 1 else 0.0
    falls = {"constant": 1.0, "linear": left, "cosine": (1 - cos(pi * left)) / 2}
    return config.rate * falls[config.schedule]


class Adam:
    """The optimiser Adam (D. Kingma, J. Ba, 2014) with a limit on the gradient's norm. ``keeps`` is
    the decay rate of the gradients' mean. With 0, Adam becomes RMSProp."""

    SQUARE, TINY = 0.999, 1e-5

    def __init__(self, size: int, keeps: float = KEEPS["adam"]) -> None:
        self.keeps = keeps
        self.mean = np.zeros(size, dtype=np.float32)
        self.square = np.zeros(size, dtype=np.float32)
        self.steps = 0

    def step(self, flat: Floats32, gradient: Floats32, rate: float, clip_norm: float) -> float:
        """Update the parameters in place. Return the norm of the gradient before clipping."""
        norm = float(np.sqrt(gradient @ gradient))
        if clip_norm and norm > clip_norm:
            gradient *= np.float32(clip_norm / norm)
        self.steps += 1
        self.mean += np.float32(1 - self.keeps) * (gradient - self.mean)
        gradient *= gradient
        self.square += np.float32(1 - self.SQUARE) * (gradient - self.square)
        root = np.sqrt(self.square * np.float32(1 / (1 - self.SQUARE**self.steps)))
        root += np.float32(self.TINY)
        flat -= np.float32(rate / (1 - self.keeps**self.steps)) * (self.mean / root)
        return norm

    def collect_arrays(self) -> dict[str, Any]:
        return {"adam_mean": self.mean, "adam_square": self.square}
