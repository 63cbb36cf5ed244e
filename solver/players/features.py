"""Features that a learner sees of a game: groups of numbers, most of them from 0 to 1.

    dice             the face of each slot, one-hot; the dice are sorted, the lowest first
    counts           the number of dice with each face, divided by all dice
    open             1 for every open box
    upper_points     the upper total, divided by the highest possible total
    upper_distance   the bonus threshold minus the upper total, divided by the threshold
    upper_share      the upper total up to the threshold, divided by the threshold
    upper_secured    1 once the bonus is secured
    upper_par        upper total minus par (3 or 4 of each filled face), divided by the threshold
    progress         the finished turns, divided by all turns
    throws_left      the rolls left without saved rolls (0, 1 or 2), one-hot
    joker            1 if the dice are a joker
    chips            1 once further jokers bring a chip
    potential        the points of each box now, divided by its highest points; 0 if not allowed
    stock            saved rolls left, divided by their highest number; only if rolls can be saved

``Positions`` has many positions: for each, a row and a column of ``dp.space``, dice and rolls left.
Its upper totals stop counting at the bonus. A player that decides by these features therefore has a
table of decisions.

An action is a number: first the holds as slots of the sorted dice (bit 0 is the lowest die), then
the boxes.
"""

from functools import cache
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from solver.dp.arrays import Ints, calculate_points
from solver.rules import Action, Hold, IllegalAction, Ruleset, Score, State, list_legal_actions
from solver.rules.dice import FACES, make_cup

Features = npt.NDArray[np.float32]
Mask = npt.NDArray[np.int8]
NOT_ALLOWED = -1
NO_FACE = -1
Flags = npt.NDArray[np.bool_]


class Layout(NamedTuple):
    """The columns of each group of features, and the number of all columns."""

    groups: dict[str, slice]
    width: int


@cache
def make_layout(rules: Ruleset) -> Layout:
    boxes = len(rules.categories)
    sizes = {
        "dice": rules.dice * FACES,
        "counts": FACES,
        "open": boxes,
        "upper_points": 1,
        "upper_distance": 1,
        "upper_share": 1,
        "upper_secured": 1,
        "upper_par": 1,
        "progress": 1,
        "throws_left": rules.throws,
        "joker": 1,
        "chips": 1,
        "potential": boxes,
        "stock": int(rules.stock > 0),
    }
    ends = np.cumsum(list(sizes.values())).tolist()
    groups = {name: slice(end - sizes[name], end) for name, end in zip(sizes, ends, strict=True)}
    return Layout(groups, ends[-1])


def count_holds(rules: Ruleset) -> int:
    return 1 << rules.dice


def count_actions(rules: Ruleset) -> int:
    return count_holds(rules) + len(rules.categories)


def find_action(rules: Ruleset, number: int) -> Action:
    if not 0 <= number < count_actions(rules):
        raise IllegalAction(
            f"an action is a number from 0 to {count_actions(rules) - 1}, not {number}"
        )
    if number < count_holds(rules):
        return Hold(number)
    return Score(rules.categories[number - count_holds(rules)].id)


def number_action(rules: Ruleset, action: Action) -> int:
    if isinstance(action, Hold):
        return action.slots
    return count_holds(rules) + rules.index[action.category]


def make_mask(state: State) -> Mask:
    """Return an array [action]: 1 if the rules allow the action now, otherwise 0."""
    mask = np.zeros(count_actions(state.rules), dtype=np.int8)
    mask[[number_action(state.rules, action) for action in list_legal_actions(state)]] = 1
    return mask


