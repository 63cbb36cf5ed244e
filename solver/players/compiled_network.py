"""A policy network that chooses in thousands of positions at once, compiled.

Simulations and exact results need millions of choices; ``network_kernels`` calculates them. Its
float32 rounding differs from that of ``network``, so each choice comes with its lead: the
difference between the two largest logits.
"""

import numpy as np
import numpy.typing as npt

from solver.dp.arrays import Ints
from solver.players.features import make_layout
from solver.players.network import (
    ACTIVATIONS,
    BERNOULLI,
    BY_FACE,
    DICE,
    SLOTS_HOLD,
    Floats32,
    Network,
    Parameters,
    Shape,
    attend,
    list_hold_faces,
)
from solver.players.network_kernels import (
    PANEL,
    FirstLayer,
    NetworkHead,
    Trunk,
    choose_in_positions,
)
from solver.players.observed import (
    Positions,
    find_allowed_boxes,
    make_dice_features,
    make_features_at,
    mark_distinct_holds,
    number_holds,
)
from solver.rules.dice import FACES

HOLDS, BOXES = "holds", "boxes"
ROLLS, SLOTS = SLOTS_HOLD.shape


class CompiledNetwork:
    def __init__(self, network: Network) -> None:
        shape, parameters = network.shape, network.parameters
        self.rules = network.rules
        first, self._trunk = make_trunk(shape, parameters)
        self._first = FirstLayer(*_split_first_layer(network, first))
        self._allowed_holds = mark_distinct_holds(DICE) | (shape.rolling == BERNOULLI)
        boxes = np.arange(len(self.rules.categories))[None, :, None]
        self._heads = {
            name: NetworkHead(
                _arrange_in_panels(_pad_to_panels(parameters[f"{name}.weights"].T).T),
                _pad_to_panels(parameters[f"{name}.bias"]),
                terms.astype(np.int16),
            )
            for name, terms in ((HOLDS, list_hold_terms(shape.rolling)), (BOXES, boxes))
        }

    def choose(self, head: str, at: Positions) -> tuple[npt.NDArray[np.int16], Floats32]:
        """Return for each position the chosen hold or box, and the lead of its logit over the
        second largest."""
        holds = head == HOLDS
        allowed = self._allowed_holds[at.rolls] if holds else find_allowed_boxes(self.rules, at)
        choice = np.empty(len(at.rolls), dtype=np.int16)
        lead = np.empty(len(at.rolls), dtype=np.float32)
        layers = self._first, self._trunk, self._heads[head]
        seen = make_features_at(self.rules, at)
        choose_in_positions(seen, at.rolls, allowed, *layers, choice, lead)
        return (number_holds(DICE)[at.rolls, choice] if holds else choice), lead


def make_trunk(shape: Shape, parameters: Parameters) -> tuple[Floats32, Trunk]:
    """Return the weights of the first layer, and the further layers as a ``Trunk``."""
    layers = [f"trunk{number}" for number in range(shape.depth)]
    weights = [parameters[f"{layer}.weights"] for layer in layers]
    if shape.layer_norm:  # the norm subtracts the mean, so the weights are centred
        weights = [layer - layer.mean(axis=1, keepdims=True) for layer in weights]
    ones = np.ones(shape.width, dtype=np.float32)
    first = _pad_to_panels(weights[0])
    further = np.array([_arrange_in_panels(_pad_to_panels(layer.T).T) for layer in weights[1:]])
    return first, Trunk(
        further.astype(np.float32).reshape(shape.depth - 1, first.shape[1] ** 2),
        np.array([_pad_to_panels(parameters.get(f"{layer}.gain", ones)) for layer in layers]),
        np.array([_pad_to_panels(parameters[f"{layer}.bias"]) for layer in layers]),
        np.float32(shape.width if shape.layer_norm else 0),
        ACTIVATIONS.index(shape.activation),
    )


def _split_first_layer(network: Network, weights: Floats32) -> tuple[Floats32, Ints, Floats32]:
    """Return the fields of ``FirstLayer``, from the weights of the layer."""
    rules, shape, parameters = network
    columns = shape.find_columns(rules)
    every_one = np.ones((1, make_layout(rules).width), dtype=np.float32)
    weights[: len(columns)] *= shape.select_inputs(rules, every_one).T  # the scale of each input
    encoded = np.empty((ROLLS, 0), dtype=np.float32)  # [roll]: the vectors of its dice
    if shape.embedding:
        encoded = attend(shape, parameters, make_dice_features(DICE)[:, : DICE * FACES])[1]
    shown = columns < make_layout(rules).groups["counts"].stop  # the columns of ``dice_features``
    of_dice = np.append(shown, np.ones(encoded.shape[1], dtype=np.bool_))
    rolls = np.hstack([make_dice_features(DICE)[:, columns[shown]], encoded]) @ weights[of_dice]
    return rolls, columns[~shown], _arrange_in_panels(weights[~of_dice])


def list_hold_terms(rolling: str) -> Ints:
    """Return an array [roll, set of slots, n]: the outputs of the head that add up to the set's
    logit. An output that is always 0 fills the rest of a row."""
    if rolling == BY_FACE:
        kept = list_hold_faces().reshape(-1, FACES, DICE + 1).argmax(axis=2)
        terms: Ints = kept + (DICE + 1) * np.arange(FACES)
        return terms[SLOTS_HOLD]
    slots = np.arange(SLOTS)
    if rolling == BERNOULLI:
        held = slots[:, None] >> np.arange(DICE) & 1
        return np.where(held, np.arange(DICE), DICE)[None]
    return slots[None, :, None]


def _pad_to_panels(x: Floats32) -> Floats32:
    """Pad the last axis with zeros to whole panels."""
    lacking = -x.shape[-1] % PANEL
    filled: Floats32 = np.pad(x, [(0, 0)] * (x.ndim - 1) + [(0, lacking)])
    return filled


def _arrange_in_panels(weights: Floats32) -> Floats32:
    """Return the weights as flat panels, the layout that ``network_kernels`` reads."""
    filled = _pad_to_panels(weights)
    panels: Floats32 = filled.reshape(len(filled), -1, PANEL).swapaxes(0, 1)
    return np.ascontiguousarray(panels).reshape(-1)
