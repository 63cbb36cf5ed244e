"""One turn in numpy: the equations of ``dp.kernels`` for a single position, without a compiler.

This is what a web process runs. V of the cards that may follow is given as rows of a table.
"""

from collections.abc import Callable
from functools import cache, cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from solver.dp import arrays
from solver.dp.arrays import Floats, Ints
from solver.dp.space import TIE, TIED_DIGITS, Space
from solver.rules.dice import Dice, cup_of, subsets
from solver.rules.rulesets import Ruleset, ScoreOption

Rows = Callable[[Ints], Floats]
Bools = npt.NDArray[np.bool_]


@cache
def outcome_chances(dice: int) -> Floats:
    """[hold, roll]: the chance that a hold of less than all dice becomes the roll."""
    cup = cup_of(dice)
    chances = np.zeros((len(cup.holds), len(cup.rolls)))
    chances[cup.first_roll :] = np.eye(len(cup.rolls))
    for hold, *more in arrays.one_more(dice):
        chances[hold] = chances[more].mean(axis=0)
    return chances[: cup.first_roll].copy()


@cache
def holds_of_rolls(dice: int) -> tuple[Ints, ...]:
    """The distinct holds of every roll, the ones that keep more dice first."""
    cup = cup_of(dice)
    return tuple(np.array([cup.hold_index[h] for h in subsets(roll)]) for roll in cup.rolls)


@cache
def holds_padded(dice: int) -> Ints:
    """[most holds of a roll, roll]: the same, the last one repeated."""
    holds = holds_of_rolls(dice)
    most = max(len(row) for row in holds)
    return np.array([np.pad(row, (0, most - len(row)), mode="edge") for row in holds]).T.copy()


def averaged(of_rolls: Floats, dice: int) -> Floats:
    """From rolls to holds: the expectation over the throw of the dice that are not held."""
    return np.concatenate((outcome_chances(dice) @ of_rolls, of_rolls))


