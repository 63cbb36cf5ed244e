"""The sweep for rulesets that do not fit into memory: it keeps two levels of the card at a time."""

from collections.abc import Callable
from itertools import islice
from typing import NamedTuple

import numpy as np

from solver.dp import arrays
from solver.dp.arrays import Floats, Ints
from solver.dp.packing import RowGroup, build_lines, build_packing
from solver.dp.slots import build_slots
from solver.dp.sweep import Progress, run_in_levels
from solver.rules.rulesets import Ruleset

Write = Callable[[RowGroup, Floats], None]  # a group; its values [row, stock and column]


class Planes(NamedTuple):
    """A level's largest stock of saved rolls, and its number of values per stock."""

    most: int
    plane: int


class SolvedLevels(NamedTuple):
    """The number of solved levels, counted from the full cards, and the last level's values."""

    levels: int
    values: Floats


class LevelSweep:
    """A sweep that keeps two levels in memory: a new level overwrites the level before the last.

    Levels with an even number of filled boxes are in the first half of ``flat``, all other levels
    in the second half.
    """

    def __init__(self, rules: Ruleset) -> None:
        self.lines = lines = build_lines(rules)
        self.space = space = lines.space
        levels = lines.list_levels()[::-1]
        planes = [int(lines.find_widths(rows).sum()) for rows in levels]
        self.planes = [Planes(space.most_saved(n), plane) for n, plane in enumerate(planes)]
        self.sizes = [(most + 1) * plane for most, plane in self.planes]
        self.half = half = max(self.sizes[::2])
        self.flat = np.zeros(half + max(self.sizes[1::2]))
        self.starts = np.zeros(space.rows, dtype=np.int64)
        for filled, rows in enumerate(levels):
            width = lines.find_widths(rows)
            self.starts[rows] = filled % 2 * half + width.cumsum() - width
        self.flat[lines.find_ends(self.starts)] = lines.make_end(rules.bonus_points)
        moves, slots = arrays.build_moves(rules.dice), build_slots(rules)
        self.fixed = lines.build_arrays(self.starts), rules.throws, moves, slots

    def rows(self, rows: Ints) -> None:
        from solver.dp.kernels import (
            make_work_tiles,
            sweep_rows,
            sweep_saved,
        )  # slow: loads the compiler

        if self.space.rules.stock:
            sweep_saved(rows, self.flat, *self.fixed, *self.find_planes(rows))
        else:
            rules, (_, _, *tables) = self.space.rules, self.fixed
            jokers = arrays.build_joker_moves(rules) if rules.joker else None
            sweep_rows(rows, *make_work_tiles(*tables), self.flat, *self.fixed, jokers, None)

    def find_planes(self, rows: Ints) -> list[Planes]:
        """Return the ``Planes`` of the rows' level and the next one (no rows: the first two)."""
        filled = int(np.bitwise_count(rows[:1] & self.space.rules.full).sum())
        return self.planes[filled : filled + 2]

    def level(self, filled: int) -> Floats:
        at = filled % 2 * self.half
        return self.flat[at : at + self.sizes[filled]]

    def read_group(self, group: RowGroup) -> Floats:
        """Return [row, stock * columns + column]: the values of a group of rows of the last solved
        level."""
        filled = int(np.bitwise_count(group.rows[0] & self.space.rules.full))
        stocks = np.arange(group.most_saved + 1) * self.planes[filled].plane
        places = (stocks[:, None] + np.arange(len(group.columns))).ravel()
        indexes = self.lines.find_starts(self.starts, group.rows)[:, None] + places
        values: Floats = self.flat[indexes]
        return values


def solve_by_level(
    rules: Ruleset,
    write: Write,
    *,
    threads: int | None = None,
    progress: Progress | None = None,
    before: SolvedLevels | None = None,
    keep: Callable[[SolvedLevels], None] | None = None,
) -> float:
    """Return V(start) of these rules; pass each row group's values to ``write``, in file order.

    ``keep`` receives every solved level. ``before`` has the levels of an interrupted run to
    continue.
    """
    sweep = LevelSweep(rules)
    done = before.levels if before else 0
    levels = enumerate(islice(build_packing(rules).list_levels(), done, None), start=done + 1)

    def finish_level() -> None:
        number, groups = next(levels)
        for group in groups:
            write(group, sweep.read_group(group))
        if keep:
            keep(SolvedLevels(number, sweep.level(sweep.space.boxes + 1 - number)))

    if before:
        sweep.level(sweep.space.boxes + 1 - before.levels)[:] = before.values
    else:
        finish_level()  # the level of the full cards
    run_in_levels(
        sweep.lines,
        sweep.rows,
        threads=threads,
        progress=progress,
        finished=finish_level,
        done=max(done, 1),
    )
    return float(sweep.flat[sweep.starts[0]])


def load_level_kernel(rules: Ruleset) -> None:
    LevelSweep(rules).rows(np.empty(0, dtype=np.int64))
