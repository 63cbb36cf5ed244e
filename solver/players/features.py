"""Features that a learner sees of a game: groups of numbers, most of them from 0 to 1.

    dice             the face of each slot, one-hot; the dice are sorted, the lowest first
    counts           the number of dice with each face, divided by all dice
    open             1 for every open box
    upper_points     the upper total, divided by the highest possible total
    upper_distance   the bonus threshold minus the upper total, divided by the threshold
    upper_share      the upper total up to the threshold, divided by the threshold
    upper_secured    1 once the bonus is secured
    upper_par        the upper total minus par, three or four of each filled face, by the threshold
    progress         the finished turns, divided by all turns
    throws_left      the rolls left without saved rolls (0, 1 or 2), one-hot
    joker            1 if the dice are a joker
    chips            1 once further jokers bring a chip
    potential        the points of each box now, divided by its highest points; 0 if not allowed
    stock            the saved rolls left, by their highest number; only if rolls can be saved

An action is a number: first the holds as slots of the sorted dice (bit 0 is the lowest die), then
the boxes.
"""

from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from solver.dp.arrays import calculate_points
from solver.rules import Action, Hold, IllegalAction, Ruleset, Score, State, list_legal_actions
from solver.rules.dice import FACES

Features = npt.NDArray[np.float32]
Mask = npt.NDArray[np.int8]


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
    """Return the number of holds, one for each set of slots."""
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
    """Return [action]: 1 if the rules allow the action now, else 0."""
    mask = np.zeros(count_actions(state.rules), dtype=np.int8)
    mask[[number_action(state.rules, action) for action in list_legal_actions(state)]] = 1
    return mask


def make_features(state: State) -> Features:
    """Return the features of a state with sorted dice; without dice, their groups are 0."""
    rules, (groups, width) = state.rules, make_layout(state.rules)
    row = np.zeros(width, dtype=np.float32)
    row[groups["open"]] = [box is None for box in state.boxes]
    for name, value in _find_upper(state).items():
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


def _find_upper(state: State) -> dict[str, float]:
    upper, threshold = state.upper, state.rules.bonus_threshold
    return {
        "upper_points": upper / find_most_upper(state.rules),
        "upper_distance": (threshold - upper) / threshold,
        "upper_share": min(upper / threshold, 1.0),
        "upper_secured": float(upper >= threshold),
        "upper_par": (upper - find_par_total(state)) / threshold,
    }


def find_par_total(state: State) -> int:
    """Return the upper total of a card with ``par`` dice in each filled upper box."""
    rules = state.rules
    filled = (box for box in rules.upper if state.boxes[box] is not None)
    return sum(find_par(rules) * rules.categories[box].face for box in filled)


@cache
def find_par(rules: Ruleset) -> int:
    """Return the least number of dice per upper face that secures the bonus, such as 3."""
    faces = sum(rules.categories[box].face for box in rules.upper)
    return -(-rules.bonus_threshold // faces) if faces else 0


def find_saved_scale(rules: Ruleset) -> float:
    """Return 1 divided by the most saved rolls of any turn; 0 if the rules save no rolls."""
    most = rules.find_most_rolls(len(rules.categories) - 1) - rules.throws
    return 1 / most if most else 0.0


@cache
def find_most_points(rules: Ruleset) -> npt.NDArray[np.int64]:
    """Return [box]: the most points that the box can bring, without chips."""
    most: npt.NDArray[np.int64] = calculate_points(rules).max(axis=1)
    return most


@cache
def find_most_upper(rules: Ruleset) -> int:
    return sum(rules.dice * rules.categories[box].face for box in rules.upper)


@cache
def find_lower_bounds(rules: Ruleset) -> Features:
    """Return the lower bound of each feature; upper distance and par can be negative."""
    low = np.zeros(make_layout(rules).width, dtype=np.float32)
    groups = make_layout(rules).groups
    threshold = rules.bonus_threshold
    low[groups["upper_distance"]] = (threshold - find_most_upper(rules)) / threshold
    low[groups["upper_par"]] = -find_par(rules) / rules.dice * find_most_upper(rules) / threshold
    return low


@cache
def find_upper_bounds(rules: Ruleset) -> Features:
    return np.ones(make_layout(rules).width, dtype=np.float32)
