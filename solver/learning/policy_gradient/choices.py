"""How a head chooses: draws, chances and entropies, and their slopes to the logits."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from solver.players.network import BERNOULLI, DICE, FORBIDDEN, Floats32, Shape

Flags = npt.NDArray[np.bool_]
_BITS = np.arange(DICE)


class Chosen(NamedTuple):
    """Of every decision: the logarithm of the choice's chance, and the entropy.

    ``pull`` and ``spread`` are their slopes to the logits.
    """

    log_chance: Floats32
    entropy: Floats32
    pull: Floats32
    spread: Floats32


def draw_one(logits: Floats32, allowed: Flags, rng: np.random.Generator) -> Any:
    """One of what is allowed, by its chance. What is not has none."""
    logits = np.where(allowed, logits, FORBIDDEN)
    chance = np.exp(logits - logits.max(axis=1, keepdims=True)).cumsum(axis=1, dtype=np.float64)
    return (chance <= rng.random((len(logits), 1)) * chance[:, -1:]).sum(axis=1)


def one_of(logits: Floats32, allowed: Flags, chosen: Any) -> Chosen:
    logits = np.where(allowed, logits, FORBIDDEN)
    logits -= logits.max(axis=1, keepdims=True)
    chance = np.exp(logits)
    total = chance.sum(axis=1, keepdims=True)
    chance /= total
    logits -= np.log(total)
    entropy = -np.einsum("ij,ij->i", chance, logits)
    number = np.arange(len(chosen))
    log_chance = logits[number, chosen]
    logits += entropy[:, None]
    spread = -chance * logits
    np.negative(chance, out=chance)
    chance[number, chosen] += 1
    return Chosen(log_chance, entropy, chance, spread)


def draw_slots(logits: Floats32, rng: np.random.Generator) -> Any:
    """Every die alone: its logit is that of keeping it."""
    keep = rng.random(logits.shape) < sigmoid(logits)
    return keep @ (1 << _BITS)


def slots_of(logits: Floats32, chosen: Any) -> Chosen:
    keep = (chosen[:, None] >> _BITS & 1).astype(np.float32)
    chance = sigmoid(logits)
    sure = np.logaddexp(np.float32(0), logits)  # -log(1 - chance)
    entropy = (sure - chance * logits).sum(axis=1)
    log_chance = (keep * logits - sure).sum(axis=1)
    return Chosen(log_chance, entropy, keep - chance, -logits * chance * (1 - chance))


def sigmoid(x: Floats32) -> Floats32:
    chance: Floats32 = (1 + np.tanh(x * np.float32(0.5))) * np.float32(0.5)
    return chance


def draw_hold(shape: Shape, logits: Floats32, distinct: Flags, rng: np.random.Generator) -> Any:
    if shape.rolling == BERNOULLI:
        return draw_slots(logits, rng)
    return draw_one(logits, distinct, rng)


def hold_of(shape: Shape, logits: Floats32, distinct: Flags, chosen: Any) -> Chosen:
    if shape.rolling == BERNOULLI:
        return slots_of(logits, chosen)
    return one_of(logits, distinct, chosen)
