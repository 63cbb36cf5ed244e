"""A policy network on whole cards: all 252 rolls with every number of throws left.

Exact figures ask hundreds of thousands of cards. Nothing that rolls or cards share is worked out
twice, and the products run on one core each (``network_kernels``). The last bits of a float32 fall
otherwise there than in ``network``: by how much a choice leads is told with it.
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
    attend,
    kept_faces,
)
from solver.players.network_kernels import PANEL, NetworkHead, Trunk, choose_on_cards
from solver.players.observed import (
    Positions,
    allowed_boxes,
    dice_features,
    distinct_holds,
    features_at,
    hold_of,
)
from solver.rules.dice import FACES

HOLDS, BOXES = "holds", "boxes"
ROLLS, SLOTS = SLOTS_HOLD.shape


class WholeCards:
    def __init__(self, network: Network) -> None:
        shape, parameters = network.shape, network.parameters
        self.network, self.rules = network, network.rules
        self._encoded = np.empty((ROLLS, 0), dtype=np.float32)
        if shape.embedding:
            dice = dice_features(DICE)[:, : DICE * FACES]
            self._encoded = attend(shape, parameters, dice)[1]
        layers = [f"trunk{n}" for n in range(shape.depth)]
        first, *others = (parameters[f"{layer}.weights"] for layer in layers)
        if shape.layer_norm:  # which takes the mean away: it need not come about
            first, *others = (
                layer - layer.mean(axis=1, keepdims=True) for layer in (first, *others)
            )
        ones = np.ones(shape.width, dtype=np.float32)
        self._first = _filled(first)
        self._trunk = Trunk(
            np.array([_panels(one) for one in others], dtype=np.float32).reshape(
                len(others), self._first.shape[1] ** 2
            ),
            np.array([_filled(parameters.get(f"{layer}.gain", ones)) for layer in layers]),
            np.array([_filled(parameters[f"{layer}.bias"]) for layer in layers]),
            np.float32(shape.width if shape.layer_norm else 0),
            ACTIVATIONS.index(shape.activation),
        )
        distinct = distinct_holds(DICE) | (shape.rolling == BERNOULLI)
        boxes = np.arange(len(self.rules.categories))[None, :, None]
        self._heads = {
            name: NetworkHead(
                _panels(parameters[f"{name}.weights"]),
                _filled(parameters[f"{name}.bias"]),
                terms.astype(np.int16),
                distinct[None],
            )
            for name, terms in ((HOLDS, hold_terms(shape.rolling)), (BOXES, boxes))
        }

    def chosen(
        self, head: str, rows: Ints, columns: Ints, left: Ints
    ) -> tuple[npt.NDArray[np.int16], Floats32]:
        """[card, roll]: the hold or the box, and by how much it leads."""
        there, row_of = np.unique(rows, return_inverse=True)
        none = np.zeros_like(there.repeat(ROLLS))
        every = Positions(there.repeat(ROLLS), none, np.tile(np.arange(ROLLS), len(there)), none)
        rolls = self._inputs(every).reshape(len(there), ROLLS, -1)
        bare = self._inputs(Positions(rows, columns, np.zeros_like(rows), left))
        choices = self._heads[head]
        if head == BOXES:
            allowed = allowed_boxes(self.rules, every).reshape(len(there), ROLLS, -1)
            choices = choices._replace(allowed=allowed)
        choice = np.empty((len(rows), ROLLS), dtype=np.int16)
        lead = np.empty(choice.shape, dtype=np.float32)
        cards = bare - rolls[row_of, 0]
        choose_on_cards(rolls, cards, row_of, self._first, self._trunk, choices, choice, lead)
        return (hold_of(DICE)[np.arange(ROLLS), choice] if head == HOLDS else choice), lead

    def _inputs(self, at: Positions) -> Floats32:
        seen = self.network.shape.inputs_of(self.rules, features_at(self.rules, at))
        return np.hstack([seen, self._encoded[at.rolls]])


def hold_terms(rolling: str) -> Ints:
    """[roll, slots, n]: which numbers of the head are added up; the one after its last is 0."""
    if rolling == BY_FACE:
        kept = kept_faces().reshape(-1, FACES, DICE + 1).argmax(axis=2)
        terms: Ints = kept + (DICE + 1) * np.arange(FACES)
        return terms[SLOTS_HOLD]
    slots = np.arange(SLOTS)
    if rolling == BERNOULLI:
        held = slots[:, None] >> np.arange(DICE) & 1
        return np.where(held, np.arange(DICE), DICE)[None]
    return slots[None, :, None]


def _filled(x: Floats32) -> Floats32:
    """With noughts up to whole panels."""
    lacking = -x.shape[-1] % PANEL
    filled: Floats32 = np.pad(x, [(0, 0)] * (x.ndim - 1) + [(0, lacking)])
    return filled


def _panels(weights: Floats32) -> Floats32:
    """Return the weights as ``network_kernels`` reads them."""
    filled = _filled(_filled(weights).T).T
    panels: Floats32 = filled.reshape(len(filled), -1, PANEL).swapaxes(0, 1)
    return np.ascontiguousarray(panels).reshape(-1)
