"""A position with the values of its options, calculated once for the advice and all sentences."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import starmap
from math import inf

import numpy as np

from solver.advice.options import Option
from solver.dp.arrays import Floats, Ints
from solver.dp.turn import Turn, first_best, holds_of_rolls
from solver.rules.dice import Dice
from solver.rules.position import Position


@dataclass(frozen=True, slots=True)
class Evaluated:
    """A position with the values of its options."""

    position: Position
    turn: Turn
    roll: int
    value: float  # the best option's
    holds: Ints  # their numbers; none without a roll left
    hold_values: Floats
    boxes: Ints  # their numbers
    box_values: Floats  # minus infinity for a box that a joker may not fill

    @classmethod
    def of(cls, position: Position, turn: Turn, roll: int) -> "Evaluated":
        scores = turn.scored(position.throws_left)[:, roll]
        if position.throws_left:
            holds = holds_of_rolls(turn.dice)[roll]
            worth = turn.holds(position.throws_left)[holds]
        else:
            holds, worth = turn.boxes[:0], scores[:0]
        value = float(max(worth.max(initial=-inf), scores.max()))
        return cls(position, turn, roll, value, holds, worth, turn.boxes, scores)

    @property
    def best(self) -> Option:
        """The option that advice lists first."""
        values = np.concatenate((self.hold_values, self.box_values))
        at = int(first_best(values))
        if at < len(self.holds):
            return self._hold(int(self.holds[at]), float(values[at]))
        box = at - len(self.holds)
        gain = int(self.turn.gains[box, self.roll])
        return self._box(int(self.boxes[box]), gain, float(values[at]))

    def each_hold(self) -> Iterator[Option]:
        """Return the holds, from all dice to none."""
        worth = zip(self.holds.tolist(), self.hold_values.tolist(), strict=True)
        return starmap(self._hold, worth)

    def each_box(self) -> Iterator[Option]:
        """Yield the boxes that the player may fill, in the order of the card."""
        gains = self.turn.gains[:, self.roll].tolist()
        worth = zip(self.boxes.tolist(), gains, self.box_values.tolist(), strict=True)
        return (self._box(box, int(gain), value) for box, gain, value in worth if value > -inf)

    def hold_costs(self, kept: Iterable[Dice]) -> list[float]:
        """Return the regrets of holding each of these and rolling the other dice."""
        index = self.turn.rules.cup.hold_index
        worth = self.turn.holds(self.position.throws_left)[[index[dice] for dice in kept]]
        costs: list[float] = np.maximum(0.0, self.value - worth).tolist()
        return costs

    def _hold(self, hold: int, value: float) -> Option:
        dice = self.turn.rules.cup.holds[hold]
        return Option("hold", dice, "", 0, value, max(0.0, self.value - value))

    def _box(self, box: int, points: int, value: float) -> Option:
        dice = tuple(sorted(self.position.dice))
        name = self.position.rules.categories[box].id
        return Option("score", dice, name, points, value, max(0.0, self.value - value))
