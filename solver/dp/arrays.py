"""Dice and rulesets as flat arrays for numpy and the kernels.

Holds have the numbers of ``rules.dice``: they are sorted by size, with the rolls last.
"""

from functools import cache
from itertools import groupby
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from solver.dp.space import TILE
from solver.rules.dice import FACES, find_probability, make_cup, remove_die
from solver.rules.rulesets import Ruleset

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


class Moves(NamedTuple):
    """The pairs of holds that differ by one die, as offsets into work arrays. A work array has TILE
    numbers per hold, one for each of TILE neighbouring upper totals.

    ``mean[7 * k:]`` is a hold and the six holds with one more die, from the largest holds to the
    smallest. ``best`` lists each hold with the holds that have one die less, from the smallest
    holds to the largest, in the order of ``groups``. ``bounds`` is ``Cup.bounds``. From the length
    of this tuple a kernel knows the number of dice at compile time.
    """

    mean: npt.NDArray[np.int16]
    best: npt.NDArray[np.int16]
    bounds: tuple[int, ...]


@cache
def list_larger_holds(dice: int) -> list[tuple[int, ...]]:
    """Return (hold, the six holds with one more die) for each hold except rolls, largest first."""
    cup = make_cup(dice)
    more = [
        (number, *(cup.hold_index[tuple(sorted((*hold, f)))] for f in range(1, FACES + 1)))
        for number, hold in enumerate(cup.holds[: cup.first_roll])
    ]
    return more[::-1]


@cache
def list_smaller_holds(dice: int) -> list[tuple[int, ...]]:
    """Return each hold of at least one die with the holds that have one die less. The first of
    these lacks the highest die, so that among equal holds the first has the lower dice."""
    cup = make_cup(dice)
    return [
        (
            number,
            *(cup.hold_index[remove_die(hold, face)] for face in sorted(set(hold), reverse=True)),
        )
        for number, hold in enumerate(cup.holds)
        if hold
    ]


def group_holds(dice: int) -> list[list[tuple[int, ...]]]:
    """Group the holds of ``list_smaller_holds`` by number of dice and number of smaller holds."""
    holds = make_cup(dice).holds

    def find_size_and_length(edges: tuple[int, ...]) -> tuple[int, int]:
        return len(holds[edges[0]]), len(edges)

    grouped = groupby(
        sorted(list_smaller_holds(dice), key=find_size_and_length), key=find_size_and_length
    )
    return [list(group) for _, group in grouped]


@cache
def build_moves(dice: int) -> Moves:
    best = [hold for group in group_holds(dice) for edges in group for hold in edges]
    return Moves(
        mean=np.array(list_larger_holds(dice), dtype=np.int16).ravel() * TILE,
        best=np.array(best, dtype=np.int16) * TILE,
        bounds=make_cup(dice).bounds,
    )


@cache
def find_roll_chances(dice: int) -> Floats:
    """Return an array [roll]: the chance of each roll when all dice are rolled."""
    return np.array([find_probability(roll) for roll in make_cup(dice).rolls])


@cache
def hold_sizes(dice: int) -> Ints:
    """Return an array [hold]: the number of dice in the hold."""
    return np.array([len(hold) for hold in make_cup(dice).holds])


class BoxScores(NamedTuple):
    """The rolls that score in each box. Box c has the entries start[c]:start[c + 1].

    An entry has the offset of the roll in a work array (``target``), its points, and its increase
    of the upper total (``step``). When box ``joker_box`` (-1 for none) gets points, ``chips_row``
    is added to the row.
    """

    start: Ints
    target: Ints
    points: Floats
    step: Ints
    joker_box: int
    chips_row: int


@cache
def build_box_scores(rules: Ruleset) -> BoxScores:
    points = calculate_points(rules)
    scoring = [np.flatnonzero(row) for row in points]
    nonzero = [row[rolls] for row, rolls in zip(points, scoring, strict=True)]
    steps = [row[rolls] for row, rolls in zip(calculate_upper_steps(rules), scoring, strict=True)]
    return BoxScores(
        start=np.cumsum([0, *(len(rolls) for rolls in scoring)]).astype(np.int64),
        target=(np.concatenate(scoring) + rules.cup.first_roll) * TILE,
        points=np.concatenate(nonzero).astype(np.float64),
        step=np.concatenate(steps),
        joker_box=rules.index[rules.joker.box] if rules.joker else -1,
        chips_row=1 << len(rules.categories),
    )


