"""The advisor: the value of every option, and the luck and regret of every decision of a game.

All of these follow from V, the expected points in the rest of the game under perfect play. Values
count from the start of the turn. The value of a box is its points plus V of the card after the box
is filled. The value of a hold is the expected value after the next roll. Then

    regret of an action = best value of any action - its value
    luck of a roll      = best value after it - the value of the hold (or turn) before it
    final score         = V(start) + sum of luck - sum of regret
"""

import logging
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import starmap
from math import inf

import numpy as np

from solver.advice.moments import read_stored_worth
from solver.advice.options import Advice, Option, Outlook, sort_by_cost
from solver.dp.arrays import Floats, Ints, calculate_scale
from solver.dp.packing import is_large
from solver.dp.space import TIE, Space
from solver.dp.turn import (
    KernelTurns,
    Turn,
    find_endings,
    find_expected_points,
    find_first_best,
    find_likeliest_box,
    find_outlook,
    list_roll_holds,
)
from solver.rules import Action, Hold, Ruleset, Score, State
from solver.rules.dice import Dice
from solver.rules.position import (
    BadPosition,
    Position,
    check_card,
    check_position,
    find_position,
)
from solver.tables import EXPLAIN, OUTLOOK, MissingTable, Table, TableError, open_table

logger = logging.getLogger(__name__)

BONUS = "bonus"
CHIPS = "chips"
NO_POINTS = ""  # ``box`` of a ``TurnEnd`` that scores no points


@dataclass(frozen=True, slots=True)
class Evaluated:
    """A position with the value of each option. ``value`` is the highest value. ``holds`` has
    numbers of ``cup.holds`` (it is empty without rolls left), and ``boxes`` has the numbers of the
    open boxes. A box that the joker rules forbid has the value minus infinity."""

    position: Position
    turn: Turn
    roll: int
    value: float
    holds: Ints
    hold_values: Floats
    boxes: Ints
    box_values: Floats

    @classmethod
    def from_turn(cls, position: Position, turn: Turn, roll: int) -> "Evaluated":
        scores = turn.evaluate_boxes(position.throws_left)[:, roll]
        if position.throws_left:
            holds = list_roll_holds(turn.dice)[roll]
            worth = turn.holds(position.throws_left)[holds]
        else:
            holds, worth = turn.boxes[:0], scores[:0]
        value = float(max(worth.max(initial=-inf), scores.max()))
        return cls(position, turn, roll, value, holds, worth, turn.boxes, scores)

    @property
    def best(self) -> Option:
        """The option that ``advise`` lists first."""
        values = np.concatenate((self.hold_values, self.box_values))
        at = int(find_first_best(values))
        if at < len(self.holds):
            return self._make_hold(int(self.holds[at]), float(values[at]))
        box = at - len(self.holds)
        gain = int(self.turn.gains[box, self.roll])
        return self._make_box(int(self.boxes[box]), gain, float(values[at]))

    def iter_holds(self) -> Iterator[Option]:
        """Yield the holds, starting with the holds of most dice."""
        worth = zip(self.holds.tolist(), self.hold_values.tolist(), strict=True)
        return starmap(self._make_hold, worth)

    def iter_boxes(self) -> Iterator[Option]:
        """Yield the boxes that the player may fill, in the order of the scorecard."""
        gains = self.turn.gains[:, self.roll].tolist()
        worth = zip(self.boxes.tolist(), gains, self.box_values.tolist(), strict=True)
        return (self._make_box(box, int(gain), value) for box, gain, value in worth if value > -inf)

    def hold_costs(self, kept: Iterable[Dice]) -> list[float]:
        """Return what each hold in ``kept`` costs, in points, compared with the best option."""
        index = self.turn.rules.cup.hold_index
        worth = self.turn.holds(self.position.throws_left)[[index[dice] for dice in kept]]
        costs: list[float] = np.maximum(0.0, self.value - worth).tolist()
        return costs

    def _make_hold(self, hold: int, value: float) -> Option:
        dice = self.turn.rules.cup.holds[hold]
        return Option("hold", dice, "", 0, value, max(0.0, self.value - value))

    def _make_box(self, box: int, points: int, value: float) -> Option:
        dice = tuple(sorted(self.position.dice))
        name = self.position.rules.categories[box].id
        return Option("score", dice, name, points, value, max(0.0, self.value - value))