class Turn:
    """What every hold and box is worth in the turn that starts from this card.

    ``best(r)[roll]`` is w_r and ``holds(r)[hold]`` is e_r, worked out when first asked for.
    """

    def __init__(self, space: Space, filled: int, upper: int, chips_won: bool, rows: Rows) -> None:
        self.space = space
        self.rules: Ruleset = space.rules
        self.dice = space.rules.dice
        self.rolls = space.rules.cup.roll_index
        self.filled = filled
        self.upper = upper
        self.chips_won = chips_won
        boxes = space.rules.open(filled)
        self.boxes = np.array(boxes, dtype=np.int64)
        self.place = {box: at for at, box in enumerate(boxes)}
        self._rows = rows
        self._best: dict[int, Floats] = {}
        self._holds: dict[int, Floats] = {}

    def know(self, scores: Floats, best: Floats, holds: Floats) -> None:
        """Take [open box, roll], [r, roll] and [r, hold] that were worked out elsewhere."""
        self.scores = scores
        self._best.update(enumerate(best))
        self._holds.update((r, holds[r]) for r in range(1, len(holds)))

    @cached_property
    def gains(self) -> Floats:
        """[open box, roll]: the points written, minus infinity where the rules forbid it."""
        gains = arrays.points_of(self.rules)[self.boxes].astype(np.float64)
        if self.rules.joker:
            gains[:, [self.rolls[dice] for dice in self.rules.cup.alike]] = -np.inf
        for dice, option in self.special_options():
            at = self.place[option.category]
            gains[at, self.rolls[dice]] = option.points + option.chip
        return gains

    @cached_property
    def chips(self) -> Floats:
        """[open box, roll]: what of the gains is the bonus chip of a joker."""
        chips = np.zeros_like(self.gains)
        for dice, option in self.special_options():
            chips[self.place[option.category], self.rolls[dice]] = option.chip
        return chips

    @cached_property
    def columns(self) -> Ints:
        """[open box, roll]: the upper total that follows, as a column."""
        steps = arrays.upper_steps_of(self.rules)[self.boxes]
        return np.minimum(self.upper + steps, self.rules.bonus_threshold)

    def after(self, rows: Rows) -> Floats:
        """[open box, roll, ...]: the entry of a table for the card that follows."""
        numbers = (self.filled | 1 << self.boxes) | self.chips_won << self.space.boxes
        table = rows(numbers)
        entries = table[np.arange(len(self.boxes))[:, None], self.columns]
        for roll, option in self.special_options():
            at = self.place[option.category]
            row, column = self.follows(option)
            entries[at, self.rolls[roll]] = rows(np.array([row]))[0, column]
        return entries

    @cached_property
    def scores(self) -> Floats:
        """[open box, roll]: the value of scoring, minus infinity where the rules forbid it."""
        return self.after(self._rows) + self.gains

    def scored(self, rolls_left: int) -> Floats:
        """``scores`` with so many throws left, which are given up here."""
        return self.scores

    def stops(self, rolls_left: int) -> Bools:
        """[roll]: whether a box is filled there, though so many throws are left."""
        return np.full(len(self.rolls), not rolls_left)

    def special_options(self) -> list[tuple[Dice, ScoreOption]]:
        """All alike under joker rules: other points, other boxes, and the flag may change."""
        if not self.rules.joker:
            return []
        return [
            (dice, option)
            for dice in self.rules.cup.alike
            for option in self.rules.score_options(self.filled, self.chips_won, dice)
        ]

    def follows(self, option: ScoreOption) -> tuple[int, int]:
        """Row and column of the card after scoring so."""
        joker = self.rules.joker
        wins = joker is not None and option.points > 0
        wins = wins and option.category == self.rules.index[joker.box]  # type: ignore[union-attr]
        step = option.points if self.rules.categories[option.category].face else 0
        filled = self.filled | 1 << option.category
        row = self.space.row(filled, chips_won=self.chips_won or wins)
        return row, self.space.column(self.upper + step)

    @property
    def start(self) -> float:
        """V of the card itself, by one backward step."""
        return self.start_with(0)

    def start_with(self, saved: int) -> float:
        return float(outcome_chances(self.dice)[0] @ self.best(self.rules.throws + saved - 1))

    def best(self, rolls_left: int) -> Floats:
        if rolls_left not in self._best:
            self._best[rolls_left] = (
                self.holds(rolls_left)[holds_padded(self.dice)].max(axis=0)
                if rolls_left
                else self.scores.max(axis=0)
            )
        return self._best[rolls_left]

    def holds(self, rolls_left: int) -> Floats:
        if rolls_left not in self._holds:
            self._holds[rolls_left] = averaged(self.best(rolls_left - 1), self.dice)
        return self._holds[rolls_left]

    def holds_of(self, roll: int, rolls_left: int) -> tuple[Ints, Floats]:
        """The holds of one roll and their values, without working out those of the others."""
        holds = holds_of_rolls(self.dice)[roll]
        if rolls_left in self._holds:
            return holds, self._holds[rolls_left][holds]
        best = self.best(rolls_left - 1)
        values = np.empty(len(holds))
        values[0] = best[roll]
        values[1:] = outcome_chances(self.dice)[holds[1:]] @ best
        return holds, values


class SavingTurn(Turn):
    """Where throws are saved: ``rolls_left`` are all, and what is left of them is worth something.

    So a turn is worth e of no dice with its own throws and all saved ones left.
    """

    def __init__(self, space: Space, filled: int, upper: int, rows: Rows) -> None:
        super().__init__(space, filled, upper, False, rows)
        self._scored: dict[int, Floats] = {}

    def scored(self, rolls_left: int) -> Floats:
        if rolls_left not in self._scored:
            saved = min(rolls_left, self.space.most_saved(self.filled.bit_count() + 1))
            stock = saved << self.space.boxes
            after = self.after(lambda numbers: self._rows(numbers | stock))
            self._scored[rolls_left] = after + self.gains
        return self._scored[rolls_left]

    def best(self, rolls_left: int) -> Floats:
        if rolls_left not in self._best:
            best = self.scored(rolls_left).max(axis=0)
            if rolls_left:
                held = self.holds(rolls_left)[holds_padded(self.dice)].max(axis=0)
                best = np.maximum(best, held)
            self._best[rolls_left] = best
        return self._best[rolls_left]

    def stops(self, rolls_left: int) -> Bools:
        found: Bools = self.scored(rolls_left).max(axis=0) > self.best(rolls_left) - TIE
        return found


