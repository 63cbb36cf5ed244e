"""The kinds of tables of a ruleset, in the order in which they are made.

values    the expected points of every position; all other tables need them
outlook   the chance of the bonus, and the spread of the final score
explain   the expected points of each box, which explain why one option is better than another
"""

from functools import partial
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

import numpy as np

from solver.dp.packing import is_large
from solver.dp.sweep import Progress
from solver.rules import Ruleset
from solver.tables import (
    EXPLAIN,
    OUTLOOK,
    VALUES,
    TableError,
    find_table_path,
    open_table,
    write,
    write_packed,
)

PARTS = (VALUES, OUTLOOK, EXPLAIN)


def list_parts(rules: Ruleset) -> tuple[str, ...]:
    """Return the kinds of tables that a ruleset can have. A large ruleset has only values."""
    return (VALUES,) if is_large(rules) else PARTS


def find_existing_parts(rules: Ruleset) -> dict[str, bool]:
    """Return the kinds of tables that the usual folder has. Their rows are not checked."""
    there = dict.fromkeys(PARTS, True)
    for kind in PARTS:
        try:
            open_table(rules, kind)
        except TableError:
            there[kind] = False
    return there


class SolveTimes(NamedTuple):
    """The seconds to load the kernel and to solve the rules; for large tables, also to write."""

    loading: float
    solving: float


def make_values(rules: Ruleset, path: Path, progress: Progress | None = None) -> SolveTimes:
    if is_large(rules):
        from solver.dp.levels import load_level_kernel, solve_by_level

        began = perf_counter()
        load_level_kernel(rules)
        loaded = perf_counter()
        write_packed(path, rules, partial(solve_by_level, rules, progress=progress))
        return SolveTimes(loaded - began, perf_counter() - loaded)
    from solver.dp.sweep import load_kernel, solve

    began = perf_counter()
    load_kernel(rules)
    loaded = perf_counter()
    values = solve(rules, progress=progress)
    taken = SolveTimes(loaded - began, perf_counter() - loaded)
    write(path, rules, VALUES, values, value_start=float(values[0, 0]))
    return taken


def make_outlook(rules: Ruleset, values: Path, progress: Progress | None = None) -> None:
    from solver.dp.outlook import calculate_outlook

    table = open_table(rules, VALUES, values)
    outlook = calculate_outlook(rules, table.read_all(), progress=progress).astype(np.float32)
    path = find_part_path(rules, values, OUTLOOK)
    write(path, rules, OUTLOOK, outlook, value_start=table.value_start)


def make_explain(rules: Ruleset, values: Path, progress: Progress | None = None) -> None:
    from solver.dp.outlook import calculate_expected_points

    table = open_table(rules, VALUES, values)
    points = calculate_expected_points(rules, table.read_all(), progress=progress)
    path = find_part_path(rules, values, EXPLAIN)
    write(path, rules, EXPLAIN, points, value_start=table.value_start)


def is_made(rules: Ruleset, part: str) -> bool:
    """Return whether the usual folder has this part (kind of table), without a damaged row."""
    return is_sound(rules, part, find_part_path(rules, find_table_path(rules), part))


def make_part(rules: Ruleset, part: str, progress: Progress | None = None) -> None:
    """Make this part (kind of table) in the usual folder."""
    make = {VALUES: make_values, OUTLOOK: make_outlook, EXPLAIN: make_explain}[part]
    make(rules, find_table_path(rules), progress)


def is_sound(rules: Ruleset, kind: str, path: Path) -> bool:
    """Return whether the table opens and all its rows match their checksums."""
    try:
        open_table(rules, kind, path).check()
    except TableError:
        return False
    return True


def find_part_path(rules: Ruleset, values: Path, kind: str) -> Path:
    """Return the path of the table of this kind that belongs to the value table at ``values``."""
    usual = values == find_table_path(rules)
    return find_table_path(rules, kind) if usual else values.with_name(f"{values.name}.{kind}")
