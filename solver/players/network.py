"""The forward pass of a policy network, in numpy alone.

    x = [the groups of features in ``Shape.inputs``, and the encoded dice]
    h = activation(norm(h W) gain + bias)                      one layer of the trunk, from h = x
    logits of the holds, logits of the boxes, value = h W + bias      the three heads

Dice are encoded as features (``players.features``), or as one trained vector for each die. Sines
can encode the die's place in the roll. Self-attention follows:

    t = faces E + places;   encoded = t + softmax(t Wq (t Wk)' / sqrt d) t Wv Wo

The head of the holds has one output for each slot, one for each of the 32 sets of slots, or one for
each face and number of dice held. In the last case the logit of a hold is the sum over the faces,
no matter which slots its dice are in.

The functions also return intermediate results for their backward pass (``learning``). Players
ignore these results.
"""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from solver.players.features import make_layout, number_holds
from solver.players.files import BadLearned, open_learned
from solver.rules import Ruleset, find_ruleset
from solver.rules.dice import FACES, make_cup

Floats32 = npt.NDArray[np.float32]
Parameters = dict[str, Floats32]

FORBIDDEN = np.float32(-1e9)  # excludes a choice; minus infinity times 0 would be NaN
# Factor for points over par, which matter but become small when divided by the threshold.
PAR_GAIN = np.float32(5)
TINY = np.float32(1e-5)
HALF = np.float32(0.5)
CATEGORICAL, BERNOULLI, BY_FACE = "categorical", "bernoulli", "faces"
POLICY = "policy"
CUP = make_cup(5)  # the dice of all trained networks, which determine the sizes of the layers
DICE, SLOTS = CUP.dice, CUP.every_slot + 1
SLOTS_HOLD = number_holds(DICE).astype(np.intp)
ACTIVATIONS = ("swish", "relu", "tanh")


@dataclass(frozen=True)
class Shape:
    """The architecture of a network: groups of features, sizes, and the encoding of the dice."""

    inputs: tuple[str, ...]
    width: int = 256
    depth: int = 2
    layer_norm: bool = True
    activation: str = "swish"
    rolling: str = CATEGORICAL
    embedding: int = 0
    places: bool = False

    def find_columns(self, rules: Ruleset) -> npt.NDArray[np.intp]:
        groups = make_layout(rules).groups
        return np.concatenate([np.arange(*groups[name].indices(10**6)) for name in self.inputs])

    def select_inputs(self, rules: Ruleset, features: Floats32) -> Floats32:
        """Return the feature columns that the network reads, with ``upper_par`` scaled up."""
        inputs: Floats32 = np.take(features, self.find_columns(rules), axis=1)
        if "upper_par" in self.inputs:
            at = self.find_columns(rules) == make_layout(rules).groups["upper_par"].start
            inputs[:, at] *= PAR_GAIN
        return inputs

    def list_parameters(self, rules: Ruleset) -> dict[str, tuple[int, ...]]:
        """Return the dimensions of each parameter array, by the name of the array."""
        d, wide = self.embedding, len(self.find_columns(rules)) + DICE * self.embedding
        sizes: dict[str, tuple[int, ...]] = {}
        if d:
            sizes["faces"] = (FACES, d)
            sizes |= dict.fromkeys(("queries", "keys", "values", "out"), (d, d))
        for layer in range(self.depth):
            sizes[f"trunk{layer}.weights"] = (wide if layer == 0 else self.width, self.width)
            sizes[f"trunk{layer}.bias"] = (self.width,)
            if self.layer_norm:
                sizes[f"trunk{layer}.gain"] = (self.width,)
        holds = {BERNOULLI: DICE, BY_FACE: FACES * (DICE + 1)}.get(self.rolling, SLOTS)
        for head, outputs in {"holds": holds, "boxes": len(rules.categories), "value": 1}.items():
            sizes[f"{head}.weights"] = (self.width, outputs)
            sizes[f"{head}.bias"] = (outputs,)
        return sizes


class Normed(NamedTuple):
    """The result of a layer's normalisation, and the scale that the backward pass needs."""

    normal: Floats32
    scale: Floats32


def activate(kind: str, x: Floats32) -> tuple[Floats32, Floats32]:
    """Apply the activation function. Also return the array that gives its slope: the sigmoid (for
    swish) or again the result."""
    if kind == "relu":
        out = np.maximum(x, 0)
        return out, out
    if kind == "tanh":
        out = np.tanh(x)
        return out, out
    sigmoid = np.tanh(x * HALF)  # tanh is twice as fast as the exponential
    sigmoid += 1
    sigmoid *= HALF
    return x * sigmoid, sigmoid


class LayerPass(NamedTuple):
    """The forward pass of one layer: its input, its normalisation, the sum before the activation,
    and the array from which the backward pass gets the activation's slope."""

    given: Floats32
    normed: Normed | None
    sum: Floats32
    kept: Floats32


class Looked(NamedTuple):
    """The intermediate results that the backward pass of self-attention needs."""

    dice: Floats32  # [position, die, face], one-hot
    tokens: Floats32
    queries: Floats32
    keys: Floats32
    values: Floats32
    weights: Floats32
    mixed: Floats32


class Passed(NamedTuple):
    looked: Looked | None
    layers: list[LayerPass]
    hidden: Floats32


