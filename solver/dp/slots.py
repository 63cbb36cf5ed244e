"""The slots of a roll: scores that many rolls share, so that each is calculated only once.

The score of a box often depends on a single face. Three of a kind, for example, scores three times
a face that at least three dice show, and the best such face counts. All boxes of this kind share a
slot for every face and number of dice. Any other box has a slot for each possible score. The value
of a roll is the best of its slots. All rolls of Yatzy together have 1,130 slots, while the boxes
have 1,544 different scores.
"""

from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from solver.dp import arrays
from solver.dp.arrays import BoxScores, Floats, Ints, JokerMoves, Moves, calculate_points
from solver.dp.space import TILE, Unsolvable
from solver.rules.dice import FACES, Cup
from solver.rules.rulesets import Ruleset

MOST_SLOTS = 12  # highest number of slots of a roll that the kernels support


class Slots(NamedTuple):
    """The slots of a ruleset. Box c raises the values of the slots start[c]:start[c + 1]. An entry
    is the offset of a slot, the points, and the increase of the upper total. ``rolls`` has the
    offset of each roll and the offsets of its slots, sorted by the number of slots. Rolls with n
    slots end at ends[n]. When box ``joker_box`` (-1 for none) gets points, ``chips_row`` is added
    to the row."""

    start: Ints
    slot: Ints
    points: Floats
    step: Ints
    rolls: npt.NDArray[np.int32]
    ends: Ints
    number: int
    joker_box: int
    chips_row: int


@cache
def build_slots(rules: Ruleset) -> Slots:
    """Return the slots. Raise Unsolvable if a roll has more than ``MOST_SLOTS`` slots."""
    entries: list[tuple[int, int, int]] = []
    dice, counts_of_rolls = rules.dice, count_faces(rules.cup)
    of_roll = [
        list(np.flatnonzero(counted) * dice + counted[counted > 0] - 1)
        for counted in counts_of_rolls
    ]
    number = FACES * dice
    for box, points in enumerate(calculate_points(rules)):
        by_face = find_points_by_face(points, rules.cup)
        if by_face is not None:
            shared = np.flatnonzero(by_face).tolist()
            entries += [(box, slot, int(by_face[slot])) for slot in shared]
            continue
        for gain in sorted(set(points[points > 0].tolist())):
            entries.append((box, number, gain))
            for roll in np.flatnonzero(points == gain).tolist():
                of_roll[roll].append(number)
            number += 1
    box_of, slot, gain_of = np.array(entries, dtype=np.int64).reshape(-1, 3).T
    upper = np.array([bool(category.face) for category in rules.categories])
    most = max(len(slots) for slots in of_roll)
    if most > MOST_SLOTS:
        reason = f"a roll has {most} slots, but the kernel takes at most {MOST_SLOTS}"
        raise Unsolvable(f"{rules.id} cannot be solved: {reason}")
    first = rules.cup.first_roll
    lines = sorted(([first + roll, *slots] for roll, slots in enumerate(of_roll)), key=len)
    lengths = np.array([len(line) for line in lines])
    ends = np.array([lengths[lengths <= n + 1].sum() for n in range(MOST_SLOTS + 1)])
    rolls = np.array([place for line in lines for place in line], dtype=np.int32) * np.int32(TILE)
    return Slots(
        start=np.searchsorted(box_of, np.arange(len(rules.categories) + 1)),
        slot=slot * TILE,
        points=gain_of.astype(np.float64),
        step=gain_of * upper[box_of],
        rolls=rolls,
        ends=ends,
        number=number,
        joker_box=rules.index[rules.joker.box] if rules.joker else -1,
        chips_row=1 << len(rules.categories),
    )


@cache
def count_faces(cup: Cup) -> Ints:
    """Return an array [roll, face - 1]: the number of dice with the face."""
    return np.array([[roll.count(face) for face in range(1, FACES + 1)] for roll in cup.rolls])


def find_points_by_face(points: Ints, cup: Cup) -> Ints | None:
    """Return a flat array of the points for each number of dice of each face. Return None if a
    roll's score in this box is not the highest score of its faces."""
    of_rolls = count_faces(cup)
    by_face = np.array(
        [
            points[of_rolls[:, face] == number].min()
            for face in range(FACES)
            for number in range(1, cup.dice + 1)
        ]
    )
    padded = np.pad(by_face.reshape(FACES, cup.dice), ((0, 0), (1, 0)))
    same = np.array_equal(padded[np.arange(FACES), of_rolls].max(axis=1), points)
    return by_face if same else None


class GameArrays(NamedTuple):
    moves: Moves
    scores: BoxScores
    slots: Slots
    jokers: JokerMoves


def build_game(rules: Ruleset) -> GameArrays:
    moves, jokers = arrays.build_moves(rules.dice), arrays.build_joker_moves(rules)
    return GameArrays(moves, arrays.build_box_scores(rules), build_slots(rules), jokers)
