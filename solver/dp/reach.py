"""The states that a player reaches, level by level, and the chances of the steps between them.

A level has the states with equally many filled boxes. Only two levels are in memory at a time.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from solver.dp.arrays import Floats, Ints
from solver.dp.outcomes import Index, Outcomes, Policy, build_outcomes, count_outcomes
from solver.dp.space import Space
from solver.rules.rulesets import Ruleset

ROWS_AT_ONCE = 32
Reached = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Level:
    """The reached states with equally many filled boxes. index[row, column] is the number of a
    state, or -1 if it is not reached."""

    rows: Ints
    index: Index
    row: Ints  # row of each state
    column: Ints  # column of each state

    @property
    def states(self) -> int:
        return len(self.row)

    @classmethod
    def from_reached(cls, rows: Ints, reached: Reached) -> "Level":
        """Return the states of these rows for which reached[row, column] is True."""
        rows = rows[reached[rows].any(axis=1)]
        at, columns = np.nonzero(reached[rows])
        index = np.full(reached.shape, -1, dtype=np.int32)
        index[rows[at], columns] = np.arange(len(at))
        return cls(rows, index, rows[at], columns)


@dataclass(frozen=True)
class Transition:
    """The step to the next level. The chances of a state's outcomes start at
    chance[chance_start[state]]."""

    before: Level
    chance: Floats
    chance_start: Ints
    after: Level
    outcomes: Outcomes
    pool: ThreadPoolExecutor

    def pull(self, states: tuple[Ints, Floats], after: tuple[Ints, Floats]) -> None:
        """Calculate the next level's data from this level's data. Both are pairs: offsets and
        data."""
        from solver.dp.forward import pull  # slow: loads the compiler

        sources = self.before.index, self.chance_start, self.chance, *states

        def work(rows: Ints) -> None:
            pull(rows, *sources, self.after.index, *after, self.outcomes)

        run_in_shares(self.pool, work, self.after.rows)


def run_in_shares(pool: ThreadPoolExecutor, work: Callable[[Ints], None], rows: Ints) -> None:
    list(pool.map(work, (rows[at : at + ROWS_AT_ONCE] for at in range(0, len(rows), ROWS_AT_ONCE))))


def find_transitions(policy: Policy, pool: ThreadPoolExecutor) -> Iterator[Transition]:
    """Yield the steps from the empty card to the full cards, level by level."""
    rules = policy.rules
    space, rows_of_levels = _list_levels(rules)
    reached = np.zeros((space.rows, space.columns), dtype=np.bool_)
    reached[0, 0] = True
    level = Level.from_reached(rows_of_levels[0], reached)
    for rows in rows_of_levels[1:]:
        chance, starts = _calculate_chances(policy, level, reached, pool)
        after = Level.from_reached(rows, reached)
        yield Transition(level, chance, starts, after, build_outcomes(rules), pool)
        level = after


@lru_cache(maxsize=8)
def _list_levels(rules: Ruleset) -> tuple[Space, list[Ints]]:
    """Return the space, and the rows of each level from the empty card on (cached)."""
    space = Space(rules)
    return space, space.list_levels()[::-1]


def _calculate_chances(
    policy: Policy, level: Level, reached: Reached, pool: ThreadPoolExecutor
) -> tuple[Floats, Ints]:
    """Return the chances of all states' outcomes, and where each state's chances begin. Mark the
    states of the next level."""
    from solver.dp.forward import mark_next  # slow: loads the compiler

    outcomes = build_outcomes(policy.rules)
    # A policy that ignores the upper total has the same chances in all columns of a row.
    counts = _widths(policy.rules)[level.row if policy.looks_at_upper else level.rows]
    ends = counts.cumsum()
    starts = ends - counts
    if not policy.looks_at_upper:
        starts = starts[np.searchsorted(level.rows, level.row)]
    chance = np.empty(int(ends[-1]))

    def work(rows: Ints) -> None:
        policy.write_outcomes(rows, level.index, starts, chance)
        mark_next(rows, level.index, starts, chance, outcomes, reached)

    run_in_shares(pool, work, level.rows)
    return chance, starts


_widths = lru_cache(maxsize=8)(count_outcomes)