def make_features(state: State) -> Features:
    """Return the features of a state with sorted dice. Without dice, the features of dice are 0."""
    rules, (groups, width) = state.rules, make_layout(state.rules)
    row = np.zeros(width, dtype=np.float32)
    row[groups["open"]] = [box is None for box in state.boxes]
    upper, threshold = state.upper, state.rules.bonus_threshold
    for name, value in {
        "upper_points": upper / find_most_upper(state.rules),
        "upper_distance": (threshold - upper) / threshold,
        "upper_share": min(upper / threshold, 1.0),
        "upper_secured": float(upper >= threshold),
        "upper_par": (upper - find_par_total(state)) / threshold,
    }.items():
        row[groups[name]] = value
    row[groups["progress"]] = state.turn / len(rules.categories)
    row[groups["chips"]] = state.chips_won
    if state.dice:
        row[groups["dice"]] = np.eye(FACES)[np.array(state.dice) - 1].ravel()
        counts = [state.dice.count(face) for face in range(1, FACES + 1)]
        row[groups["counts"]] = np.array(counts) / rules.dice
        row[groups["throws_left"]] = np.eye(rules.throws)[state.throws_left - state.saved_left]
        row[groups["stock"]] = state.saved_left * find_saved_scale(rules)
        row[groups["joker"]] = rules.is_joker(state.filled, state.dice)
        for box, points in state.offers.items():
            row[groups["potential"]][box] = points / find_most_points(rules)[box]
    return row


def find_par_total(state: State) -> int:
    """Return the upper total of a card if each filled upper box had ``par`` dice of its face."""
    rules = state.rules
    filled = (box for box in rules.upper if state.boxes[box] is not None)
    return sum(find_par(rules) * rules.categories[box].face for box in filled)


