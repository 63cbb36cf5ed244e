"""A turn in numpy: the equations of ``dp.kernels`` without a compiler, for one or many cards.

Web processes run this module. Callers pass V of the next cards as rows of a table. The first axis
of arrays is holds or rolls. Later axes are independent cards or quantities. The value of a hold is
the mean over one more die, and the best hold within a roll is found by removing one die at a time.
No matrix is multiplied, so that every processor adds sums in the same order.

Options whose values differ by less than ``TIE`` are equal. Among equal holds, the hold with more
dice is chosen, then the first in the list; among equal boxes, the upper box. A policy therefore
never depends on the last bits of a sum. Kernels step from hold to hold and compare no lists. Among
equal holds with equally many dice they choose the hold with lower high dice, which is the first in
the list if one die differs.
"""

from collections.abc import Callable
from functools import cache, cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from solver.dp.arrays import (
    Floats,
    Ints,
    find_roll_chances,
    hold_sizes,
    list_larger_holds,
    list_smaller_holds,
)
from solver.dp.outcomes import build_jokers, build_outcomes
from solver.dp.space import PREFER_DIE, TIE, Space
from solver.rules.dice import FACES, list_holds, make_cup
from solver.rules.rulesets import Ruleset

Rows = Callable[[Ints], Floats]
Bools = npt.NDArray[np.bool_]

LANES = 128  # number of cards in a batch, whose hold values fit into the second-level cache
FORBIDDEN = -1  # marks an outcome that the rules forbid


class HoldsOfSize(NamedTuple):
    """The holds of one size, the holds with one more die, and the holds with one die less.

    ``more[face, hold]`` is a hold with one more die. ``less[n, hold]`` is a hold with one die less.
    The last of these holds is repeated to fill the array.
    """

    holds: slice
    more: Ints
    less: Ints


@cache
def list_holds_by_size(dice: int) -> tuple[HoldsOfSize, ...]:
    """Return the holds of no dice, of one die, and so on; the rolls come last."""
    more = np.array(sorted(list_larger_holds(dice))).T[1:]
    less: list[tuple[int, ...]] = [(0,), *list_smaller_holds(dice)]
    groups = []
    for start, stop in pairwise(make_cup(dice).bounds):
        edges = less[start:stop]
        most = max(map(len, edges))
        padded = [(*edge[1:], *edge[-1:] * (most - len(edge))) for edge in edges]
        groups.append(
            HoldsOfSize(slice(start, stop), more[:, start:stop].copy(), np.array(padded).T.copy())
        )
    return tuple(groups)


@cache
def list_roll_holds(dice: int) -> tuple[Ints, ...]:
    """Return a list [roll]: the numbers of the roll's different holds, holds of more dice first."""
    cup = make_cup(dice)
    return tuple(np.array([cup.hold_index[h] for h in list_holds(roll)]) for roll in cup.rolls)


@cache
def pad_roll_holds(dice: int) -> Ints:
    """Return ``list_roll_holds`` as [number, roll], padded with the last hold of each roll."""
    holds = list_roll_holds(dice)
    most = max(len(row) for row in holds)
    return np.array([np.pad(row, (0, most - len(row)), mode="edge") for row in holds]).T.copy()


def average_rolls(best: Floats, dice: int) -> Floats:
    """Return for each hold the mean of best[roll, ...] after rolling the dice that are not held."""
    *smaller, rolls = list_holds_by_size(dice)
    work = np.empty((rolls.holds.stop, *best.shape[1:]))
    work[rolls.holds] = best
    for size in reversed(smaller):
        np.multiply(work[size.more].sum(axis=0), 1.0 / FACES, out=work[size.holds])
    return work


def spread_holds(held: Floats, dice: int) -> Floats:
    """Return an array [roll, ...]: the chance of each roll after rolling the dice outside the hold.

    ``held[hold, ...]`` has the chances of the holds and is overwritten. Each hold gives a sixth of
    its chance to every hold with one more die. This is the transpose of ``average_rolls``.
    """
    *smaller, rolls = list_holds_by_size(dice)
    for size in smaller:
        share = held[size.holds] * (1.0 / FACES)
        for more in size.more:
            held[more] += share
    return held[rolls.holds]