class Carried:
    """Quantities of the rest of the game, for the options of a turn.

    ``after[open box, roll, quantity]`` says what they are once a box is chosen, and
    ``holds(r)[hold, quantity]`` what they are expected to be after a throw, when play from there
    on is the policy of ``dp.outlook``.
    """

    def __init__(self, turn: Turn, after: Floats) -> None:
        self.turn = turn
        self.after = after
        self._best: dict[int, Floats] = {}
        self._holds: dict[int, Floats] = {}

    def holds(self, rolls_left: int) -> Floats:
        if rolls_left not in self._holds:
            self._holds[rolls_left] = averaged(self.best(rolls_left - 1), self.turn.dice)
        return self._holds[rolls_left]

    def best(self, rolls_left: int) -> Floats:
        if rolls_left not in self._best:
            self._best[rolls_left] = self._chosen(rolls_left)
        return self._best[rolls_left]

    def _chosen(self, rolls_left: int) -> Floats:
        if not rolls_left:
            choice = chosen_boxes(self.turn)
            scored: Floats = self.after[choice, np.arange(len(choice))]
            return scored
        held: Floats = self.holds(rolls_left)[chosen_holds(self.turn, rolls_left)]
        return held


def chosen_boxes(turn: Turn, rolls_left: int = 0) -> Ints:
    """[roll]: which of the open boxes is best where one is filled, usually after the last throw."""
    choice: Ints = turn.scored(rolls_left).round(TIED_DIGITS).argmax(axis=0)
    return choice


def chosen_holds(turn: Turn, rolls_left: int) -> Ints:
    """[roll]: the best hold, the first listed of those that tie."""
    candidates = holds_padded(turn.dice)
    choice = turn.holds(rolls_left).round(TIED_DIGITS)[candidates].argmax(axis=0)
    chosen: Ints = candidates[choice, np.arange(candidates.shape[1])]
    return chosen


def outlook(turn: Turn, rows: Rows) -> Carried:
    """The chance of the bonus and the second moment of the rest."""
    values = np.where(np.isfinite(turn.scores), turn.scores, 0.0)
    gains = np.where(np.isfinite(turn.gains), turn.gains, 0.0)
    after = turn.after(rows).astype(np.float64)
    after[..., 1] += gains * (2.0 * values - gains)  # p^2 + 2 p V, with values = p + V
    return Carried(turn, after)


def expected_points(turn: Turn, rows: Rows, scale: Floats) -> Carried:
    """What every box, and last the bonus, is expected to bring from now on, without chips."""
    after = turn.after(rows) * scale
    gains = np.where(np.isfinite(turn.gains), turn.gains - turn.chips, 0.0)
    after[np.arange(len(turn.boxes)), :, turn.boxes] += gains
    return Carried(turn, after)


class Endings(NamedTuple):
    """How a turn may end, one after another: place of the open box, roll, chance, its value."""

    boxes: Ints
    rolls: Ints
    chances: Floats
    worth: Floats


def endings(turn: Turn, hold: int, rolls_left: int) -> Endings:
    """Where a hold leads: one hold followed to the end of the turn, by the policy of
    ``dp.outlook``, and where throws are saved by one that saves them where nothing is better.
    """
    first, number = turn.rules.cup.bounds[-2:]
    chances = np.eye(1, number, hold)[0]
    found: list[Endings] = []
    for left in range(rolls_left - 1, -1, -1):
        rolls: Floats = chances[:first] @ outcome_chances(turn.dice) + chances[first:]
        stops = turn.stops(left)
        ends = np.flatnonzero(stops)
        boxes = chosen_boxes(turn, left)[ends] if len(ends) else ends
        found.append(Endings(boxes, ends, rolls[ends], turn.scored(left)[boxes, ends]))
        if left:
            going = np.where(stops, 0.0, rolls)
            chances = np.bincount(chosen_holds(turn, left), going, minlength=number)
    return Endings(*(np.concatenate(one) for one in zip(*found, strict=True)))


def aimed_at(turn: Turn, hold: int, rolls_left: int) -> int:
    """The box that this turn most likely ends in with points after a hold; the first of equals.

    Where no box can bring points it is the one that is most likely filled with none.
    """
    found = endings(turn, hold, rolls_left)
    wins = turn.gains[found.boxes, found.rolls] > 0
    ends = np.bincount(found.boxes, found.chances * wins, minlength=len(turn.boxes))
    if ends.max() < TIE:
        ends = np.bincount(found.boxes, found.chances, minlength=len(turn.boxes))
    return int(turn.boxes[int((ends > ends.max() - TIE).argmax())])