@cache
def find_par(rules: Ruleset) -> int:
    """Return the smallest number of dice per upper box that wins the bonus, such as 3."""
    faces = sum(rules.categories[box].face for box in rules.upper)
    return -(-rules.bonus_threshold // faces) if faces else 0


def find_saved_scale(rules: Ruleset) -> float:
    """Return 1 divided by the most rolls that can be saved; 0 if the rules save no rolls."""
    most = rules.find_most_rolls(len(rules.categories) - 1) - rules.throws
    return 1 / most if most else 0.0


@cache
def find_most_points(rules: Ruleset) -> npt.NDArray[np.int64]:
    """Return an array [box]: the most points that the box can bring, not counting chips."""
    most: npt.NDArray[np.int64] = calculate_points(rules).max(axis=1)
    return most


@cache
def find_most_upper(rules: Ruleset) -> int:
    return sum(rules.dice * rules.categories[box].face for box in rules.upper)


@cache
def find_lower_bounds(rules: Ruleset) -> Features:
    """Return each feature's lower bound, which is not 0 if the feature can be negative."""
    low = np.zeros(make_layout(rules).width, dtype=np.float32)
    groups = make_layout(rules).groups
    threshold = rules.bonus_threshold
    low[groups["upper_distance"]] = (threshold - find_most_upper(rules)) / threshold
    low[groups["upper_par"]] = -find_par(rules) / rules.dice * find_most_upper(rules) / threshold
    return low


@cache
def find_upper_bounds(rules: Ruleset) -> Features:
    return np.ones(make_layout(rules).width, dtype=np.float32)


@cache
def number_holds(dice: int) -> npt.NDArray[np.int16]:
    """Return an array [roll, slots]: the number of the hold of the sorted dice in these slots."""
    cup = make_cup(dice)
    held = [
        [tuple(die for n, die in enumerate(roll) if slots >> n & 1) for roll in cup.rolls]
        for slots in range(cup.every_slot + 1)
    ]
    return np.array([[cup.hold_index[hold] for hold in holds] for holds in held], dtype=np.int16).T


@cache
def find_face_alike(dice: int) -> Ints:
    """Return an array [roll]: the face that all its dice show, counted from 0, or NO_FACE."""
    rolls = make_cup(dice).rolls
    return np.array([roll[0] - 1 if len(set(roll)) == 1 else NO_FACE for roll in rolls])


@cache
def mark_distinct_holds(dice: int) -> Flags:
    """Return an array [roll, set of slots]: True if no earlier set of slots holds the same dice."""
    distinct = np.zeros(number_holds(dice).shape, dtype=np.bool_)
    for roll, holds in enumerate(number_holds(dice)):
        distinct[roll, np.unique(holds, return_index=True)[1]] = True
    return distinct


@cache
def make_dice_features(dice: int) -> Features:
    """Return an array [roll, feature]: the feature groups ``dice`` and ``counts``."""
    rolls, one_of_six = make_cup(dice).rolls, np.eye(FACES, dtype=np.float32)
    counts = [[roll.count(face) / dice for face in range(1, FACES + 1)] for roll in rolls]
    shown = [one_of_six[np.array(roll) - 1].ravel() for roll in rolls]
    return np.hstack([np.array(shown), np.array(counts, dtype=np.float32)])


class JokerBoxes(NamedTuple):
    """The points of jokers: points[row[filled, face], box] is a number of points, or NOT_ALLOWED.
    ``row`` is -1 if the dice are not a joker. As an index, -1 is the last row, which allows no
    box."""

    row: Ints
    points: Ints


@cache
def list_joker_points(rules: Ruleset) -> JokerBoxes:
    rows: list[list[int]] = []
    cards = rules.full + 1 if rules.joker else 1  # without jokers, one card represents all cards
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

    def part(self, selection: Any) -> "Positions":
        """Return the positions that a slice, a mask or an array of indexes selects."""
        return Positions(*(field[selection] for field in self))


@cache
def calculate_shares(rules: Ruleset) -> Features:
    """Return an array [roll, box]: the roll's points as a share of the most points of the box."""
    return (calculate_points(rules).T / find_most_points(rules)).astype(np.float32)


def find_joker_rows(rules: Ruleset, at: Positions) -> Ints:
    """Return each position's row in ``JokerBoxes.points``, or -1 if the dice are not a joker."""
    table, face = list_joker_points(rules).row, find_face_alike(rules.dice)[at.rolls]
    rows: Ints = np.where(face == NO_FACE, -1, table[at.rows & len(table) - 1, face])
    return rows


def open_boxes(rules: Ruleset, rows: Ints) -> Flags:
    is_open: Flags = (rows[:, None] >> np.arange(len(rules.categories)) & 1) == 0
    return is_open


def find_allowed_boxes(rules: Ruleset, at: Positions) -> Flags:
    """Return an array [position, box]: True if the player may score the dice in the box."""
    allowed, jokers = open_boxes(rules, at.rows), find_joker_rows(rules, at)
    some = np.flatnonzero(jokers >= 0)
    allowed[some] = list_joker_points(rules).points[jokers[some]] != NOT_ALLOWED
    return allowed


def make_features_at(rules: Ruleset, at: Positions) -> Features:
    """Return an array [position, feature], with the columns of ``make_layout``."""
    groups, width = make_layout(rules)
    seen = np.zeros((len(at.rows), width), dtype=np.float32)
    dice = slice(groups["dice"].start, groups["counts"].stop)
    seen[:, dice] = make_dice_features(rules.dice)[at.rolls]
    is_open = open_boxes(rules, at.rows)
    seen[:, groups["open"]] = is_open
    threshold, par = rules.bonus_threshold, find_par(rules)
    par_total = par * (~is_open @ np.array([category.face for category in rules.categories]))
    for name, value in (
        ("upper_points", at.columns / find_most_upper(rules)),
        ("upper_distance", (threshold - at.columns) / threshold),
        ("upper_share", at.columns / threshold),
        ("upper_secured", at.columns >= threshold),
        ("upper_par", np.where(at.columns < threshold, (at.columns - par_total) / threshold, 0)),
    ):
        seen[:, groups[name].start] = value
    seen[:, groups["progress"].start] = 1 - is_open.sum(axis=1) / len(rules.categories)
    seen[:, groups["throws_left"]] = np.eye(rules.throws)[at.left]
    seen[:, groups["chips"].start] = at.rows > rules.full
    seen[:, groups["potential"]] = calculate_shares(rules)[at.rolls] * is_open
    jokers = find_joker_rows(rules, at)
    some = np.flatnonzero(jokers >= 0)
    seen[some, groups["joker"].start] = 1
    points = np.maximum(list_joker_points(rules).points[jokers[some]], 0)
    seen[some, groups["potential"]] = points / find_most_points(rules)
    return seen


def cap_at_bonus(rules: Ruleset, seen: Features) -> None:
    """Change the upper features in place: cap the upper total at the bonus threshold."""
    groups, threshold = make_layout(rules).groups, rules.bonus_threshold
    points, distance, secured, par = (
        seen[:, groups[f"upper_{name}"].start] for name in ("points", "distance", "secured", "par")
    )
    np.minimum(points, np.float32(threshold / find_most_upper(rules)), out=points)
    np.maximum(distance, 0, out=distance)
    par[secured > 0] = 0