def find_best_values(work: Floats, dice: int) -> Floats:
    """Return the best work[hold, ...] of all holds within each roll. Overwrite ``work``."""
    for size in list_holds_by_size(dice)[1:]:
        target = work[size.holds]
        np.maximum(target, work[size.less].max(axis=0), out=target)
    return target


def choose_holds(values: Floats, dice: int) -> Ints:
    """Return each roll's hold with the highest value; of equal holds, the first."""
    holds = pad_roll_holds(dice)
    each = holds.reshape(*holds.shape, *(1,) * (values.ndim - 1))
    holds_chosen: Ints = np.take_along_axis(each, find_first_best(values[holds])[None], axis=0)[0]
    return holds_chosen


@cache
def make_tie_breaks(dice: int) -> Floats:
    """Return a tiny number for each hold, which grows with its dice, so that more dice win ties."""
    preferred: Floats = PREFER_DIE * hold_sizes(dice).astype(np.float64)
    return preferred


def find_first_best(values: npt.NDArray[Any], tie: float = TIE) -> Ints:
    """Return the first index along the first axis whose value is within ``tie`` of the best."""
    first: Ints = (values > values.max(axis=0) - tie).argmax(axis=0)
    return first


def evaluate_start(scores: Floats, throws: int, dice: int) -> Floats:
    """Return each turn's value before the first roll. scores[roll, turn] is for scoring a roll."""
    best = scores
    for _ in range(throws - 1):
        best = find_best_values(average_rolls(best, dice), dice)
    value: Floats = (find_roll_chances(dice)[:, None] * best).sum(axis=0)
    return value


def list_outcomes(rules: Ruleset, row: int) -> Ints:
    """Return each roll's outcome (``dp.outcomes``) as [open box, roll], or FORBIDDEN."""
    boxes = np.array(rules.open(row & rules.full), dtype=np.int64)
    outcomes = build_outcomes(rules).by_roll[boxes]
    if rules.joker:
        jokers = build_jokers(rules)
        here = slice(jokers.start[row], jokers.start[row + 1])
        outcomes[:, jokers.roll[here]] = FORBIDDEN
        at = np.searchsorted(boxes, jokers.box[here])
        outcomes[at, jokers.roll[here]] = jokers.outcome[here]
    return outcomes


