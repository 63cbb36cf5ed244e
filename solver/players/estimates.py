"""A learner's estimates of a card's value at the start of a turn, from few parameters.

``Sums`` adds three table entries: one for the filled boxes; one for the upper boxes with their
total and the number of open lower boxes; one for the lower boxes with the distance of the upper
total from par and the number of open upper boxes. ``ValueNetwork`` is a small network:

    x = [box open ...,  chips won,  one-hot of what the upper total can still become]
    h1 = relu(x W1 + b1)    h2 = relu(h1 W2 + b2)    worth = optimism * open boxes + h2 w3 + b3

Neither estimate has other inputs. ``learning.turn_starts`` trains both. All upper totals that can
no longer reach the bonus count as one total, and all totals with the bonus count as one.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from solver.dp.arrays import Floats, Ints
from solver.dp.space import Space
from solver.players.features import find_par
from solver.players.files import BadLearned, open_learned
from solver.rules import PLAYED, Ruleset, find_ruleset

KIND = "values of turn starts"
BINS = 12  # points from par that have separate bins; larger distances are in the last bin
BONUS_BINS = 2 * BINS + 3
SECURED, LOST = 0, 1  # the first two bins: bonus secured, and bonus out of reach
CARDS_AT_ONCE = 8192
KEYS_AT_ONCE = 1 << 20

Floats32 = npt.NDArray[np.float32]
Flags = npt.NDArray[np.bool_]
Arrays = Mapping[str, npt.NDArray[Any]]


class ValueEstimate(Protocol):
    @property
    def rules(self) -> Ruleset: ...

    def make_table(self) -> Floats:
        """Return an array [row, column] of each card's estimated value; NaN if no game reaches
        it."""

    def collect_arrays(self) -> Arrays: ...


class Cards(NamedTuple):
    """The properties of cards that an estimate uses, as arrays with one entry per card."""

    row: Ints
    column: Ints  # column of the upper total; all totals that cannot reach the bonus share a column
    upper: Ints  # filled upper boxes, as bits
    lower: Ints  # filled lower boxes and the chips flag, as bits
    open_upper: Ints
    open_lower: Ints
    bonus: Ints  # SECURED, LOST, or 2 + BINS + the distance from par


def describe_cards(rules: Ruleset, rows: Ints, columns: Ints) -> Cards:
    """Return the properties of the cards rows[n], columns[n]."""
    space = make_space(rules)
    column = np.maximum(columns, space.alike_until[rows])
    lower = [box for box in range(space.boxes) if box not in rules.upper]
    uppers, lowers = _pack_bits(rows, rules.upper), _pack_bits(rows, (*lower, space.boxes))
    faces = sum(rules.categories[box].face for box in rules.upper)
    filled = sum((rows >> box & 1) * rules.categories[box].face for box in rules.upper)
    bonus = 2 + BINS + np.clip(column - find_par(rules) * filled, -BINS, BINS)
    bonus[column + rules.dice * (faces - filled) < rules.bonus_threshold] = LOST
    bonus[column >= rules.bonus_threshold] = SECURED
    return Cards(
        row=rows,
        column=column,
        upper=uppers,
        lower=lowers,
        open_upper=len(rules.upper) - np.bitwise_count(uppers).astype(np.int64),
        open_lower=len(lower) - np.bitwise_count(lowers & (1 << len(lower)) - 1).astype(np.int64),
        bonus=bonus,
    )


def _pack_bits(rows: Ints, bits: tuple[int, ...]) -> Ints:
    return sum((rows >> bit & 1) << n for n, bit in enumerate(bits)) + np.zeros_like(rows)


@cache
def make_space(rules: Ruleset) -> Space:
    return Space(rules)


@cache
def _find_turn_starts(rules: Ruleset) -> Flags:
    """Return a mask [row, column] of the cards on which a turn can start."""
    space = make_space(rules)
    reachable = space.reachable.copy()
    reachable[space.full_rows] = False
    return reachable


def open_cards(rules: Ruleset) -> tuple[Ints, Ints]:
    """Return the rows and columns of all cards on which a turn can start."""
    rows, columns = np.nonzero(_find_turn_starts(rules))
    return rows, columns


def fill_table(rules: Ruleset, worth: Floats) -> Floats:
    """Return an array [row, column]: the values ``worth`` for the cards of ``open_cards``, the
    bonus for full cards, and NaN for cards that no game reaches."""
    space = make_space(rules)
    table = np.full((space.rows, space.columns), np.nan)
    table[_find_turn_starts(rules)] = worth
    full = space.reachable[space.full_rows]
    bonus = np.where(np.arange(space.columns) >= rules.bonus_threshold, rules.bonus_points, 0)
    table[space.full_rows] = np.where(full, bonus, np.nan)
    return table


@dataclass(frozen=True)
class Sums:
    rules: Ruleset
    weights: Floats

    @classmethod
    def create_optimistic(cls, rules: Ruleset, optimism: float) -> "Sums":
        """Return a first estimate, which is too high: ``optimism`` points for each open box."""
        space, weights = make_space(rules), np.zeros(sum(find_sizes(rules)))
        filled = np.arange(space.rows) & rules.full
        weights[: space.rows] = optimism * (space.boxes - np.bitwise_count(filled))
        return cls(rules, weights)

    def make_table(self) -> Floats:
        first, *others = _find_all_keys(self.rules)
        worth = self.weights[first]
        for keys in others:
            worth += self.weights[keys]
        return fill_table(self.rules, worth)

    def collect_arrays(self) -> Arrays:
        return {"weights": self.weights}


def find_sizes(rules: Ruleset) -> tuple[int, int, int]:
    """Return the number of entries in each of the three tables of ``Sums``."""
    space = make_space(rules)
    upper = len(rules.upper)
    lower = space.boxes - upper
    return (
        space.rows,
        (1 << upper) * space.columns * (lower + 1),
        (space.rows >> upper) * (upper + 1) * BONUS_BINS,
    )


def find_keys(rules: Ruleset, rows: Ints, columns: Ints) -> Ints:
    """Return an array [table, card]: where ``weights`` has the entry for the card in each table."""
    card, space = describe_cards(rules, rows, columns), make_space(rules)
    upper = len(rules.upper)
    first, second, _ = find_sizes(rules)
    return np.array(
        [
            card.row,
            first
            + (card.upper * space.columns + card.column) * (space.boxes - upper + 1)
            + card.open_lower,
            first + second + (card.lower * BONUS_BINS + card.bonus) * (upper + 1) + card.open_upper,
        ]
    )


@cache
def _find_all_keys(rules: Ruleset) -> npt.NDArray[np.int32]:
    rows, columns = open_cards(rules)
    keys = np.empty((len(find_sizes(rules)), len(rows)), dtype=np.int32)
    for at in range(0, len(rows), KEYS_AT_ONCE):  # temporary arrays need ten times this memory
        some = slice(at, at + KEYS_AT_ONCE)
        keys[:, some] = find_keys(rules, rows[some], columns[some])
    return keys


@dataclass(frozen=True)
class ValueNetwork:
    rules: Ruleset
    optimism: float
    layers: dict[str, Floats32]

    @classmethod
    def new(cls, rules: Ruleset, optimism: float, width: int, seed: int) -> "ValueNetwork":
        """Return a network whose last layer is 0, so it first values open boxes at ``optimism``."""
        random = np.random.default_rng(seed)
        shape = list_shapes(rules, width)
        layers = {
            name: (random.standard_normal(size) * np.sqrt(2 / size[0])).astype(np.float32)
            if name in ("w1", "w2")
            else np.zeros(size, dtype=np.float32)
            for name, size in shape.items()
        }
        return cls(rules, optimism, layers)

    def estimate_prior(self, rows: Ints) -> Floats32:
        """Return an array [card]: ``optimism`` points for each open box of the card."""
        open_boxes = len(self.rules.categories) - np.bitwise_count(rows & self.rules.full)
        worth: Floats32 = (self.optimism * open_boxes).astype(np.float32)
        return worth

    def make_table(self) -> Floats:
        """Return the estimates of all cards. Evaluate cards with equal inputs only once."""
        rows, bonus, alike = _find_distinct_inputs(self.rules)
        split, cards = len(self.rules.categories) + 1, np.arange(make_space(self.rules).rows)
        boxes = make_box_inputs(self.rules, cards) @ self.layers["w1"][:split]
        ways = self.layers["w1"][split:] + self.layers["b1"]
        parts = (slice(at, at + CARDS_AT_ONCE) for at in range(0, len(rows), CARDS_AT_ONCE))
        worth = [forward_pass(self.layers, boxes[rows[at]] + ways[bonus[at]])[-1] for at in parts]
        return fill_table(
            self.rules,
            (self.estimate_prior(rows) + np.concatenate(worth))[alike].astype(np.float64),
        )

    def collect_arrays(self) -> Arrays:
        return self.layers


@cache
def _find_distinct_inputs(rules: Ruleset) -> tuple[Ints, Ints, Ints]:
    """Return the rows and upper bins of the network's different inputs. Also return, for each card
    of ``open_cards``, the index of its input."""
    rows, columns = open_cards(rules)
    keys = rows * BONUS_BINS + describe_cards(rules, rows, columns).bonus
    unlike, alike = np.unique(keys, return_inverse=True)
    return *np.divmod(unlike, BONUS_BINS), alike


def list_shapes(rules: Ruleset, width: int) -> dict[str, tuple[int, ...]]:
    """Return the shape of each array in ``ValueNetwork.layers``, by its name."""
    return {
        "w1": (len(rules.categories) + 1 + BONUS_BINS, width),
        "b1": (width,),
        "w2": (width, width),
        "b2": (width,),
        "w3": (width,),
        "b3": (1,),
    }


def make_inputs(rules: Ruleset, rows: Ints, columns: Ints) -> Floats32:
    ways = np.eye(BONUS_BINS, dtype=np.float32)[describe_cards(rules, rows, columns).bonus]
    return np.hstack([make_box_inputs(rules, rows), ways])


def make_box_inputs(rules: Ruleset, rows: Ints) -> Floats32:
    """Return the inputs of each card: 1 for every open box, and a last 1 if chips were won."""
    boxes = len(rules.categories)
    seen = (rows[:, None] >> np.arange(boxes + 1) & 1).astype(np.float32)
    seen[:, :boxes] = 1 - seen[:, :boxes]
    return seen


def forward_pass(
    layers: Mapping[str, Floats32], sum1: Floats32
) -> tuple[Floats32, Floats32, Floats32]:
    """Return both hidden layers and the output. ``sum1`` is the first layer before its ReLU."""
    hidden1 = np.maximum(sum1, 0)
    hidden2 = np.maximum(hidden1 @ layers["w2"] + layers["b2"], 0)
    return hidden1, hidden2, hidden2 @ layers["w3"] + layers["b3"]


class BadEstimate(BadLearned):
    wanted = f"no {KIND}"


def read(path: Path) -> ValueEstimate:
    with open_learned(path, KIND, BadEstimate) as (facts, arrays):
        rules = find_ruleset(facts["ruleset"], PLAYED)
        if facts["method"] == "sums":
            wanted: Mapping[str, tuple[int, ...]] = {"weights": (sum(find_sizes(rules)),)}
        else:
            wanted = list_shapes(rules, facts["width"])
        if {name: array.shape for name, array in arrays.items()} != wanted:
            raise BadEstimate(f"the arrays of the file are not those of {rules.id}")
        if facts["method"] == "sums":
            return Sums(rules, arrays["weights"].astype(np.float64))
        layers = {name: array.astype(np.float32) for name, array in arrays.items()}
        return ValueNetwork(rules, facts["optimism"], layers)
