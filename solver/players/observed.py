"""The features of many positions at once, from arrays of card, dice and rolls left.

A card is a row and a column as in ``dp.space``. The upper total stops counting at the bonus, so
that a player that decides by these features has a table of decisions.
"""

from functools import cache
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from solver.dp.arrays import Ints, calculate_points
from solver.players.features import (
    Features,
    find_most_points,
    find_most_upper,
    find_par,
    make_layout,
)
from solver.rules import Ruleset
from solver.rules.dice import FACES, make_cup

NOT_ALLOWED = -1
NO_FACE = -1

Flags = npt.NDArray[np.bool_]


@cache
def number_holds(dice: int) -> npt.NDArray[np.int16]:
    """Return [roll, set of slots]: the number of the hold of the sorted dice in these slots."""
    cup = make_cup(dice)
    held = [
        [tuple(die for n, die in enumerate(roll) if slots >> n & 1) for roll in cup.rolls]
        for slots in range(cup.every_slot + 1)
    ]
    return np.array([[cup.hold_index[hold] for hold in holds] for holds in held], dtype=np.int16).T


@cache
def find_face_alike(dice: int) -> Ints:
    """Return [roll]: the face that all its dice show, counted from 0, or NO_FACE."""
    rolls = make_cup(dice).rolls
    return np.array([roll[0] - 1 if len(set(roll)) == 1 else NO_FACE for roll in rolls])


@cache
def mark_distinct_holds(dice: int) -> Flags:
    """Return [roll, set of slots]: True if no earlier set of slots holds the same dice."""
    distinct = np.zeros(number_holds(dice).shape, dtype=np.bool_)
    for roll, holds in enumerate(number_holds(dice)):
        distinct[roll, np.unique(holds, return_index=True)[1]] = True
    return distinct


@cache
def make_dice_features(dice: int) -> Features:
    """Return [roll, feature]: the feature groups ``dice`` and ``counts``."""
    rolls, one_of_six = make_cup(dice).rolls, np.eye(FACES, dtype=np.float32)
    counts = [[roll.count(face) / dice for face in range(1, FACES + 1)] for roll in rolls]
    shown = [one_of_six[np.array(roll) - 1].ravel() for roll in rolls]
    return np.hstack([np.array(shown), np.array(counts, dtype=np.float32)])


class JokerBoxes(NamedTuple):
    """The points of jokers: points[row[filled, face], box] is NOT_ALLOWED or a number of points.

    ``row`` is -1 if the dice are no joker; as an index, -1 means the last row, which allows no box.
    """

    row: Ints
    points: Ints


@cache
def list_joker_points(rules: Ruleset) -> JokerBoxes:
    rows: list[list[int]] = []
    cards = rules.full + 1 if rules.joker else 1  # without jokers, one card stands for all
    joker = np.full((cards, FACES), -1)
    for filled, dice in product(range(cards - 1), rules.cup.alike):
        if rules.is_joker(filled, dice):
            options = rules.score_options(filled, False, dice)
            points = {option.category: option.points for option in options}
            joker[filled, dice[0] - 1] = len(rows)
            rows.append([points.get(box, NOT_ALLOWED) for box in range(len(rules.categories))])
    rows.append([NOT_ALLOWED] * len(rules.categories))
    return JokerBoxes(joker, np.array(rows))


class Positions(NamedTuple):
    """Arrays with an entry per position: its card as in ``dp.space``, its roll, its rolls left."""

    rows: Ints
    columns: Ints
    rolls: Ints
    left: Ints

    def part(self, some: Any) -> "Positions":
        return Positions(*(field[some] for field in self))


@cache
def calculate_shares(rules: Ruleset) -> Features:
    """Return [roll, box]: the roll's points in the box, divided by the box's highest points."""
    return (calculate_points(rules).T / find_most_points(rules)).astype(np.float32)


def find_joker_rows(rules: Ruleset, at: Positions) -> Ints:
    """Return each position's row in ``JokerBoxes.points``, or -1 if the dice are no joker."""
    table, face = list_joker_points(rules).row, find_face_alike(rules.dice)[at.rolls]
    rows: Ints = np.where(face == NO_FACE, -1, table[at.rows & len(table) - 1, face])
    return rows


def open_boxes(rules: Ruleset, rows: Ints) -> Flags:
    is_open: Flags = (rows[:, None] >> np.arange(len(rules.categories)) & 1) == 0
    return is_open


def find_allowed_boxes(rules: Ruleset, at: Positions) -> Flags:
    """Return [position, box]: whether the player may score the dice in the box."""
    allowed, jokers = open_boxes(rules, at.rows), find_joker_rows(rules, at)
    some = np.flatnonzero(jokers >= 0)
    allowed[some] = list_joker_points(rules).points[jokers[some]] != NOT_ALLOWED
    return allowed


def make_features_at(rules: Ruleset, at: Positions) -> Features:
    groups, width = make_layout(rules)
    seen = np.zeros((len(at.rows), width), dtype=np.float32)
    dice = slice(groups["dice"].start, groups["counts"].stop)
    seen[:, dice] = make_dice_features(rules.dice)[at.rolls]
    is_open = open_boxes(rules, at.rows)
    seen[:, groups["open"]] = is_open
    _write_upper(rules, at, seen)
    seen[:, groups["progress"].start] = 1 - is_open.sum(axis=1) / len(rules.categories)
    seen[:, groups["throws_left"]] = np.eye(rules.throws)[at.left]
    seen[:, groups["chips"].start] = at.rows > rules.full
    seen[:, groups["potential"]] = calculate_shares(rules)[at.rolls] * is_open
    _write_jokers(rules, at, seen)
    return seen


def _write_upper(rules: Ruleset, at: Positions, seen: Features) -> None:
    groups, threshold = make_layout(rules).groups, rules.bonus_threshold
    faces = np.array([category.face for category in rules.categories])
    of_par = find_par(rules) * (~open_boxes(rules, at.rows) @ faces)
    for name, value in (
        ("upper_points", at.columns / find_most_upper(rules)),
        ("upper_distance", (threshold - at.columns) / threshold),
        ("upper_share", at.columns / threshold),
        ("upper_secured", at.columns >= threshold),
        ("upper_par", np.where(at.columns < threshold, (at.columns - of_par) / threshold, 0)),
    ):
        seen[:, groups[name].start] = value


def _write_jokers(rules: Ruleset, at: Positions, seen: Features) -> None:
    groups, jokers = make_layout(rules).groups, find_joker_rows(rules, at)
    some = np.flatnonzero(jokers >= 0)
    seen[some, groups["joker"].start] = 1
    points = np.maximum(list_joker_points(rules).points[jokers[some]], 0)
    seen[some, groups["potential"]] = points / find_most_points(rules)


def cap_at_bonus(rules: Ruleset, seen: Features) -> None:
    """Change the upper features in place so that the upper total stops at the bonus."""
    groups, threshold = make_layout(rules).groups, rules.bonus_threshold
    points, distance, secured, par = (
        seen[:, groups[f"upper_{name}"].start] for name in ("points", "distance", "secured", "par")
    )
    np.minimum(points, np.float32(threshold / find_most_upper(rules)), out=points)
    np.maximum(distance, 0, out=distance)
    par[secured > 0] = 0