class Turn:
    """The value of every hold and box in the turn that starts from this card.

    With r rolls left, ``best(r)[roll]`` is the value of the best hold and ``holds(r)[hold]`` is the
    value of a hold: w_r and e_r of ``dp.kernels``, calculated on first use. If rolls can be saved,
    r includes the saved rolls, and rolls left when a box is filled have a value. The turn then has
    the value of holding no dice, with the turn's own rolls and all saved rolls left.
    """

    def __init__(self, space: Space, filled: int, upper: int, chips_won: bool, rows: Rows) -> None:
        self.space = space
        self.rules: Ruleset = space.rules
        self.dice = space.rules.dice
        self.rolls = space.rules.cup.roll_index
        self.filled = filled
        self.upper = upper
        self.chips_won = chips_won
        self.row = space.find_row(filled, chips_won=chips_won)
        boxes = space.rules.open(filled)
        self.boxes = np.array(boxes, dtype=np.int64)
        self.place = {box: at for at, box in enumerate(boxes)}
        self._rows = rows
        self.saves = bool(space.rules.stock)  # False for players that ignore saved rolls
        self._scored: dict[int, Floats] = {}
        self._best: dict[int, Floats] = {}
        self._holds: dict[int, Floats] = {}

    def store_values(self, scores: Floats, best: Floats, holds: Floats) -> None:
        """Store the results of the kernels: values as [open box, roll], [rolls left, roll] and
        [rolls left, hold]."""
        self.scores = scores
        self._best.update(enumerate(best))
        self._holds.update((r, holds[r]) for r in range(1, len(holds)))

    @cached_property
    def outcomes(self) -> Ints:
        """The outcome of each roll in each open box, or FORBIDDEN, as [open box, roll]."""
        return list_outcomes(self.rules, self.row)

    @cached_property
    def gains(self) -> Floats:
        """The points of scoring, as [open box, roll]; minus infinity if a box is forbidden."""
        points = np.append(build_outcomes(self.rules).points.astype(np.float64), -np.inf)
        gains: Floats = points[self.outcomes]
        return gains

    @cached_property
    def chips(self) -> Floats:
        """The part of ``gains`` that comes from a joker's chip, as [open box, roll]."""
        chips = np.zeros(self.outcomes.shape)
        if self.rules.joker and self.chips_won:
            jokers = build_jokers(self.rules)
            here = slice(jokers.start[self.row], jokers.start[self.row + 1])
            at = np.searchsorted(self.boxes, jokers.box[here])
            chips[at, jokers.roll[here]] = self.rules.joker.chip
        return chips

    @cached_property
    def _following(self) -> tuple[Ints, Ints, Ints]:
        """The rows of all next cards. For each outcome: which of these rows, and which column."""
        outcomes = build_outcomes(self.rules)
        rows = self.row | outcomes.row
        numbers = np.unique(rows[outcomes.row & self.filled == 0])
        place = np.searchsorted(numbers, rows).clip(max=len(numbers) - 1)
        return numbers, place, np.minimum(self.upper + outcomes.step, self.rules.bonus_threshold)

    def after(self, rows: Rows) -> Floats:
        """Return the entries of the next card in ``rows``, as [open box, roll, ...]."""
        numbers, place, columns = self._following
        entries: Floats = rows(numbers)[place, columns][self.outcomes]
        if self.rules.joker:
            entries[self.outcomes == FORBIDDEN] = 0
        return entries

    @cached_property
    def scores(self) -> Floats:
        """The value of scoring now, as [open box, roll]; minus infinity if the box is forbidden."""
        return self.after(self._rows) + self.gains

    def evaluate_boxes(self, rolls_left: int) -> Floats:
        """Return as [open box, roll] the value of scoring now, and of the rolls that it saves."""
        if not (self.saves and rolls_left):
            return self.scores
        if rolls_left not in self._scored:
            saved = min(rolls_left, self.space.most_saved(self.filled.bit_count() + 1))
            stock = saved << self.space.boxes
            after = self.after(lambda numbers: self._rows(numbers | stock))
            self._scored[rolls_left] = after + self.gains
        return self._scored[rolls_left]

    @property
    def start(self) -> float:
        """The value V of the card, calculated from the values of the next cards."""
        return self.start_with(0)

    def start_with(self, saved: int) -> float:
        return float(self.holds(self.rules.throws + saved)[0])

    def best(self, rolls_left: int) -> Floats:
        """Return an array [roll]: the value of the best option with this many rolls left."""
        if rolls_left not in self._best:
            if not rolls_left:
                best = self.scores.max(axis=0)
            else:
                best = find_best_values(self.holds(rolls_left).copy(), self.dice)
                if self.saves:
                    best = np.maximum(best, self.evaluate_boxes(rolls_left).max(axis=0))
            self._best[rolls_left] = best
        return self._best[rolls_left]

    def holds(self, rolls_left: int) -> Floats:
        """Return an array [hold]: the value of each hold, of which the next roll is one of
        ``rolls_left``."""
        if rolls_left not in self._holds:
            self._holds[rolls_left] = average_rolls(self.best(rolls_left - 1), self.dice)
        return self._holds[rolls_left]

    def find_stops(self, rolls_left: int) -> Bools:
        """Return, for each roll, whether perfect play fills a box with this many rolls left."""
        if not (self.saves and rolls_left):
            return np.full(len(self.rolls), not rolls_left)
        worth_stopping: Bools = (
            self.evaluate_boxes(rolls_left).max(axis=0) > self.best(rolls_left) - TIE
        )
        return worth_stopping


