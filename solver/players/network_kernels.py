"""Compiled choices of a policy network on whole cards, for every roll of every card.

The first layer is linear, so its sums are calculated once for the rolls of a row of cards
(``rolls``) and once for each card with its rolls left (``cards``), and then added. The weights are
stored in panels of ``PANEL`` columns, whose product with ``ROWS`` rows stays in vector registers.
Layers are filled up with zeros to whole panels; the padding stays 0 in every layer.

A choice's logit is the sum of the head's outputs that its ``terms`` list; the largest logit wins.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba.core import cgutils

from solver.dp.tiles import INDEX, Offset, Tiles, instruction
from solver.players.compiled import fast, kernel

LANES, VECTORS, ROWS = 16, 2, 6
PANEL = LANES * VECTORS
ROLLS_AT_ONCE = 7 * ROWS  # rolls that fit the first-level cache together with a panel
TANH_FROM = np.float32(7.9)  # for larger numbers tanh is 1 in float32
ONE, HALF, TINY, NOUGHT = map(np.float32, (1, 0.5, 1e-5, 0))
LEAST = np.finfo(np.float32).min  # not infinity: fast math may assume finite numbers
# Coefficients of the numerator (A) and the denominator (B) of tanh.
A0, A1, A2, A3 = map(np.float32, (4.89352456e-03, 6.37261929e-04, 1.48572236e-05, 5.12229709e-08))
A4, A5, A6 = map(np.float32, (-8.60467152e-11, 2.00018790e-13, -2.76076848e-16))
B0, B1, B2, B3 = map(np.float32, (4.89352519e-03, 2.26843463e-03, 1.18534706e-04, 1.19825839e-06))
SWISH, RELU, TANH = range(3)

_VECTOR = ir.VectorType(ir.FloatType(), LANES)
_FMA = f"llvm.fmuladd.v{LANES}f32"
_declared: Any = cgutils.get_or_insert_function
_place: Any = cgutils.alloca_once


class Trunk(NamedTuple):
    """The layers of the trunk, one row per layer; ``weights`` starts with the second layer.
    ``width`` is the width of a layer if the layers have a norm, else 0."""

    weights: npt.NDArray[np.float32]
    gains: npt.NDArray[np.float32]
    biases: npt.NDArray[np.float32]
    width: np.float32
    activation: int


class NetworkHead(NamedTuple):
    """A head's weights and choices. An axis of length 1 in ``terms`` or ``allowed`` is valid for
    all rows or all rolls."""

    weights: npt.NDArray[np.float32]
    bias: npt.NDArray[np.float32]
    terms: npt.NDArray[np.int16]  # [roll, choice, n]
    allowed: npt.NDArray[np.bool_]  # [row, roll, choice]


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
    """Generate LLVM code for a panel of out = x @ panels: ``ROWS`` rows of ``depth`` numbers."""
    builder, lane = tiles.builder, ir.IntType(32)
    multiply = _declared(builder.module, ir.FunctionType(_VECTOR, [_VECTOR] * 3), _FMA)
    none = ir.Constant(_VECTOR, ir.Undefined)
    first = ir.Constant(ir.VectorType(lane, LANES), [0] * LANES)
    zero = ir.Constant(_VECTOR, [0.0] * LANES)
    places = [(row, n) for row in range(ROWS) for n in range(VECTORS)]
    sums = {place: _place(builder, _VECTOR) for place in places}
    for place in places:
        builder.store(zero, sums[place])

    def find_vector(array: Any, start: Any, n: int) -> Any:
        place = array.find_element(builder.add(start, INDEX(n * LANES)))
        return builder.bitcast(place, _VECTOR.as_pointer())

    with cgutils.for_range(builder, depth) as loop:
        begin = builder.add(panel, builder.mul(loop.index, INDEX(PANEL)))
        weights = [builder.load(find_vector(panels, begin, n), align=4) for n in range(VECTORS)]
        for row in range(ROWS):
            place = builder.add(builder.add(at, loop.index), builder.mul(depth, INDEX(row)))
            single = builder.insert_element(none, builder.load(x.find_element(place)), lane(0))
            same = builder.shuffle_vector(single, single, first)
            for n, weight in enumerate(weights):
                so_far = builder.load(sums[row, n])
                builder.store(builder.call(multiply, [same, weight, so_far]), sums[row, n])
    for row, n in places:
        start = builder.add(to, builder.mul(width, INDEX(row)))
        builder.store(builder.load(sums[row, n]), find_vector(out, start, n), align=4)


@fast
def multiply_panels(x: Any, panels: Any, depth: int, out: Any, width: int) -> None:
    for panel in range(0, width, PANEL):
        for row in range(0, ROLLS_AT_ONCE, ROWS):
            to = row * width + panel
            block_product(x, row * depth, panels, panel * depth, depth, out, to, width)


@fast
def tanh(x: Any) -> Any:
    """Return tanh(x) by a quotient of polynomials, exact to a few units in the last place."""
    x = min(max(x, -TANH_FROM), TANH_FROM)
    z = x * x
    above = A0 + z * (A1 + z * (A2 + z * (A3 + z * (A4 + z * (A5 + z * A6)))))
    return x * above / (B0 + z * (B1 + z * (B2 + z * B3)))


@fast
def activate(x: Any, gain: Any, bias: Any, trunk: Any) -> None:
    """Apply norm, gain, bias and activation of a layer in place."""
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
def add_rows(x: Any, y: Any, out: Any) -> None:
    """Write x + y to ``out``, for each row of x."""
    for row in range(len(x)):
        for n in range(len(y)):
            out[row * len(y) + n] = x[row, n] + y[n]


@fast
def apply_first_layer(inputs: Any, weights: Any, out: Any) -> None:
    """Write inputs @ weights to ``out``; most inputs are 0."""
    for row in range(len(inputs)):
        sums = out[row]
        sums[:] = NOUGHT
        for n in range(len(weights)):
            seen = inputs[row, n]
            if seen != NOUGHT:
                for m in range(len(sums)):
                    sums[m] += seen * weights[n, m]


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
def choose_on_cards(
    rolls: Any, cards: Any, row_of: Any, first: Any, trunk: Any, head: Any, chosen: Any, lead: Any
) -> None:
    """Write the choice to chosen[card, roll], and its lead to lead[card, roll].

    ``rolls[row, roll]`` and ``cards[card]`` are inputs of the first layer, whose weights are
    ``first``; ``row_of`` is the row of each card in ``rolls``.
    """
    width, said_width = first.shape[1], len(head.bias)
    on_rolls = np.empty((rolls.shape[1], width), dtype=np.float32)
    on_cards = np.empty((len(cards), width), dtype=np.float32)
    apply_first_layer(cards, first, on_cards)
    x = np.empty(ROLLS_AT_ONCE * width, dtype=np.float32)
    y = np.empty_like(x)
    logits = np.empty(ROLLS_AT_ONCE * said_width, dtype=np.float32)
    row = -1
    for card in range(len(cards)):
        if row_of[card] != row:
            row = row_of[card]
            apply_first_layer(rolls[row], first, on_rolls)
        allowed = head.allowed[min(row, len(head.allowed) - 1)]
        for at in range(0, len(on_rolls), ROLLS_AT_ONCE):
            add_rows(on_rolls[at : at + ROLLS_AT_ONCE], on_cards[card], x)
            activate(x, trunk.gains[0], trunk.biases[0], trunk)
            for layer in range(len(trunk.weights)):
                multiply_panels(x, trunk.weights[layer], width, y, width)
                activate(y, trunk.gains[layer + 1], trunk.biases[layer + 1], trunk)
                x, y = y, x
            multiply_panels(x, head.weights, width, logits, said_width)
            for n in range(ROLLS_AT_ONCE):
                some = logits[n * said_width : (n + 1) * said_width]
                some += head.bias
                terms = head.terms[min(at + n, len(head.terms) - 1)]
                best = find_best_choice(some, terms, allowed[at + n])
                chosen[card, at + n], lead[card, at + n] = best
