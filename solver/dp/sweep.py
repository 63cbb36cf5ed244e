"""The calculation of the values of all positions, from full cards back to the empty card. All cores
work on cards with equally many filled boxes."""

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import numpy as np

from solver.dp import arrays
from solver.dp.arrays import Floats, Ints
from solver.dp.packing import build_lines
from solver.dp.slots import build_slots
from solver.dp.space import Unsolvable
from solver.rules.rulesets import Ruleset

FEWEST_ROWS = 2  # smallest number of lines in one part of the work
Progress = Callable[[int, int], None]
T = TypeVar("T")


def count_cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def run_in_parts(work: Callable[[slice], T], count: int, size: int, threads: int) -> list[T]:
    """Call ``work`` with slices of range(count), in threads. Return its results in order."""
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(work, (slice(at, at + size) for at in range(0, count, size))))


class Sweep:
    """The values and other arguments of the kernel. ``chances[n]`` is the chance of face n + 1."""

    def __init__(self, rules: Ruleset, chances: Floats | None = None) -> None:
        if rules.stock:
            reason = "throws are saved, which only dp.levels can calculate"
            raise Unsolvable(f"{rules.id} cannot be solved: {reason}")
        self.lines = lines = build_lines(rules)
        self.starts, self.grid = lines.make_grid()
        self.flat = self.grid.reshape(-1)
        self.flat[lines.find_ends(self.starts)] = lines.make_end(rules.bonus_points)
        self.fixed = (
            lines.build_arrays(self.starts),
            rules.throws,
            arrays.build_moves(rules.dice),
            build_slots(rules),
            arrays.build_joker_moves(rules) if rules.joker else None,
            chances,
        )

    def rows(self, rows: Ints) -> None:
        """Calculate the values in the lines (groups of cards) of these rows, from the level before.
        Store the values in ``grid``."""
        from solver.dp.kernels import make_work_tiles, sweep_rows  # slow: loads the compiler

        _, _, moves, scores, *_ = self.fixed
        sweep_rows(rows, *make_work_tiles(moves, scores), self.flat, *self.fixed)


def load_kernel(rules: Ruleset) -> None:
    Sweep(rules).rows(np.empty(0, dtype=np.int64))


def solve(
    rules: Ruleset, *, threads: int | None = None, progress: Progress | None = None
) -> Floats:
    """Return V[row, column] of every position between turns, or NaN if no game reaches it."""
    sweep = Sweep(rules)
    run_in_levels(sweep.lines.list_levels(), sweep.rows, threads=threads, progress=progress)
    return sweep.lines.read_grid(sweep.grid)


def evaluate_dice(rules: Ruleset, chances: Floats, *, threads: int | None = None) -> float:
    """Return the value of a new game with this die, which may be unfair. The values of positions
    are not stored in a table, so that advice always assumes fair dice."""
    sweep = Sweep(rules, chances)
    run_in_levels(sweep.lines.list_levels(), sweep.rows, threads=threads)
    return float(sweep.grid[0, 0])


def run_in_levels(
    all_levels: list[list[Ints]],
    work: Callable[[Ints], None],
    *,
    threads: int | None = None,
    progress: Progress | None = None,
    finished: Callable[[], None] | None = None,
    done: int = 1,
) -> None:
    """Pass lines (values of similar cards) to ``work``, one level and one block at a time, starting
    with the fullest cards. Skip full cards, whose values are known, and the first ``done`` levels.
    Call ``finished`` after each level."""
    levels = all_levels[done:]
    total = sum(len(block) for level in all_levels[1:] for block in level)
    done = total - sum(len(block) for level in levels for block in level)
    threads = threads or count_cores()
    with ThreadPoolExecutor(threads) as pool:
        for level in levels:
            for block in level:
                pieces = list(_split_block(block, threads))
                for piece, _ in zip(pieces, pool.map(work, pieces), strict=True):
                    done += len(piece)
                    if progress:
                        progress(done, total)
            if finished:
                finished()


def _split_block(block: Ints, threads: int) -> Iterator[Ints]:
    """Yield the block's lines in ever smaller parts: few calls first, short waits at the end."""
    at = 0
    while at < len(block):
        share = max((len(block) - at) // (2 * threads), min(FEWEST_ROWS, len(block) // threads), 1)
        yield block[at : at + share]
        at += share
