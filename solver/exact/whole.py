"""Values of perfect play without rounding, in whole numbers, or rounded down to small units.

V is the expected points in the rest of the game. Every roll of d dice is a mean over 6^d orders, so
V of a card with k open boxes is a whole number divided by 6^(d * throws * k). Only cards with k and
k + 1 open boxes are in memory at a time.

A certificate proves bounds of V. It has a number of units for every card, which ``docs/verify.py``
checks. The number follows from the next cards, and every mean over a roll is rounded down.
If all values fall by the same amount, so does the value of a turn. A card's number is therefore too
low by less than one unit per remaining roll.
"""

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from solver.dp import arrays
from solver.dp.arrays import Ints
from solver.dp.slots import MOST_SLOTS, build_slots
from solver.dp.space import TILE, Space
from solver.dp.sweep import Progress, count_cores, run_in_parts
from solver.exact import LIMB
from solver.rules import Ruleset
from solver.rules.dice import FACES

ROWS_AT_ONCE = 16


class WholeEntries(NamedTuple):
    """The scores of boxes and the steps between holds, like the arrays of ``dp``, but with the
    numbers of holds and slots (scores that rolls share) instead of offsets.

    Box c raises the slots of the entries start[c]:start[c + 1]. ``slots_of_roll`` and ``less`` are
    padded with the index of a number that is never the best. The sum over a roll is multiplied by
    ``times`` and then, if ``thrown`` is not empty, divided by it. ``places`` is the number of
    entries after the holds.
    """

    start: Ints
    slot: Ints
    points: Ints
    step: Ints
    joker_box: int
    chips_row: int
    slots: int
    slots_of_roll: Ints
    more: Ints
    less: Ints
    times: Ints
    thrown: Ints
    places: int
    bounds: Ints


class WholeJokers(NamedTuple):
    """The joker moves of ``arrays.JokerMoves`` in whole numbers; ``roll`` is a hold's number."""

    start: Ints
    roll: Ints
    row: Ints
    points: Ints
    step: Ints


class LevelBefore(NamedTuple):
    """A solved level. values[place[row], column] is a card's value. points[n] means n points."""

    values: Ints
    place: Ints
    alike_until: Ints
    points: Ints


@dataclass(frozen=True)
class WholeLevel:
    """Values of a level: values[index[row], column] is a long number in 1 / scale points."""

    scale: int
    values: Ints
    index: Ints

    def value(self, row: int, column: int) -> Fraction:
        limbs = self.values[self.index[row], column]
        return Fraction(
            sum(limb << LIMB * place for place, limb in enumerate(limbs.tolist())), self.scale
        )


def split_into_limbs(number: int, limbs: int) -> list[int]:
    """Return the digits of a number in base 2^LIMB, the lowest first."""
    return [number >> LIMB * place & (1 << LIMB) - 1 for place in range(limbs)]


@cache
def build_entries(rules: Ruleset, rounded: bool) -> WholeEntries:
    slots = build_slots(rules)
    lines: dict[int, list[int]] = {}
    for number in range(1, MOST_SLOTS + 1):
        flat = slots.rolls[slots.ends[number - 1] : slots.ends[number]] // TILE
        lines |= {line[0]: line[1:] for line in flat.reshape(-1, number + 1).tolist()}
    moves = np.diff(arrays.build_joker_moves(rules).start).max(initial=0)
    bounds, held = np.array(rules.cup.bounds), arrays.hold_sizes(rules.dice)
    return WholeEntries(
        start=slots.start,
        slot=slots.slot // TILE,
        points=slots.points.astype(np.int64),
        step=slots.step,
        joker_box=slots.joker_box,
        chips_row=slots.chips_row,
        slots=slots.number,
        slots_of_roll=_pad_lines([lines[roll] for roll in sorted(lines)], slots.number),
        more=np.array(arrays.list_larger_holds(rules.dice)),
        less=_pad_lines(arrays.list_smaller_holds(rules.dice), bounds[-1]),
        times=held * 0 + 1 if rounded else FACES**held,
        thrown=FACES ** (rules.dice - held) if rounded else held[:0],
        places=1 + len(rules.categories) + len(slots.slot) + int(moves),
        bounds=bounds,
    )


def _pad_lines(lines: Sequence[Sequence[int]], end: int) -> Ints:
    """Return the lines as rows of an array. Shorter lines end with the number ``end``."""
    most = max(map(len, lines))
    return np.array([[*line, *[end] * (most - len(line))] for line in lines])


