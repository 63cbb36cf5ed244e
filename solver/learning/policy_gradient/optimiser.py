"""Adam on one flat vector, its schedule, and parameters as views of that vector."""

from math import cos, pi, sqrt
from typing import Any

import numpy as np

from solver.dp.arrays import Floats
from solver.learning.policy_gradient.config import Config
from solver.players.network import Floats32, Parameters, Shape
from solver.rules import Ruleset

KEEPS = {"adam": 0.9, "rmsprop": 0.0}
HEADS = {"holds": 0.01, "boxes": 0.01, "value": 0.1}  # small: the first play is at random


def views(flat: Floats32, sizes: dict[str, tuple[int, ...]]) -> Parameters:
    """The parameters that lie one after another in a flat vector."""
    found, at = {}, 0
    for name, size in sizes.items():
        end = at + int(np.prod(size))
        found[name] = flat[at:end].reshape(size)
        at = end
    return found


def length(sizes: dict[str, tuple[int, ...]]) -> int:
    return sum(int(np.prod(size)) for size in sizes.values())


def first(shape: Shape, rules: Ruleset, rng: np.random.Generator, initial: str = "he") -> Floats32:
    """He's: weights as wide as the root of two over what comes in, gains 1, biases 0.

    Orthogonal ones have rows or columns, whichever are fewer, that stand upright on each other.
    """
    sizes = shape.parameters(rules)
    flat = np.zeros(length(sizes), dtype=np.float32)
    for name, array in views(flat, sizes).items():
        if name.endswith("gain"):
            array[:] = 1
        elif not name.endswith("bias"):
            scale = sqrt(2) * HEADS.get(name.partition(".")[0], 1.0)
            drawn = rng.standard_normal(array.shape)
            array[:] = scale * (upright(drawn) if initial == "orthogonal" else he(drawn))
    return flat


def he(drawn: Floats) -> Floats:
    return drawn / sqrt(len(drawn))


def upright(drawn: Floats) -> Floats:
    turned = len(drawn) < drawn.shape[1]
    found: Floats = np.linalg.qr(drawn.T if turned else drawn)[0]
    return found.T if turned else found


def rate_at(config: Config, share: float) -> float:
    """The learning rate once this share of the games is played."""
    if share < config.warm_up:
        return config.rate * share / config.warm_up
    left = (1 - share) / (1 - config.warm_up) if config.warm_up < 1 else 0.0
    falls = {"constant": 1.0, "linear": left, "cosine": (1 - cos(pi * left)) / 2}
    return config.rate * falls[config.schedule]


class Adam:
    """D. Kingma, J. Ba, 2014, with the gradient clipped to a norm first.

    ``keeps`` is what its mean of gradients keeps in a step; where that is 0 it is RMSProp.
    """

    SQUARE, TINY = 0.999, 1e-5

    def __init__(self, size: int, keeps: float = KEEPS["adam"]) -> None:
        self.keeps = keeps
        self.mean = np.zeros(size, dtype=np.float32)
        self.square = np.zeros(size, dtype=np.float32)
        self.steps = 0

    def step(self, flat: Floats32, gradient: Floats32, rate: float, clip_norm: float) -> float:
        """Moves the parameters; the gradient's norm before it was clipped."""
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

    def arrays(self) -> dict[str, Any]:
        return {"adam_mean": self.mean, "adam_square": self.square}