def forward(shape: Shape, parameters: Parameters, inputs: Floats32, dice: Floats32) -> Passed:
    """Run the network up to its heads. ``inputs`` are the feature columns that the shape reads, and
    ``dice`` is the feature group ``dice``."""
    looked, hidden = None, inputs
    if shape.embedding:
        looked, encoded = attend(shape, parameters, dice)
        hidden = np.hstack([inputs, encoded])
    layers = []
    for number in range(shape.depth):
        name = f"trunk{number}"
        total: Floats32 = hidden @ parameters[f"{name}.weights"]
        normed = None
        if shape.layer_norm:
            away = total - total.mean(axis=1, keepdims=True)
            square = np.einsum("ij,ij->i", away, away)[:, None] / np.float32(total.shape[1])
            scale = np.float32(1) / np.sqrt(square + TINY)
            away *= scale
            normed = Normed(away, scale)
            total = normed.normal * parameters[f"{name}.gain"]
        total += parameters[f"{name}.bias"]
        out, kept = activate(shape.activation, total)
        layer, hidden = LayerPass(hidden, normed, total, kept), out
        layers.append(layer)
    return Passed(looked, layers, hidden)


def apply_head(parameters: Parameters, name: str, hidden: Floats32) -> Floats32:
    """Return an array [position, output]: the outputs of the head ``name``."""
    out: Floats32 = hidden @ parameters[f"{name}.weights"]
    out += parameters[f"{name}.bias"]
    return out


def attend(shape: Shape, parameters: Parameters, dice: Floats32) -> tuple[Looked, Floats32]:
    """Encode the dice by self-attention. Return the intermediate results, and the code as an array
    [position, (die, dimension)]. ``dice`` is the feature group ``dice``."""
    faces = dice.reshape(-1, DICE, FACES)
    tokens: Floats32 = faces @ parameters["faces"]
    if shape.places:
        angles = np.arange(DICE)[:, None] / 100 ** (
            np.arange(0, shape.embedding, 2) / shape.embedding
        )
        waves = np.stack([np.sin(angles), np.cos(angles)], axis=2)
        tokens += waves.reshape(DICE, -1).astype(np.float32)
    queries: Floats32 = tokens @ parameters["queries"]
    keys: Floats32 = tokens @ parameters["keys"]
    values: Floats32 = tokens @ parameters["values"]
    logits = queries @ keys.swapaxes(1, 2) / np.float32(np.sqrt(shape.embedding))
    weights: Floats32 = np.exp(logits - logits.max(axis=-1, keepdims=True))
    weights /= weights.sum(axis=-1, keepdims=True)
    mixed: Floats32 = weights @ values
    out: Floats32 = tokens + mixed @ parameters["out"]
    return Looked(faces, tokens, queries, keys, values, weights, mixed), out.reshape(len(dice), -1)


@cache
def list_hold_faces() -> Floats32:
    """Return an array [hold, (face, number)]: 1 if the hold has exactly this many of the face."""
    numbers = np.array([[hold.count(face) for face in range(1, FACES + 1)] for hold in CUP.holds])
    kept: Floats32 = np.eye(DICE + 1, dtype=np.float32)[numbers].reshape(len(CUP.holds), -1)
    return kept


def calculate_choice_logits(
    shape: Shape, parameters: Parameters, name: str, hidden: Floats32, rolls: Any
) -> Floats32:
    """Return a head's logits as [position, choice]. A choice is a set of slots, a slot or a box."""
    of_head = apply_head(parameters, name, hidden)
    if name != "holds" or shape.rolling != BY_FACE:
        return of_head
    every = of_head @ list_hold_faces().T
    logits: Floats32 = np.take_along_axis(every, SLOTS_HOLD[rolls], axis=1)
    return logits


def pick_slots(shape: Shape, logits: Floats32, distinct: npt.NDArray[np.bool_]) -> Any:
    """Return each position's likeliest set of slots to hold; of sets with equal dice, the first."""
    if shape.rolling == BERNOULLI:
        return (logits > 0) @ (1 << np.arange(DICE))
    return np.where(distinct, logits, FORBIDDEN).argmax(axis=1)


def pick_boxes(logits: Floats32, allowed: npt.NDArray[np.bool_]) -> Any:
    return np.where(allowed, logits, FORBIDDEN).argmax(axis=1)


class Network(NamedTuple):
    rules: Ruleset
    shape: Shape
    parameters: Parameters

    def hidden(self, features: Floats32) -> Floats32:
        """Return an array [position, unit]: the last layer before the heads."""
        dice = features[:, make_layout(self.rules).groups["dice"]]
        inputs = self.shape.select_inputs(self.rules, features)
        return forward(self.shape, self.parameters, inputs, dice).hidden

    def calculate_logits(self, name: str, features: Floats32, rolls: Any) -> Floats32:
        """Return the logits of the head ``name`` as [position, choice]."""
        return calculate_choice_logits(
            self.shape, self.parameters, name, self.hidden(features), rolls
        )


def parse_shape(facts: dict[str, Any]) -> Shape:
    return Shape(**{**facts["shape"], "inputs": tuple(facts["shape"]["inputs"])})


class NoPolicy(BadLearned):
    wanted = "no policy"


def read(path: Path) -> Network:
    """Read a policy network from a file that ``learning.policy_gradient`` wrote."""
    with open_learned(path, POLICY, NoPolicy) as (facts, arrays):
        rules, shape = find_ruleset(facts["ruleset"]), parse_shape(facts)
        sizes = shape.list_parameters(rules)
        parameters = {name: arrays[name].astype(np.float32) for name in sizes}
        if any(parameters[name].shape != size for name, size in sizes.items()):
            raise NoPolicy(f"{path} holds a policy that does not fit the present rules")
        return Network(rules, shape, parameters)
