"""The network's output heads: random choices, gradients by the logits, and backpropagation.

Backpropagation is written by hand, one function for each function of ``players.network``. Tests
check it with finite differences.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from solver.players.network import (
    BERNOULLI,
    BY_FACE,
    CUP,
    DICE,
    FORBIDDEN,
    Floats32,
    LayerPass,
    Looked,
    Normed,
    Parameters,
    Passed,
    Shape,
    list_hold_faces,
)
from solver.players.observed import mark_distinct_holds
from solver.players.observed import number_holds as hold_kept

Flags = npt.NDArray[np.bool_]
_BITS = np.arange(DICE)


class Chosen(NamedTuple):
    """The log probability and the entropy of each decision, and their gradients by the logits:
    ``pull`` for the log probability, ``spread`` for the entropy."""

    log_chance: Floats32
    entropy: Floats32
    pull: Floats32
    spread: Floats32


def draw_one(logits: Floats32, allowed: Flags, rng: np.random.Generator) -> Any:
    """Return a random allowed option per row of logits, with the softmax probabilities."""
    logits = np.where(allowed, logits, FORBIDDEN)
    chance = np.exp(logits - logits.max(axis=1, keepdims=True)).cumsum(axis=1, dtype=np.float64)
    return (chance <= rng.random((len(logits), 1)) * chance[:, -1:]).sum(axis=1)


def evaluate_choices(logits: Floats32, allowed: Flags, chosen: Any) -> Chosen:
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


def sigmoid(x: Floats32) -> Floats32:
    chance: Floats32 = (1 + np.tanh(x * np.float32(0.5))) * np.float32(0.5)
    return chance


def draw_hold(shape: Shape, logits: Floats32, distinct: Flags, rng: np.random.Generator) -> Any:
    if shape.rolling == BERNOULLI:
        keep = rng.random(logits.shape) < sigmoid(logits)
        return keep @ (1 << _BITS)  # the held slots as bits
    return draw_one(logits, distinct, rng)


def evaluate_holds(shape: Shape, logits: Floats32, distinct: Flags, chosen: Any) -> Chosen:
    if shape.rolling == BERNOULLI:
        keep = (chosen[:, None] >> _BITS & 1).astype(np.float32)
        chance = sigmoid(logits)
        sure = np.logaddexp(np.float32(0), logits)  # -log(1 - chance)
        entropy = (sure - chance * logits).sum(axis=1)
        log_chance = (keep * logits - sure).sum(axis=1)
        return Chosen(log_chance, entropy, keep - chance, -logits * chance * (1 - chance))
    return evaluate_choices(logits, distinct, chosen)


# [roll, held slots as bits]: the number of the hold. If several slots hold the same dice, only the
# first has it; the others have the number after the last hold, an entry that is never read.
ALONE = np.where(mark_distinct_holds(DICE), hold_kept(DICE), len(CUP.holds)).astype(np.intp)


def backprop_head(
    parameters: Parameters, name: str, hidden: Floats32, d: Floats32, gradient: Parameters
) -> Floats32:
    """Backpropagate ``d``, the gradient of a head's outputs: add the gradient of the head's
    parameters to ``gradient``, and return the gradient of the head's input ``hidden``."""
    gradient[f"{name}.weights"] += hidden.T @ d
    gradient[f"{name}.bias"] += d.sum(axis=0)
    back: Floats32 = d @ parameters[f"{name}.weights"].T
    return back


def backprop_choice(shape: Shape, name: str, rolls: Any, d: Floats32) -> Floats32:
    """Return the gradient of a head's outputs, given the gradient ``d`` of the options' logits."""
    if name != "holds" or shape.rolling != BY_FACE:
        return d
    every = np.zeros((len(d), len(CUP.holds) + 1), dtype=d.dtype)
    np.put_along_axis(every, ALONE[rolls], d, axis=1)
    gradient: Floats32 = every[:, :-1] @ list_hold_faces()
    return gradient


def backprop_trunk(
    shape: Shape, parameters: Parameters, passed: Passed, d: Floats32, gradient: Parameters
) -> None:
    for number in reversed(range(shape.depth)):
        goes_on = number > 0 or passed.looked is not None
        d = _backprop_layer(shape, parameters, number, passed.layers[number], d, gradient, goes_on)
    if passed.looked is not None:
        encoded = d[:, -DICE * shape.embedding :]
        _attend_back(shape, parameters, passed.looked, encoded, gradient)


def _backprop_layer(
    shape: Shape,
    parameters: Parameters,
    number: int,
    layer: LayerPass,
    d: Floats32,
    gradient: Parameters,
    goes_on: bool,
) -> Floats32:
    name = f"trunk{number}"
    d = activate_back(shape.activation, layer, d)
    gradient[f"{name}.bias"] += d.sum(axis=0)
    if layer.normed is not None:
        gradient[f"{name}.gain"] += np.einsum("ij,ij->j", d, layer.normed.normal)
        d = backprop_norm(layer.normed, d * parameters[f"{name}.gain"])
    gradient[f"{name}.weights"] += layer.given.T @ d
    return d @ parameters[f"{name}.weights"].T if goes_on else d


def activate_back(kind: str, layer: LayerPass, d: Floats32) -> Floats32:
    if kind == "relu":
        return d * (layer.kept > 0)
    if kind == "tanh":
        return d * (1 - layer.kept * layer.kept)
    slope = 1 - layer.kept
    slope *= layer.sum
    slope += 1
    slope *= layer.kept
    slope *= d
    return slope


def backprop_norm(normed: Normed, d: Floats32) -> Floats32:
    along = np.einsum("ij,ij->i", d, normed.normal)[:, None] / np.float32(d.shape[1])
    d -= d.mean(axis=1, keepdims=True)
    d -= normed.normal * along
    d *= normed.scale
    return d


def _attend_back(
    shape: Shape, parameters: Parameters, looked: Looked, d: Floats32, gradient: Parameters
) -> None:
    d = d.reshape(looked.tokens.shape)
    gradient["out"] += np.einsum("nij,nik->jk", looked.mixed, d)
    d_mixed = d @ parameters["out"].T
    d_values = looked.weights.swapaxes(1, 2) @ d_mixed
    d_weights = d_mixed @ looked.values.swapaxes(1, 2)
    along = (d_weights * looked.weights).sum(axis=2, keepdims=True)
    d_scores = looked.weights * (d_weights - along) / np.float32(np.sqrt(shape.embedding))
    d_queries, d_keys = d_scores @ looked.keys, d_scores.swapaxes(1, 2) @ looked.queries
    d_tokens = d
    for name, back in (("queries", d_queries), ("keys", d_keys), ("values", d_values)):
        gradient[name] += np.einsum("nij,nik->jk", looked.tokens, back)
        d_tokens = d_tokens + back @ parameters[name].T
    gradient["faces"] += np.einsum("nif,nik->fk", looked.dice, d_tokens)
