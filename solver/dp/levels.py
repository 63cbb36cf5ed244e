"""The sweep for rulesets that do not fit into memory. It keeps little more than one level, which is
the cards with equally many filled boxes."""

from collections.abc import Callable
from itertools import islice, pairwise
from typing import NamedTuple

import numpy as np

from solver.dp import arrays
from solver.dp.arrays import Floats, Ints
from solver.dp.packing import RowGroup, build_lines, build_packing
from solver.dp.slots import build_slots
from solver.dp.sweep import Progress, run_in_levels
from solver.rules.rulesets import Ruleset

Write = Callable[[RowGroup, Floats], None]  # gets a group, and its values [row, stock and column]


class SolvedLevels(NamedTuple):
    """The number of solved levels, counted from the full cards, and the last level's values."""

    levels: int
    values: Floats


class LevelSweep:
    """A sweep that keeps little more than a level in memory.

    The lines of a level are in blocks with equally many filled upper boxes (with jokers, a level is
    a single block). A block is calculated from two blocks of the level before: the same block and
    the next block. It may therefore overwrite all earlier blocks of that level. Levels with an even
    number of filled boxes begin at the start of ``flat``, and are calculated from their first block
    to their last. All other levels end at the end of ``flat``, and are calculated from their last
    block to their first.
    """

    def __init__(self, rules: Ruleset) -> None:
        self.lines = lines = build_lines(rules)
        self.space = space = lines.space
        self.most = [space.most_saved(filled) for filled in range(space.boxes + 1)]
        levels = []  # [filled][block]
        for (rows,) in lines.list_levels()[::-1]:
            group, groups = lines.group[space.upper_card[rows]], range(len(lines.width))
            levels.append([rows] if rules.joker else [rows[group == number] for number in groups])
        lengths = [
            [lines.find_widths(block) * (most + 1) for block in blocks]
            for blocks, most in zip(levels, self.most, strict=True)
        ]
        self.ends = [np.cumsum([0, *(block.sum() for block in blocks)]) for blocks in lengths]
        needed = [0]
        for filled, (ends, before) in enumerate(pairwise(self.ends)):
            if filled % 2:  # a new block ends before the second next block of the level before
                needed.append(ends[-1] + (np.append(before[2:], before[-1]) - ends[:-1]).max())
            else:
                needed.append(before[-1] + (ends[1:] - before[:-1]).max())
        self.flat = np.zeros(int(max(needed)))
        self.starts = np.zeros(space.rows, dtype=np.int64)
        for filled, (blocks, length) in enumerate(zip(levels, lengths, strict=True)):
            sizes = np.concatenate(length)
            self.starts[np.concatenate(blocks)] = self.find_start(filled) + sizes.cumsum() - sizes
        self.levels = [level[::-1] if n % 2 else level for n, level in enumerate(levels)][::-1]
        self.flat[lines.find_ends(self.starts)] = lines.make_end(rules.bonus_points)
        moves, slots = arrays.build_moves(rules.dice), build_slots(rules)
        self.fixed = lines.build_arrays(self.starts), rules.throws, moves, slots

    def rows(self, rows: Ints) -> None:
        """Calculate the values in the lines (groups of cards) of these rows, from the level before.
        Store the values in ``flat``."""
        from solver.dp.kernels import (
            make_work_tiles,
            sweep_rows,
            sweep_saved,
        )  # slow: loads the compiler

        if self.space.rules.stock:
            sweep_saved(rows, self.flat, *self.fixed, *self.find_most(rows))
        else:
            rules, (_, _, *tables) = self.space.rules, self.fixed
            jokers = arrays.build_joker_moves(rules) if rules.joker else None
            sweep_rows(rows, *make_work_tiles(*tables), self.flat, *self.fixed, jokers, None)

    def find_most(self, rows: Ints) -> list[int]:
        """Return the largest numbers of saved rolls on the level of these rows and on the next
        level. Without rows, return the numbers of level 0."""
        filled = int(np.bitwise_count(rows[:1] & self.space.rules.full).sum())
        return self.most[filled : filled + 2]

    def find_start(self, filled: int) -> int:
        return len(self.flat) - int(self.ends[filled][-1]) if filled % 2 else 0

    def level(self, filled: int) -> Floats:
        at = self.find_start(filled)
        return self.flat[at : at + self.ends[filled][-1]]

    def read_group(self, group: RowGroup) -> Floats:
        """Return the values of a group of rows of the last solved level, as [row, stock * columns +
        column]. A stock is a number of saved rolls."""
        first = self.lines.find_starts(self.starts, group.rows)
        length, number = self.lines.find_widths(group.rows[:1]), len(group.columns)
        values = np.empty((len(first), *group.shape))
        for saved in range(group.most_saved + 1):
            values[:, saved] = self.flat[(first + saved * length)[:, None] + np.arange(number)]
        return values.reshape(len(values), -1)


def solve_by_level(
    rules: Ruleset,
    write: Write,
    *,
    threads: int | None = None,
    progress: Progress | None = None,
    before: SolvedLevels | None = None,
    keep: Callable[[SolvedLevels], None] | None = None,
) -> float:
    """Return V(start), the value of a new game. Pass the values of each group of rows to ``write``,
    in the order of the file. ``keep`` receives every solved level. ``before`` has the levels that
    an interrupted run stored."""
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
        finish_level()  # the level of full cards
    run_in_levels(
        sweep.levels,
        sweep.rows,
        threads=threads,
        progress=progress,
        finished=finish_level,
        done=max(done, 1),
    )
    return float(sweep.flat[sweep.starts[0]])


def load_level_kernel(rules: Ruleset) -> None:
    LevelSweep(rules).rows(np.empty(0, dtype=np.int64))