class KernelTurns:
    """A maker of turns that uses the compiled kernels, for a process that may load numba. It
    calculates all values of a turn at once."""

    def __init__(self, space: Space, values: Floats) -> None:
        from solver.dp.outlook import pad_values
        from solver.dp.slots import build_game

        self.space = space
        self._flat = pad_values(space, values).reshape(-1)
        self._game = build_game(space.rules)

    def values(self, row: int, column: int, levels: int) -> tuple[Floats, Floats, Floats]:
        """Return three arrays: boxes[c, roll], the value of a roll in box c; best[r, hold], the
        best value of all holds within a hold with r rolls left; and holds[r, hold], the mean after
        rolling the other dice. A roll is a hold of all dice. For ``best``, r < ``levels``. For
        ``holds``, r <= ``levels``."""
        from solver.dp.kernels import calculate_turn  # slow: loads the compiler

        cup = self.space.rules.cup
        boxes = np.empty((len(self.space.rules.categories), len(cup.rolls)))
        best = np.empty((levels, len(cup.holds)))
        holds = np.empty((levels + 1, len(cup.holds)))
        calculate_turn(self._flat, row, column, self.space.stride, self._game, boxes, best, holds)
        return boxes, best, holds

    def turn(self, filled: int, upper: int, chips_won: bool, rows: Rows) -> Turn:
        turn = Turn(self.space, filled, upper, chips_won, rows)
        column = self.space.find_column(upper)
        boxes, best, holds = self.values(turn.row, column, self.space.rules.throws)
        turn.store_values(boxes[turn.boxes], best[:, turn.rules.cup.first_roll :], holds)
        return turn


class Carried:
    """Expected quantities of the rest of the game, such as the bonus, for each option of a turn.

    ``after[open box, roll, quantity]`` are the quantities after a box is filled. ``holds(r)[hold,
    quantity]`` are the expected quantities before the next roll, if the player follows the policy
    of ``dp.outlook``.
    """

    def __init__(self, turn: Turn, after: Floats) -> None:
        self.turn = turn
        self.after = after
        self._holds: dict[int, Floats] = {}

    def holds(self, rolls_left: int) -> Floats:
        """Return an array [hold, quantity]: the expected quantities after each hold."""
        if rolls_left not in self._holds:
            self._holds[rolls_left] = average_rolls(self.best(rolls_left - 1), self.turn.dice)
        return self._holds[rolls_left]

    def best(self, rolls_left: int) -> Floats:
        """Return an array [roll, quantity]: the expected quantities after the best option."""
        if rolls_left:
            held: Floats = self.holds(rolls_left)[choose_best_holds(self.turn, rolls_left)]
            return held
        choice = choose_best_boxes(self.turn)
        scored: Floats = self.after[choice, np.arange(len(choice))]
        return scored


def choose_best_boxes(turn: Turn, rolls_left: int = 0) -> Ints:
    """Return an array [roll]: the index in ``turn.boxes`` of the best box to fill now."""
    return find_first_best(turn.evaluate_boxes(rolls_left))


def choose_best_holds(turn: Turn, rolls_left: int) -> Ints:
    return choose_holds(turn.holds(rolls_left), turn.dice)


def find_outlook(turn: Turn, rows: Rows) -> Carried:
    """Return the bonus chance and the mean square of the points from now on, for every option."""
    values = np.where(np.isfinite(turn.scores), turn.scores, 0.0)
    gains = np.where(np.isfinite(turn.gains), turn.gains, 0.0)
    after = turn.after(rows).astype(np.float64)
    after[..., 1] += gains * (2.0 * values - gains)  # p^2 + 2 p V, with values = p + V
    return Carried(turn, after)


def find_expected_points(turn: Turn, rows: Rows, scale: Floats) -> Carried:
    """Return every option's expected points per box and, last, from the bonus, without chips."""
    after = turn.after(rows) * scale
    gains = np.where(np.isfinite(turn.gains), turn.gains - turn.chips, 0.0)
    after[np.arange(len(turn.boxes)), :, turn.boxes] += gains
    return Carried(turn, after)


class Endings(NamedTuple):
    """Possible ends of a turn. Each has an index of the open box, a roll, a chance and a value."""

    boxes: Ints
    rolls: Ints
    chances: Floats
    worth: Floats