@cache
def calculate_points(rules: Ruleset) -> Ints:
    """Return an array [box, roll]: the points of the roll in the box, without joker rules."""
    rolls = rules.cup.rolls
    return np.array([[c.score(roll) for roll in rolls] for c in rules.categories], dtype=np.int64)


@cache
def calculate_upper_steps(rules: Ruleset) -> Ints:
    """Return an array [box, roll]: the points that the roll adds to the upper total."""
    upper = np.array([bool(category.face) for category in rules.categories])
    steps: Ints = calculate_points(rules) * upper[:, None]
    return steps


@cache
def calculate_scale(rules: Ruleset) -> Floats:
    """Return the unit of stored numbers, in points, for each box and the bonus. The largest stored
    number is 65,535 units."""
    most = [*(row.max() for row in calculate_points(rules)), rules.bonus_points]
    scale: Floats = np.maximum(np.array(most, dtype=np.float64), 1.0) / np.iinfo(np.uint16).max
    return scale


class JokerMoves(NamedTuple):
    """The boxes that a joker (a roll of equal dice) may fill, for every row of filled boxes.

    The entries of row r are start[r]:start[r + 1]. An entry has the offset of the roll in a work
    array, the next row, the points including the chip, and the increase of the upper total.
    """

    start: Ints
    target: Ints
    box: Ints
    row: Ints
    points: Floats
    step: Ints


@cache
def build_joker_moves(rules: Ruleset) -> JokerMoves:
    """Return all ``JokerMoves``. If the row's flag says that chips are won, a chip is included."""
    joker, flag = rules.joker, 1 << len(rules.categories)
    # For each move on cards without the flag: filled boxes, offset of the roll, box, next filled
    # boxes, points, increase of the upper total.
    rows: list[tuple[int, ...]] = []
    for filled in range(rules.full + 1 if joker else 0):
        for dice in rules.cup.alike:
            if rules.is_joker(filled, dice):
                offset = rules.cup.hold_index[dice] * TILE
                for option in rules.score_options(filled, False, dice):
                    increase = option.points if rules.categories[option.category].face else 0
                    next_filled = filled | 1 << option.category
                    move = (filled, offset, option.category, next_filled, option.points, increase)
                    rows.append(move)
    moves = np.array(rows, dtype=np.int64).reshape(-1, 6)
    flagged = moves + np.array([flag, 0, 0, flag, joker.chip if joker else 0, 0])
    before, target, box, after, gain, step = np.concatenate((moves, flagged)).T.copy()
    return JokerMoves(
        start=np.searchsorted(before, np.arange(2 * flag + 1 if joker else 1)),
        target=target,
        box=box,
        row=after,
        points=gain.astype(np.float64),
        step=step,
    )


@cache
def find_chipless_shares(rules: Ruleset) -> Floats:
    """Return, for each joker move of ``build_joker_moves``, the share of its points that does not
    come from chips."""
    moves = build_joker_moves(rules)
    row = np.repeat(np.arange(len(moves.start) - 1), np.diff(moves.start))
    chip = (row > rules.full) * (rules.joker.chip if rules.joker else 0)
    share: Floats = np.ones(len(row))
    np.divide(moves.points - chip, moves.points, out=share, where=moves.points > 0)
    return share


Numbers = npt.NDArray[np.uint16]  # the numbers of six dice just fit, because 6**6 is below 2**16


class Throws(NamedTuple):
    """Tables for the rolls of a number of dice. As a hold, roll n has the number ``stop`` + n.

    ``faces[hold, face]`` is the number of dice with this face. ``more[hold, face]`` is the hold
    with one more die of this face. ``roll_of[number]`` is the roll whose dice are the base-six
    digits of the number.
    """

    stop: int
    faces: Ints
    more: Ints
    roll_of: Ints


@cache
def build_throws(dice: int) -> Throws:
    cup = make_cup(dice)
    more = np.full((len(cup.holds), FACES + 1), -1)
    for hold, *larger in list_larger_holds(dice):
        more[hold, 1:] = larger
    of_number = np.zeros(1, dtype=np.int64)  # [number]: hold; each pass of the loop adds a die
    for _ in range(dice):
        of_number = more[of_number, 1:].T.ravel()
    stop = cup.first_roll
    faces = np.array([[hold.count(face) for face in range(FACES + 1)] for hold in cup.holds])
    return Throws(stop, faces, more, of_number - stop)


def make_random_rolls(random: np.random.Generator, rules: Ruleset, games: int) -> Numbers:
    """Return random rolls as [roll of the turn, game], with a base-six digit for each die."""
    return random.integers(FACES**rules.dice, size=(rules.throws, games), dtype=np.uint16)
