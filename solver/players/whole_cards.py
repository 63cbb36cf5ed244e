"""A policy network on whole cards: all 252 rolls with every number of rolls left.

Exact results need hundreds of thousands of cards. The first layer is linear, so its part for a roll
and its part for a card are calculated once each, and added. ``network_kernels`` does this and all
further layers. Its float32 rounding differs from that of ``network``, so each choice comes with its
lead: the difference between the two largest logits.
"""

import numpy as np
import numpy.typing as npt

from solver.dp.arrays import Ints
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
from solver.players.network_kernels import PANEL, NetworkHead, Trunk, choose_on_cards
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


class WholeCards:
    def __init__(self, network: Network) -> None:
        shape, parameters = network.shape, network.parameters
        self.network, self.rules = network, network.rules
        self._encoded = np.empty((ROLLS, 0), dtype=np.float32)  # [roll]: the vectors of its dice
        if shape.embedding:
            dice = make_dice_features(DICE)[:, : DICE * FACES]
            self._encoded = attend(shape, parameters, dice)[1]
        self._first, self._trunk = make_trunk(shape, parameters)
        boxes = np.arange(len(self.rules.categories))[None, :, None]
        # The weights and the bias of each head, and the outputs that a choice adds up.
        self._heads = {
            name: (
                _arrange_panels(parameters[f"{name}.weights"]),
                _pad_to_panels(parameters[f"{name}.bias"]),
                terms.astype(np.int16),
            )
            for name, terms in ((HOLDS, hold_terms(shape.rolling)), (BOXES, boxes))
        }

    def chosen(
        self, head: str, rows: Ints, columns: Ints, left: Ints
    ) -> tuple[npt.NDArray[np.int16], Floats32]:
        """Return two arrays [card, roll]: the chosen hold or box, and the lead of its logit over
        the second largest."""
        different_rows, row_of = np.unique(rows, return_inverse=True)
        every_roll = np.tile(np.arange(ROLLS), len(different_rows))
        none = np.zeros_like(every_roll)
        rolled = Positions(different_rows.repeat(ROLLS), none, every_roll, none)
        rolls = self._make_inputs(rolled).reshape(len(different_rows), ROLLS, -1)
        # The inputs of a card with its rolls left, minus the inputs of its row, at one roll.
        cards = (
            self._make_inputs(Positions(rows, columns, np.zeros_like(rows), left))
            - rolls[row_of, 0]
        )
        if head == HOLDS:
            every_slot = self.network.shape.rolling == BERNOULLI
            allowed = (mark_distinct_holds(DICE) | every_slot)[None]
        else:
            allowed = find_allowed_boxes(self.rules, rolled).reshape(*rolls.shape[:2], -1)
        choices = NetworkHead(*self._heads[head], allowed)
        choice = np.empty((len(rows), ROLLS), dtype=np.int16)
        lead = np.empty(choice.shape, dtype=np.float32)
        choose_on_cards(rolls, cards, row_of, self._first, self._trunk, choices, choice, lead)
        return (number_holds(DICE)[np.arange(ROLLS), choice] if head == HOLDS else choice), lead

    def _make_inputs(self, at: Positions) -> Floats32:
        seen = self.network.shape.select_inputs(self.rules, make_features_at(self.rules, at))
        return np.hstack([seen, self._encoded[at.rolls]])


def make_trunk(shape: Shape, parameters: Parameters) -> tuple[Floats32, Trunk]:
    """Return the weights of the first layer, and the further layers as a ``Trunk``."""
    layers = [f"trunk{number}" for number in range(shape.depth)]
    weights = [parameters[f"{layer}.weights"] for layer in layers]
    if shape.layer_norm:  # the norm subtracts the mean, so the weights are centred
        weights = [layer - layer.mean(axis=1, keepdims=True) for layer in weights]
    ones = np.ones(shape.width, dtype=np.float32)
    first = _pad_to_panels(weights[0])
    further = np.array([_arrange_panels(layer) for layer in weights[1:]], dtype=np.float32)
    return first, Trunk(
        further.reshape(shape.depth - 1, first.shape[1] ** 2),
        np.array([_pad_to_panels(parameters.get(f"{layer}.gain", ones)) for layer in layers]),
        np.array([_pad_to_panels(parameters[f"{layer}.bias"]) for layer in layers]),
        np.float32(shape.width if shape.layer_norm else 0),
        ACTIVATIONS.index(shape.activation),
    )


def hold_terms(rolling: str) -> Ints:
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


def _arrange_panels(weights: Floats32) -> Floats32:
    """Return the weights as flat panels, the layout that ``network_kernels`` reads."""
    filled = _pad_to_panels(_pad_to_panels(weights).T).T
    panels: Floats32 = filled.reshape(len(filled), -1, PANEL).swapaxes(0, 1)
    return np.ascontiguousarray(panels).reshape(-1)
