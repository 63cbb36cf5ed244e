"""The backward sweep: from the full card to the empty one, all cores on the rows of a level."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from solver.dp import arrays
from solver.dp.arrays import Floats, Ints
from solver.dp.space import Space
from solver.rules.rulesets import Ruleset

ROWS_AT_ONCE = 64
Progress = Callable[[int, int], None]


def cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def solve(
    rules: Ruleset, *, threads: int | None = None, progress: Progress | None = None
) -> Floats:
    """V[row, column] of every position between turns; NaN where no play leads."""
    from solver.dp.kernels import sweep_rows  # loads the compiler, which readers do without

    space = Space(rules)
    values = np.zeros((space.rows, space.stride))
    values[space.full_rows, space.rules.bonus_threshold :] = rules.bonus_points
    flat = values.reshape(-1)
    last_column = space.last_column
    fixed = (
        space.columns,
        space.stride,
        rules.throws,
        arrays.moves(),
        arrays.scores_of(rules),
        arrays.joker_moves_of(rules),
    )

    def sweep(rows: Ints) -> None:
        sweep_rows(rows, last_column, flat, *fixed)

    in_levels(space, sweep, threads=threads, progress=progress)
    result = values[:, : space.columns].copy()
    result[~space.reachable] = np.nan
    return result


def in_levels(
    space: Space,
    work: Callable[[Ints], None],
    *,
    threads: int | None = None,
    progress: Progress | None = None,
) -> None:
    """Hands the rows to ``work``, the fullest cards first, a level only after the one before."""
    levels = space.levels()[1:]
    total = sum(len(level) for level in levels)
    done = 0
    with ThreadPoolExecutor(threads or cores()) as pool:
        for level in levels:
            pieces = [level[at : at + ROWS_AT_ONCE] for at in range(0, len(level), ROWS_AT_ONCE)]
            for piece, _ in zip(pieces, pool.map(work, pieces), strict=True):
                done += len(piece)
                if progress:
                    progress(done, total)
