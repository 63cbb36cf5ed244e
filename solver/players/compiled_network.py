"""A policy network that chooses in thousands of positions at the same time, compiled.

Simulations and exact results need millions of choices. The network gives each choice a logit, and
the largest logit wins. A logit is the sum of the outputs that the ``terms`` of the choice list.
Numbers are rounded differently here than in ``network``. Each choice therefore comes with its lead,
which is the difference between the two largest logits. A small lead needs a second calculation.

The weights are stored in panels of ``PANEL`` columns, whose product with ``ROWS`` rows stays in
vector registers. Zeros fill the last panel of a layer.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba.core import cgutils

from solver.dp.arrays import Ints
from solver.dp.tiles import INDEX, Offset, Tiles, instruction
from solver.players.compiled import fast, kernel
from solver.players.features import (
    Positions,
    find_allowed_boxes,
    make_dice_features,
    make_features_at,
    make_layout,
    mark_distinct_holds,
    number_holds,
)
from solver.players.network import (
    ACTIVATIONS,
    BERNOULLI,
    BY_FACE,
    DICE,
    SLOTS_HOLD,
    Floats32,
    Network,
    attend,
    list_hold_faces,
)
from solver.rules.dice import FACES

PANEL, ROWS = 16, 6  # with AVX2 the sums of a product fill 12 of the 16 vector registers
AT_ONCE = 7 * ROWS  # number of positions that fit into the first-level cache together with a panel
TANH_FROM = np.float32(7.9)  # for larger numbers, tanh is 1 in float32
ONE, HALF, TINY, NOUGHT = map(np.float32, (1, 0.5, 1e-5, 0))
LEAST = np.finfo(np.float32).min  # not infinity, because fast math may assume finite numbers
# Coefficients of the numerator (A) and the denominator (B) of tanh.
A0, A1, A2, A3 = map(np.float32, (4.89352456e-03, 6.37261929e-04, 1.48572236e-05, 5.12229709e-08))
A4, A5, A6 = map(np.float32, (-8.60467152e-11, 2.00018790e-13, -2.76076848e-16))
B0, B1, B2, B3 = map(np.float32, (4.89352519e-03, 2.26843463e-03, 1.18534706e-04, 1.19825839e-06))
SWISH, RELU, TANH = range(3)
_VECTOR = ir.VectorType(ir.FloatType(), PANEL)
_FMA = f"llvm.fmuladd.v{PANEL}f32"
_declared: Any = cgutils.get_or_insert_function
_place: Any = cgutils.alloca_once
HOLDS, BOXES = "holds", "boxes"
ROLLS, SLOTS = SLOTS_HOLD.shape


class FirstLayer(NamedTuple):
    """The first layer of the network. rolls[roll] is the part of its sum that depends only on the
    dice. The other features are the ``columns``, with their ``weights``."""

    rolls: npt.NDArray[np.float32]
    columns: npt.NDArray[np.int64]
    weights: npt.NDArray[np.float32]


class Trunk(NamedTuple):
    """The layers between the inputs and the heads, one row per layer. ``weights`` starts with the
    second layer. ``width`` is the width of a layer if layers are normalised, otherwise 0."""

    weights: npt.NDArray[np.float32]
    gains: npt.NDArray[np.float32]
    biases: npt.NDArray[np.float32]
    width: np.float32
    activation: int


class NetworkHead(NamedTuple):
    """An output layer: weights and choices. If ``terms`` has only one roll, it is for all rolls."""

    weights: npt.NDArray[np.float32]
    bias: npt.NDArray[np.float32]
    terms: npt.NDArray[np.int16]  # [roll, choice, n]: an output's index


@instruction
def block_product(
    tiles: Tiles,
    x: Any,
    at: Offset,
    panels: Any,
    panel: Offset,
    depth: Offset,
    out: Any,
    to: Offset,
    width: Offset,
) -> None:
    """Generate LLVM code for a part of out = x @ panels: ``ROWS`` rows of ``depth`` numbers."""
    builder, lane = tiles.builder, ir.IntType(32)
    multiply = _declared(builder.module, ir.FunctionType(_VECTOR, [_VECTOR] * 3), _FMA)
    none = ir.Constant(_VECTOR, ir.Undefined)
    first = ir.Constant(ir.VectorType(lane, PANEL), [0] * PANEL)
    sums = [_place(builder, _VECTOR) for _ in range(ROWS)]
    for place in sums:
        builder.store(ir.Constant(_VECTOR, [0.0] * PANEL), place)

    def find_vector(array: Any, start: Any) -> Any:
        return builder.bitcast(array.find_element(start), _VECTOR.as_pointer())

    with cgutils.for_range(builder, depth) as loop:
        begin = builder.add(panel, builder.mul(loop.index, INDEX(PANEL)))
        weights = builder.load(find_vector(panels, begin), align=4)
        for row, place in enumerate(sums):
            number = builder.add(builder.add(at, loop.index), builder.mul(depth, INDEX(row)))
            single = builder.insert_element(none, builder.load(x.find_element(number)), lane(0))
            same = builder.shuffle_vector(single, single, first)
            builder.store(builder.call(multiply, [same, weights, builder.load(place)]), place)
    for row, place in enumerate(sums):
        start = builder.add(to, builder.mul(width, INDEX(row)))
        builder.store(builder.load(place), find_vector(out, start), align=4)


@fast
def multiply_panels(x: Any, panels: Any, depth: int, out: Any, width: int) -> None:
    for panel in range(0, width, PANEL):
        for row in range(0, AT_ONCE, ROWS):
            to = row * width + panel
            block_product(x, row * depth, panels, panel * depth, depth, out, to, width)


@fast
def tanh(x: Any) -> Any:
    """Return tanh(x) as a quotient of polynomials. Only the last bits may be wrong."""
    x = min(max(x, -TANH_FROM), TANH_FROM)
    z = x * x
    above = A0 + z * (A1 + z * (A2 + z * (A3 + z * (A4 + z * (A5 + z * A6)))))
    return x * above / (B0 + z * (B1 + z * (B2 + z * B3)))


@fast
def activate(x: Any, gain: Any, bias: Any, trunk: Any) -> None:
    width = len(gain)
    for at in range(0, len(x), width):
        row, scale, square = x[at : at + width], ONE, NOUGHT
        if trunk.width:
            for n in range(width):
                square += row[n] * row[n]
            scale = ONE / np.sqrt(square / trunk.width + TINY)
        if trunk.activation == SWISH:
            for n in range(width):
                half = HALF * (row[n] * scale * gain[n] + bias[n])
                row[n] = half + half * tanh(half)
        elif trunk.activation == RELU:
            for n in range(width):
                row[n] = max(row[n] * scale * gain[n] + bias[n], NOUGHT)
        else:
            for n in range(width):
                row[n] = tanh(row[n] * scale * gain[n] + bias[n])


@fast
def add(x: Any, y: Any) -> None:
    for n in range(len(x)):
        x[n] += y[n]


@fast
def find_best_choice(logits: Any, terms: Any, allowed: Any) -> tuple[int, Any]:
    """Return the allowed choice with the largest logit, and its lead over the second largest."""
    best, first, second = 0, LEAST, LEAST
    for choice in range(len(terms)):
        if allowed[choice]:
            logit = NOUGHT
            for n in range(terms.shape[1]):
                logit += logits[terms[choice, n]]
            if logit > first:
                best, first, second = choice, logit, first
            elif logit > second:
                second = logit
    return best, first - second


@kernel
def choose_in_positions(
    seen: Any,
    rolls: Any,
    allowed: Any,
    first: Any,
    trunk: Any,
    head: Any,
    chosen: Any,
    lead: Any,
) -> None:
    """Write the choice in each position to ``chosen``, and its lead to ``lead``. ``seen`` has the
    features. allowed[position, choice] is True if the choice is possible."""
    depth, width, outputs = len(first.columns), trunk.gains.shape[1], len(head.bias)
    inputs = np.zeros(AT_ONCE * depth, dtype=np.float32)
    x = np.empty(AT_ONCE * width, dtype=np.float32)
    y = np.empty_like(x)
    logits = np.empty(AT_ONCE * outputs, dtype=np.float32)
    for at in range(0, len(seen), AT_ONCE):
        number = min(AT_ONCE, len(seen) - at)
        for n in range(number):
            for column in range(depth):
                inputs[n * depth + column] = seen[at + n, first.columns[column]]
        multiply_panels(inputs, first.weights, depth, x, width)
        for n in range(number):
            add(x[n * width : (n + 1) * width], first.rolls[rolls[at + n]])
        activate(x, trunk.gains[0], trunk.biases[0], trunk)
        for layer in range(len(trunk.weights)):
            multiply_panels(x, trunk.weights[layer], width, y, width)
            activate(y, trunk.gains[layer + 1], trunk.biases[layer + 1], trunk)
            x, y = y, x
        multiply_panels(x, head.weights, width, logits, outputs)
        for n in range(number):
            some = logits[n * outputs : (n + 1) * outputs]
            add(some, head.bias)
            terms = head.terms[min(rolls[at + n], len(head.terms) - 1)]
            chosen[at + n], lead[at + n] = find_best_choice(some, terms, allowed[at + n])


class CompiledNetwork:
    def __init__(self, network: Network) -> None:
        shape, parameters = network.shape, network.parameters
        self.rules = network.rules
        layers = [f"trunk{number}" for number in range(shape.depth)]
        weights = [parameters[f"{layer}.weights"] for layer in layers]
        if shape.layer_norm:  # the norm subtracts the mean, so centred weights save a step
            weights = [layer - layer.mean(axis=1, keepdims=True) for layer in weights]
        ones = np.ones(shape.width, dtype=np.float32)
        first = _pad_to_panels(weights[0])
        further = np.array([_arrange_in_panels(_pad_to_panels(layer.T).T) for layer in weights[1:]])
        self._trunk = Trunk(
            further.astype(np.float32).reshape(shape.depth - 1, first.shape[1] ** 2),
            np.array([_pad_to_panels(parameters.get(f"{layer}.gain", ones)) for layer in layers]),
            np.array([_pad_to_panels(parameters[f"{layer}.bias"]) for layer in layers]),
            np.float32(shape.width if shape.layer_norm else 0),
            ACTIVATIONS.index(shape.activation),
        )
        self._first = FirstLayer(*_split_first_layer(network, first))
        self._allowed_holds = mark_distinct_holds(DICE) | (shape.rolling == BERNOULLI)
        # The outputs of the head whose sum rates the hold of a set of slots, as an array [roll, set
        # of slots, n]. Shorter lists end with the index of an output that is always 0.
        slots = np.arange(SLOTS)
        holds: Ints = slots[None, :, None]
        if shape.rolling == BY_FACE:
            kept = list_hold_faces().reshape(-1, FACES, DICE + 1).argmax(axis=2)
            holds = (kept + (DICE + 1) * np.arange(FACES))[SLOTS_HOLD]
        elif shape.rolling == BERNOULLI:
            held = slots[:, None] >> np.arange(DICE) & 1
            holds = np.where(held, np.arange(DICE), DICE)[None]
        boxes = np.arange(len(self.rules.categories))[None, :, None]
        self._heads = {
            name: NetworkHead(
                _arrange_in_panels(_pad_to_panels(parameters[f"{name}.weights"].T).T),
                _pad_to_panels(parameters[f"{name}.bias"]),
                terms.astype(np.int16),
            )
            for name, terms in ((HOLDS, holds), (BOXES, boxes))
        }

    def choose(self, head: str, at: Positions) -> tuple[npt.NDArray[np.int16], Floats32]:
        """Return, for each position, the chosen hold or box, and how far its logit exceeds the
        second largest."""
        holds = head == HOLDS
        allowed = self._allowed_holds[at.rolls] if holds else find_allowed_boxes(self.rules, at)
        choice = np.empty(len(at.rolls), dtype=np.int16)
        lead = np.empty(len(at.rolls), dtype=np.float32)
        layers = self._first, self._trunk, self._heads[head]
        seen = make_features_at(self.rules, at)
        choose_in_positions(seen, at.rolls, allowed, *layers, choice, lead)
        return (number_holds(DICE)[at.rolls, choice] if holds else choice), lead


def _split_first_layer(network: Network, weights: Floats32) -> tuple[Floats32, Ints, Floats32]:
    """Return the fields of ``FirstLayer``, calculated from the weights of the layer."""
    rules, shape, parameters = network
    columns = shape.find_columns(rules)
    every_one = np.ones((1, make_layout(rules).width), dtype=np.float32)
    weights[: len(columns)] *= shape.select_inputs(rules, every_one).T  # scale of each input
    encoded = np.empty((ROLLS, 0), dtype=np.float32)  # [roll]: vectors of the roll's dice
    if shape.embedding:
        encoded = attend(shape, parameters, make_dice_features(DICE)[:, : DICE * FACES])[1]
    shown = columns < make_layout(rules).groups["counts"].stop  # columns of ``dice_features``
    of_dice = np.append(shown, np.ones(encoded.shape[1], dtype=np.bool_))
    rolls = np.hstack([make_dice_features(DICE)[:, columns[shown]], encoded]) @ weights[of_dice]
    return rolls, columns[~shown], _arrange_in_panels(weights[~of_dice])


def _pad_to_panels(x: Floats32) -> Floats32:
    """Pad the last axis with zeros up to a whole number of panels."""
    lacking = -x.shape[-1] % PANEL
    filled: Floats32 = np.pad(x, [(0, 0)] * (x.ndim - 1) + [(0, lacking)])
    return filled


def _arrange_in_panels(weights: Floats32) -> Floats32:
    """Return the weights as flat panels, the layout that ``block_product`` reads."""
    filled = _pad_to_panels(weights)
    panels: Floats32 = filled.reshape(len(filled), -1, PANEL).swapaxes(0, 1)
    return np.ascontiguousarray(panels).reshape(-1)
