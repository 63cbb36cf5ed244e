"""Turns worked out by the compiled kernels, for whoever needs many of them and has numba."""

import numpy as np

from solver.dp.arrays import Floats
from solver.dp.kernels import turn_values
from solver.dp.outlook import padded
from solver.dp.slots import game_of
from solver.dp.space import Space
from solver.dp.turn import Rows, Turn, holds_of_rolls


class FastTurns:
    """Makes turns whose ``best`` and ``holds`` are all known when they are made."""

    def __init__(self, space: Space, values: Floats) -> None:
        self.space = space
        self._flat = padded(space, values).reshape(-1)
        self._game = game_of(space.rules)

    def values(self, row: int, column: int, levels: int) -> tuple[Floats, Floats, Floats]:
        """boxes[c, roll], best[r, hold], holds[r, hold]; the last of ``best`` are the rolls.

        For r below ``levels``, and e_r for r = ``levels`` as well.
        """
        cup = self.space.rules.cup
        boxes = np.empty((len(self.space.rules.categories), len(cup.rolls)))
        best = np.empty((levels, len(cup.holds)))
        holds = np.empty((levels + 1, len(cup.holds)))
        turn_values(self._flat, row, column, self.space.stride, self._game, boxes, best, holds)
        return boxes, best, holds

    def advice(self, row: int, column: int, roll: int, rolls_left: int) -> tuple[Floats, Floats]:
        """The values of the distinct holds of a roll, in their order, and of the boxes."""
        boxes, _, holds = self.values(row, column, rolls_left)
        return holds[rolls_left][holds_of_rolls(self.space.rules.dice)[roll]], boxes[:, roll]

    def turn(self, filled: int, upper: int, chips_won: bool, rows: Rows) -> Turn:
        turn = Turn(self.space, filled, upper, chips_won, rows)
        row = self.space.row(filled, chips_won=chips_won)
        boxes, best, holds = self.values(row, self.space.column(upper), self.space.rules.throws)
        turn.know(boxes[turn.boxes], best[:, turn.rules.cup.first_roll :], holds)
        return turn