def find_endings(turn: Turn, hold: int, rolls_left: int) -> Endings:
    """Return the possible ends of the turn after a hold, if the player follows the policy of
    ``dp.outlook``. If rolls can be saved, the player saves them unless rolling again is better."""
    chances = np.eye(1, turn.rules.cup.bounds[-1], hold)[0]
    parts: list[Endings] = []
    for left in range(rolls_left - 1, -1, -1):
        rolls = spread_holds(chances, turn.dice)
        stops = turn.find_stops(left)
        ends = np.flatnonzero(stops)
        boxes = choose_best_boxes(turn, left)[ends] if len(ends) else ends
        parts.append(Endings(boxes, ends, rolls[ends], turn.evaluate_boxes(left)[boxes, ends]))
        if left:
            going = np.where(stops, 0.0, rolls)
            chances = np.bincount(choose_best_holds(turn, left), going, minlength=len(chances))
    return Endings(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))


def find_likeliest_box(turn: Turn, hold: int, rolls_left: int) -> int:
    """Return the box that most likely gets points after a hold (if several are equal, the first).
    If no box can score points, return the box that most likely gets 0."""
    ends = find_endings(turn, hold, rolls_left)
    wins = turn.gains[ends.boxes, ends.rolls] > 0
    likely = np.bincount(ends.boxes, ends.chances * wins, minlength=len(turn.boxes))
    if likely.max() < TIE:
        likely = np.bincount(ends.boxes, ends.chances, minlength=len(turn.boxes))
    return int(turn.boxes[find_first_best(likely)])


class StartCards(NamedTuple):
    """The cards at the start of turns, as arrays. ``upper`` may exceed the bonus threshold."""

    filled: Ints
    upper: Ints
    chips_won: Bools


class Ways(NamedTuple):
    """Possible ends of turns, as arrays: the card, the outcome of the turn, and its chance."""

    card: Ints
    outcome: Ints
    chance: Floats


