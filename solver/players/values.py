"""Players that choose the option with the highest value.

Such a player values a box by its points, plus a credit (extra points for some scores), plus a value
of the card after the box is filled. With exact values and no credit this is perfect play. If the
value of that card is 0, it is greedy play. Players look ahead exactly to the end of the turn.
"""

from functools import cache, cached_property
from typing import Any, NamedTuple

import numpy as np

from solver.dp import arrays
from solver.dp.arrays import Floats, Ints, build_throws
from solver.dp.outcomes import Index, Solving, build_entries, build_jokers, build_outcomes
from solver.dp.space import PREFER_DIE, TILE
from solver.dp.sweep import run_in_parts
from solver.dp.turn import average_rolls, find_best_values
from solver.players.agent import GamesInPlay, Luck, Throws
from solver.players.cards import CardPlay, Numbers
from solver.rules import Ruleset
from solver.rules.dice import FACES

GAMES_AT_ONCE = 4096


class BadValues(ValueError):
    """The error for values that do not fit the ruleset. The message gives the reason."""


class Choosing(NamedTuple):
    """The tables for a player's choices: offsets of holds, liking[box, roll], and upper steps."""

    less: Ints
    liking: Floats
    steps: Ints


class ValuePlay(CardPlay):
    """A player that decides by values. ``values[row, column]`` is the value of the card with the
    filled boxes ``row`` and the upper total ``column``; ``values[row]`` ignores the upper total. A
    card's value is the expected points of the turns after it; a full card's value is its bonus."""

    def __init__(self, values: Floats, rules: Ruleset, credit: Floats | None = None) -> None:
        super().__init__(rules)
        self.looks_at_upper = values.ndim == 2
        shape = (self.space.rows, self.space.columns)[: values.ndim]
        if values.shape != shape:
            raise BadValues(f"{self.rules.id} needs values of {shape} cards, not of {values.shape}")
        where = self.space.reachable if self.looks_at_upper else self.space.last_column >= 0
        if not np.isfinite(values[where]).all():
            raise BadValues("not every card that play can reach has a finite value")
        self.values = values
        self.credit = credit

    def rows(self, numbers: Ints) -> Floats:
        values = np.asarray(self.values[numbers], dtype=np.float64)
        return values if values.ndim == 2 else np.repeat(values[:, None], self.space.columns, 1)

    @cached_property
    def _kernels(self) -> Any:
        from solver.players import value_kernels  # slow: loads the compiler

        return value_kernels

    @cached_property
    def _solving(self) -> Solving:
        rules, values = self.rules, self.values
        jokers = build_jokers(rules)
        if self.looks_at_upper:
            beyond = self.space.stride - self.space.columns
            table = np.pad(
                values.astype(np.float64, copy=False), ((0, 0), (0, beyond)), mode="edge"
            )
        else:
            table = np.repeat(values.astype(np.float64)[:, None], TILE, axis=1)
            jokers = jokers._replace(step=np.zeros_like(jokers.step))
        return Solving(
            table.reshape(-1),
            table.shape[1],
            arrays.build_moves(rules.dice),
            build_entries(rules, table.shape[1], upper=self.looks_at_upper, credit=self.credit),
            jokers,
            np.repeat(PREFER_DIE * arrays.hold_sizes(rules.dice), TILE),
            build_outcomes(rules),
            arrays.find_roll_chances(rules.dice),
        )

    @cached_property
    def _choosing(self) -> "Choosing":
        steps, zero = arrays.calculate_upper_steps(self.rules), self._solving.entries.zero
        if not self.looks_at_upper:
            steps = np.zeros_like(steps)
        points = arrays.calculate_points(self.rules).astype(np.float64)
        if self.credit is not None:
            points += self.credit * (points > 0)
        return Choosing(list_hold_offsets(self.rules.dice), points + zero[:, None], steps)

    def write_outcomes(self, rows: Ints, index: Index, chance_start: Ints, chance: Floats) -> None:
        from solver.dp.flow import write_best_outcomes  # slow: loads the compiler

        alike, throws = not self.looks_at_upper, self.rules.throws
        write_best_outcomes(rows, index, chance_start, chance, throws, self._solving, alike)

    def cards(self, rows: Ints, columns: Ints) -> tuple[Numbers, Numbers]:
        holds = np.empty((len(rows), 1, self.rules.throws - 1, len(self.cup.rolls)), dtype=np.int16)
        boxes = np.empty((len(rows), 1, len(self.cup.rolls)), dtype=np.int16)
        seen = columns if self.looks_at_upper else np.zeros_like(columns)
        self._kernels.fill_cards(rows, seen, self._solving, self._choosing, holds, boxes)
        return holds, boxes

    def evaluate_starts(self, rows: Ints, columns: Ints, threads: int) -> Floats:
        """Return the points that the player expects to add to each card, before the first roll."""
        seen = columns if self.looks_at_upper else np.zeros_like(columns)
        out = np.empty(len(rows))

        def run_part(part: slice) -> None:
            self._kernels.write_turn_starts(
                rows[part], seen[part], out[part], self.rules.throws, self._solving
            )

        run_in_parts(run_part, len(rows), GAMES_AT_ONCE, threads)
        return out

    def turns(self, games: GamesInPlay, throws: Throws, luck: Luck, threads: int) -> None:
        sorted_games = np.empty((3, len(games.rows)), dtype=np.int32)
        cards = (self.space.rows, self.space.columns)
        self._kernels.group_games(*games.arrays, self.looks_at_upper, *cards, sorted_games)

        def run_part(part: slice) -> None:
            self._kernels.play_value_turns(
                *sorted_games[:, part],
                throws[:, part],
                build_throws(self.rules.dice),
                self.looks_at_upper,
                self.rules.bonus_threshold,
                self._solving,
                self._choosing,
            )

        run_in_parts(run_part, len(games.rows), GAMES_AT_ONCE, threads)
        for array, moved in zip(games.arrays, sorted_games, strict=True):
            array[:] = moved


@cache
def list_hold_offsets(dice: int) -> Ints:
    """Return for each hold the holds with one die less, as offsets in a work array; pad with -1."""
    table = np.full((len(arrays.hold_sizes(dice)), min(dice, FACES)), -1)
    for hold, *smaller in arrays.list_smaller_holds(dice):
        table[hold, : len(smaller)] = np.array(smaller) * TILE
    return table


def average_boxes(rules: Ruleset) -> Floats:
    """Return each box's average points in a turn that the player plays only for this box."""
    values, dice = [], rules.dice
    for points in arrays.calculate_points(rules).astype(np.float64):
        for _ in range(rules.throws - 1):
            points = find_best_values(average_rolls(points, dice), dice)
        values.append(float(average_rolls(points, dice)[0]))
    return np.array(values)