@cache
def build_jokers(rules: Ruleset) -> WholeJokers:
    moves = arrays.build_joker_moves(rules)
    points = moves.points.astype(np.int64)
    return WholeJokers(moves.start, moves.target // TILE, moves.row, points, moves.step)


def find_unit_exponent(rules: Ruleset) -> int:
    """Return n, so that the unit of a certificate is 2^-n points. For five dice n is 42: the sum
    over all orders of a roll, each below 512 points, then fits into 64 bits."""
    orders: int = FACES**rules.dice
    return 55 - orders.bit_length()


def find_most_per_turn(rules: Ruleset) -> int:
    jokers = arrays.build_joker_moves(rules).points.max(initial=0)
    return int(max(arrays.calculate_points(rules).max(), jokers))


def bound_value(rules: Ruleset) -> int:
    """Return a number of points that no card's value exceeds."""
    return find_most_per_turn(rules) * len(rules.categories) + rules.bonus_points


def solve_levels(
    rules: Ruleset, *, start: int = 0, rounded: bool = False, progress: Progress | None = None
) -> Iterator[WholeLevel]:
    """Yield the values of all cards that can follow the row ``start``, level by level from full
    cards. If ``rounded``, the unit is 2^-n points, where n is ``find_unit_exponent(rules)``, and
    every mean within a turn is rounded down."""
    space = Space(rules)
    followed = [rows[rows & start == start] for rows in space.list_levels()]
    followed = [rows for rows in followed if len(rows)]
    scale = 1 << find_unit_exponent(rules) if rounded else 1
    level = _allocate_level(space, followed[0], scale)
    bonus = space.rules.bonus_points * scale
    level.values[:, -1] = split_into_limbs(bonus, level.values.shape[2])
    for number, rows in enumerate(followed[1:], start=1):
        yield level
        level = _solve_level(space, rows, level, rounded)
        if progress:
            progress(number, len(followed) - 1)
    yield level


def _allocate_level(space: Space, rows: Ints, scale: int) -> WholeLevel:
    """Return a level with these rows, in which all values are 0, in 1 / scale points."""
    bits = (bound_value(space.rules) * scale).bit_length()
    index = np.full(space.rows, -1)
    index[rows] = np.arange(len(rows))
    limbs = max(2, -(-bits // LIMB))
    return WholeLevel(scale, np.zeros((len(rows), space.columns, limbs), np.int64), index)


def _solve_level(space: Space, rows: Ints, known: WholeLevel, rounded: bool) -> WholeLevel:
    """Return the values of these rows, calculated from the level with one more filled box."""
    from solver.exact.limb_kernels import calculate_rows  # slow: loads the compiler

    rules = space.rules
    grows = 1 if rounded else FACES ** (rules.dice * rules.throws)
    level = _allocate_level(space, rows, known.scale * grows)
    entries, jokers = build_entries(rules, rounded), build_jokers(rules)
    limbs, gains = level.values.shape[2], range(find_most_per_turn(rules) + 1)
    points = np.array([split_into_limbs(points * known.scale, limbs) for points in gains])
    before = LevelBefore(known.values, known.index, space.alike_until, points)
    tables = rules.throws, before, level.index, level.values, entries, jokers

    def work(part: slice) -> None:
        calculate_rows(rows[part], space.reachable, *tables)

    run_in_parts(work, len(rows), ROWS_AT_ONCE, count_cores())
    return level


@dataclass(frozen=True)
class ExactValue:
    """The value of a card as a fraction. ``bytes`` is the largest memory that two levels need."""

    value: Fraction
    bytes: int


def solve_exactly(
    rules: Ruleset, row: int = 0, upper: int = 0, progress: Progress | None = None
) -> ExactValue:
    space = Space(rules)
    known, most = 0, 0
    for level in solve_levels(rules, start=row, progress=progress):
        most, known = max(most, known + level.values.nbytes), level.values.nbytes
    column = max(space.find_column(upper), int(space.alike_until[row]))
    return ExactValue(level.value(row, column), most)


def load_kernel(rules: Ruleset) -> None:
    solve_exactly(rules, rules.full ^ 1)


RULES = ("id", "title", "dice", "throws", "bonus_threshold", "bonus_points")
BOX = ("id", "pattern", "size", "points", "counts_every_die", "joker_points")


@dataclass(frozen=True)
class Certificate:
    """The content of a file that proves that a new game has a value from ``low`` to ``high``."""

    content: bytes
    entries: int
    low: Fraction
    high: Fraction

    @property
    def seal(self) -> str:
        return hashlib.sha256(self.content).hexdigest()


def make_certificate(rules: Ruleset, progress: Progress | None = None) -> Certificate:
    units = find_card_units(rules, progress)
    entries = units[find_distinct_positions(Space(rules))].astype("<u8")
    facts = {name: getattr(rules, name) for name in RULES}
    facts["joker"] = rules.joker and asdict(rules.joker)
    facts["categories"] = [{name: getattr(box, name) for name in BOX} for box in rules.categories]
    header = json.dumps({"units": find_unit_exponent(rules), "rules": facts})
    unsealed = header.encode() + b"\n" + entries.tobytes()
    content = unsealed + hashlib.sha256(unsealed).digest()
    least, scale = int(units[0, 0]), 1 << find_unit_exponent(rules)
    throws = rules.throws * len(rules.categories)
    low, high = (Fraction(bound, scale) for bound in (least, least + throws))
    return Certificate(content, len(entries), low, high)


def find_distinct_positions(space: Space) -> npt.NDArray[np.bool_]:
    """Return a mask [row, column] of the positions that a certificate stores. Of a card's columns
    that have all lost the bonus, it stores only the last."""
    return space.reachable & (np.arange(space.columns) >= space.alike_until[:, None])


def find_card_units(rules: Ruleset, progress: Progress | None = None) -> Ints:
    """Return as [row, column] a lower bound of each card's value, in the units of a certificate."""
    space = Space(rules)
    units = np.zeros((space.rows, space.columns), np.int64)
    for level in solve_levels(rules, rounded=True, progress=progress):
        rows = np.flatnonzero(level.index >= 0)
        low, high = np.moveaxis(level.values[level.index[rows]], -1, 0)
        units[rows] = high << LIMB | low
    return units