@dataclass(frozen=True, slots=True)
class Part:
    """The expected points from a box, from the bonus or from chips. In a comparison of two options,
    the difference between their expected points."""

    box: str  # a box's id, BONUS or CHIPS
    points: float


@dataclass(frozen=True, slots=True)
class TurnEnd:
    """A possible end of a turn: the filled box, its chance and its mean value."""

    box: str  # box id; NO_POINTS if the turn ends without points
    chance: float
    value: float  # mean value if the turn ends in this box


@dataclass(frozen=True, slots=True)
class Entry:
    """A decision of a game: the values of its options, and the luck of the roll before it."""

    turn: int
    position: Position
    action: Action
    luck: float
    best: float
    value: float
    forced: bool

    @property
    def regret(self) -> float:
        return max(0.0, self.best - self.value)


@dataclass(frozen=True, slots=True)
class Ledger:
    value_start: float
    entries: tuple[Entry, ...] = field(default=())

    @property
    def luck(self) -> float:
        return sum(entry.luck for entry in self.entries)

    @property
    def regret(self) -> float:
        return sum(entry.regret for entry in self.entries)

    @property
    def score(self) -> float:
        """The final score of a finished game. It equals V(start) + luck - regret."""
        return self.value_start + self.luck - self.regret


class Advisor:
    """The coach's calculations for one ruleset. It is cheap to create; threads can share it."""

    def __init__(
        self,
        values: Table,
        rules: Ruleset,
        outlook: Table | None = None,
        explain: Table | None = None,
    ) -> None:
        self.rules = rules
        self.cup = rules.cup
        self.space = Space(rules)
        self.values = values
        self.outlook = outlook
        self.explain = explain
        self._compiled: KernelTurns | None = None
        self._turn = lru_cache(maxsize=64 if is_large(rules) else 256)(self._make_turn)

    @classmethod
    def open(cls, rules: Ruleset) -> "Advisor":
        """Return an advisor that reads the default folder, which must contain the value table.
        Other tables are left out if they are missing, damaged or in an older format."""
        values, extra = open_table(rules), dict[str, Table]()
        for kind in (OUTLOOK, EXPLAIN):
            try:
                extra[kind] = open_table(rules, kind)
            except MissingTable:
                pass
            except TableError as error:
                logger.warning("%s", error)
        return cls(values, rules, extra.get(OUTLOOK), extra.get(EXPLAIN))

    @property
    def value_start(self) -> float:
        return self.values.value_start

    @property
    def outlook_start(self) -> Outlook | None:
        """The bonus chance, expected points and spread of a new game; None if unknown."""
        return self.find_outlook(0, 0)

    def find_outlook(
        self, filled: int, upper: int, chips_won: bool = False, stock: int = 0
    ) -> Outlook | None:
        """Return the bonus chance, expected points and spread from this card on, or None."""
        if self.outlook:
            entry = self.outlook.read_row(self.space.find_row(filled, chips_won=chips_won))
            carried = entry[self.space.find_column(upper)].tolist()
            return Outlook.from_moments(
                carried, self._find_value(filled, upper, chips_won, 0), points=0
            )
        if filled or upper or stock or not (carried := read_stored_worth(self.rules)):
            return None
        evaluated = carried.evaluation
        return Outlook(evaluated.bonus_probability, evaluated.mean, evaluated.deviation)

    @property
    def boxes_start(self) -> Floats | None:
        """The expected points of a new game per box and, last, from the bonus; None if unknown."""
        if self.explain is None:
            return None
        entry = self.explain.read_row(self.space.find_row(0))[self.space.find_column(0)]
        expected: Floats = entry * calculate_scale(self.rules)
        return expected

    def value(self, filled: int, upper: int, *, chips_won: bool = False, stock: int = 0) -> float:
        """Return V: the expected points in the rest of the game, including the upper bonus."""
        check_card(self.rules, filled, upper, chips_won, stock)
        return self._find_value(filled, upper, chips_won, stock)

    def _find_value(self, filled: int, upper: int, chips_won: bool, stock: int) -> float:
        if filled == self.rules.full:
            stock = 0  # saved rolls are worth nothing on a full card
        row = self.space.find_row(filled, chips_won=chips_won, saved=stock)
        return float(self.values.read_row(row)[self.space.find_column(upper)])

    def turn(self, filled: int, upper: int, *, chips_won: bool = False) -> Turn:
        """Return the card's next turn (cached; all upper totals with the bonus share a turn)."""
        return self._turn(filled, self.space.find_column(upper), chips_won)

    def _make_turn(self, filled: int, upper: int, chips_won: bool) -> Turn:
        if self._compiled:
            return self._compiled.turn(filled, upper, chips_won, self.values.rows)
        return Turn(self.space, filled, upper, chips_won, self.values.rows)

    def compile(self) -> KernelTurns:
        """Switch to the compiled kernels and return them; this loads numba."""
        self._compiled = KernelTurns(self.space, self.values.read_all())
        self.forget()
        return self._compiled

    def forget(self) -> None:
        self._turn.cache_clear()

    def evaluate(self, position: Position) -> Evaluated:
        """Return the value of every option. The caller must check the position."""
        turn = self.turn(position.filled, position.upper, chips_won=position.chips_won)
        roll = self.cup.roll_index[tuple(sorted(position.dice))]
        return Evaluated.from_turn(position, turn, roll)

    def advise(self, position: Position, *, outlook: bool = False) -> Advice:
        if (rules := position.rules) != self.rules:
            raise BadPosition(f"a position of {rules.id} is none of {self.rules.id}", "rules")
        check_position(position)
        return self.make_advice(self.evaluate(position), outlook=outlook)

    def make_advice(self, evaluated: Evaluated, *, outlook: bool = False) -> Advice:
        options: list[Option] = [*evaluated.iter_holds(), *evaluated.iter_boxes()]
        if outlook and self.outlook:
            seen = find_outlook(evaluated.turn, self.outlook.rows)
            carried = seen.after[evaluated.box_values > -inf, evaluated.roll].tolist()
            if left := evaluated.position.rolls_left:
                carried = [*seen.holds(left)[evaluated.holds].tolist(), *carried]
            options = [
                option._replace(outlook=Outlook.from_moments(moments, option.value, option.points))
                for option, moments in zip(options, carried, strict=True)
            ]
        order = sort_by_cost([option.regret for option in options])
        return Advice(evaluated.value, tuple([options[at] for at in order]))

    def best(self, position: Position) -> Option:
        """Return the option that ``advise`` lists first. The caller must check the position."""
        return self.evaluate(position).best

    def list_endings(self, position: Position, hold: Option) -> tuple[TurnEnd, ...]:
        """Return the possible ends of this turn, with chances, after the hold and perfect play."""
        turn = self.turn(position.filled, position.upper, chips_won=position.chips_won)
        ends = find_endings(turn, self.cup.hold_index[hold.dice], position.throws_left)
        wins = turn.gains[ends.boxes, ends.rolls] > 0
        # Turn ends without points have the number after that of the last open box.
        place = np.where(wins, ends.boxes, len(turn.boxes))
        each = np.bincount(place, ends.chances, minlength=len(turn.boxes) + 1)
        worth = np.bincount(place, ends.chances * ends.worth, minlength=len(each))
        names = [*(self.rules.categories[box].id for box in turn.boxes.tolist()), NO_POINTS]
        rows = zip(names, each.tolist(), worth.tolist(), strict=True)
        return tuple(TurnEnd(name, c, value / c) for name, c, value in rows if c > TIE)

    def find_saved_value(self, position: Position, box: Option) -> float:
        """Return the value in later turns of the rolls that filling this box now would save."""
        turn = self.turn(position.filled, position.upper, chips_won=position.chips_won)
        at = turn.place[self.rules.index[box.category]], self.cup.roll_index[box.dice]
        return float(turn.evaluate_boxes(position.throws_left)[at] - turn.evaluate_boxes(0)[at])

    def predict_box(self, position: Position, kept: Dice) -> str:
        """Return the id of the box that most likely gets points this turn after a hold."""
        turn = self.turn(position.filled, position.upper, chips_won=position.chips_won)
        box = find_likeliest_box(turn, self.cup.hold_index[kept], position.throws_left)
        return self.rules.categories[box].id

    def why(self, position: Position, better: Option, worse: Option) -> tuple[Part, ...] | None:
        """Return the points per box, and as bonus, that the better option gains, or None."""
        expected = self.find_expected_parts(position, better, worse)
        if expected is None:
            return None
        pairs = zip(*expected, strict=True)
        return tuple(Part(more.box, more.points - less.points) for more, less in pairs)

    def find_expected_parts(
        self, position: Position, *options: Option
    ) -> tuple[tuple[Part, ...], ...] | None:
        """Return each option's expected points in each box and from the bonus; None if unknown."""
        if self.explain is None:
            return None
        turn = self.turn(position.filled, position.upper, chips_won=position.chips_won)
        carried = find_expected_points(turn, self.explain.rows, calculate_scale(self.rules))
        parts = []
        for option in options:
            if option.action == "hold":
                expected = carried.holds(position.rolls_left)[self.cup.hold_index[option.dice]]
            else:
                at = turn.place[self.rules.index[option.category]]
                expected = carried.after[at, self.cup.roll_index[option.dice]]
            names, points = [*self.rules.index, BONUS], expected.tolist()
            if self.rules.joker:
                names.append(CHIPS)
                points.append(option.value - float(expected.sum()))
            parts.append(tuple(map(Part, names, points)))
        return tuple(parts)

    def make_ledger(self, played: Iterable[tuple[State, Action]]) -> Ledger:
        """Return the luck and regret of each decision of a game. The first roll of a turn is not a
        decision, so a state without rolled dice has no entry."""
        return Ledger(self.value_start, tuple(self.entries(played)))

    def entries(self, played: Iterable[tuple[State, Action]]) -> Iterator[Entry]:
        return (self.entry(state, action) for state, action in played if state.dice)

    def entry(self, state: State, action: Action) -> Entry:
        """Return the luck of the last roll and the regret of the action after it."""
        position, left = find_position(state), state.throws_left
        turn = self.turn(position.filled, position.upper, chips_won=position.chips_won)
        roll = self.cup.roll_index[position.dice]
        if left == self.rules.throws + state.stock - 1:  # a first roll has no hold before it
            before = self._find_value(turn.filled, turn.upper, turn.chips_won, state.stock)
        else:
            kept = Hold(state.held).kept(state.dice)
            before = float(turn.holds(left + 1)[self.cup.hold_index[kept]])
        if isinstance(action, Score):
            at = turn.place[self.rules.index[action.category]]
            value = float(turn.evaluate_boxes(left)[at, roll])
        else:
            value = float(turn.holds(left)[self.cup.hold_index[action.kept(state.dice)]])
        best = float(turn.best(left)[roll])
        return Entry(
            turn=state.turn,
            position=position,
            action=action,
            luck=best - before,
            best=best,
            value=value,
            forced=not left and len(turn.boxes) == 1,
        )