class ManyTurns:
    """Many independent turns at once, with one card per column. Values are calculated on first use.

    A call of numpy serves hundreds of cards. A single turn spends more time on calls than on
    arithmetic. The results equal the results of ``Turn``.
    """

    def __init__(self, space: Space, cards: StartCards, values: Rows) -> None:
        self.rules: Ruleset = space.rules
        self.dice = space.rules.dice
        self.cards = np.arange(len(cards.filled))
        self._outcomes = outcomes = build_outcomes(space.rules)
        self._row = cards.filled | cards.chips_won.astype(np.int64) << space.boxes
        gained, which = np.unique(outcomes.row, return_inverse=True)
        rows = self._row | gained[:, None]
        self._numbers = np.unique(rows)
        self._place = np.searchsorted(self._numbers, rows)[which]  # [outcome, card]
        columns = cards.upper + outcomes.step[:, None]
        self._columns = np.minimum(columns, self.rules.bonus_threshold)
        self._after = values(self._numbers)[self._place, self._columns]
        is_open = outcomes.row[:, None] & cards.filled == 0
        self._worth = np.where(is_open, self._after + outcomes.points[:, None], -np.inf)
        self._best: dict[int, Floats] = {}
        self._holds: dict[int, Floats] = {}
        self._chosen: dict[int, Ints] = {}  # best hold by rolls left; for 0, the best outcome

    @cached_property
    def _jokers(self) -> tuple[Ints, Ints, Ints, Ints]:
        """All boxes that jokers may fill, as four arrays: card, roll, box and outcome."""
        if not self.rules.joker:
            card, roll, box, outcome = np.empty((4, 0), dtype=np.int64)
            return card, roll, box, outcome
        jokers = build_jokers(self.rules)
        first, many = jokers.start[self._row], np.diff(jokers.start)[self._row]
        card = self.cards.repeat(many)
        entry = np.arange(len(card)) + (first - many.cumsum() + many).repeat(many)
        return card, jokers.roll[entry], jokers.box[entry], jokers.outcome[entry]

    def find_outcomes(self, rolls: Ints) -> Ints:
        """Return an array [box, card]: the outcome of rolls[card], or FORBIDDEN if not allowed."""
        outcomes = self._outcomes.by_roll[:, rolls]
        card, roll, box, outcome = self._jokers
        here = roll == rolls[card]
        outcomes[:, card[here]] = FORBIDDEN
        outcomes[box[here], card[here]] = outcome[here]
        return outcomes

    def evaluate_outcomes(self, outcomes: Ints) -> Floats:
        """Return an array [box, card]: the value of the outcome; minus infinity if FORBIDDEN."""
        return np.where(outcomes == FORBIDDEN, -np.inf, self._worth[outcomes, self.cards])

    def holds(self, rolls_left: int) -> Floats:
        """Return an array [hold, card]: the value of each hold with this many rolls left."""
        if rolls_left not in self._holds:
            self._holds[rolls_left] = average_rolls(self.best(rolls_left - 1), self.dice)
        return self._holds[rolls_left]

    def best(self, rolls_left: int) -> Floats:
        """Return an array [roll, card]: the best value of each roll with this many rolls left."""
        if rolls_left in self._best:
            return self._best[rolls_left]
        if rolls_left:
            self._best[rolls_left] = find_best_values(self.holds(rolls_left).copy(), self.dice)
            return self._best[rolls_left]
        card, roll, box, outcome = self._jokers
        best = np.full((len(self.rules.cup.rolls), len(self.cards)), -np.inf)
        which = np.zeros(best.shape, dtype=np.int64)  # [roll, card]: the outcome in the best box
        for number, by_roll in enumerate(self._outcomes.by_roll):
            worth = self._worth[by_roll]
            worth[roll, card] = -np.inf
            here = box == number
            worth[roll[here], card[here]] = self._worth[outcome[here], card[here]]
            better = worth > best + TIE
            np.copyto(best, worth, where=better)
            np.copyto(which, by_roll[:, None], where=better)
        here = self._outcomes.start.searchsorted(which[roll, card], side="right") - 1 == box
        which[roll[here], card[here]] = outcome[here]
        self._best[0], self._chosen[0] = best, which
        return best

    def chosen(self, rolls_left: int) -> Ints:
        """Return an array [roll, card]: the best hold or, without rolls left, the best outcome."""
        if rolls_left not in self._chosen:
            if rolls_left:
                self._chosen[rolls_left] = choose_holds(self.holds(rolls_left), self.dice)
            else:
                self.best(0)
        return self._chosen[rolls_left]

    def calculate_moments(self, outcomes: Ints, cards: Ints, moments: Rows) -> Floats:
        """Return the bonus chance and the mean square of the points from now on, for each outcome.
        Read only the rows of ``moments`` to which the outcomes lead."""
        place, columns = self._place[outcomes, cards], self._columns[outcomes, cards]
        needed = np.zeros(len(self._numbers), dtype=np.bool_)
        needed[place] = True
        rows = moments(self._numbers[needed])
        carried: Floats = rows[(np.cumsum(needed) - 1)[place], columns].astype(np.float64)
        gain = self._outcomes.points[outcomes]
        carried[..., 1] += gain * (2.0 * self._after[outcomes, cards] + gain)
        return carried

    def calculate_hold_moments(self, rolls_left: int, moments: Rows) -> Floats:
        """Return an array [hold, card, 2]: the bonus chance and the mean square of the points from
        now on, if the player makes this hold with this many rolls left."""
        best = self.calculate_moments(self.chosen(0), self.cards, moments)
        for left in range(1, rolls_left):
            best = average_rolls(best, self.dice)[self.chosen(left), self.cards]
        return average_rolls(best, self.dice)

    def list_ways(self, rolls_left: int, hold: Ints, card: Ints) -> Ways:
        """Return the possible ends of turns after hold[n] on card[n], followed by perfect play."""
        chances = np.zeros((len(self.rules.cup.holds), len(self.cards)))
        chances[hold, card] = 1.0
        for left in range(rolls_left - 1, -1, -1):
            rolls = spread_holds(chances, self.dice)
            if left:
                places = self.chosen(left) * len(self.cards) + self.cards
                counted = np.bincount(places.ravel(), rolls.ravel(), chances.size)
                chances = counted.reshape(chances.shape).astype(np.float64, copy=False)
        roll, where = rolls.nonzero()
        return Ways(where, self.chosen(0)[roll, where], rolls[roll, where])
