"""The parts, each in pieces that are made one after another and kept when they are made.

values    what every position is worth: nothing can be said without it
outlook   the chance of the bonus, and the spread of the final score
explain   what each box is expected to bring, hence why one choice is better than another
lab       the exact distribution of every player, a piece for each, and games on the same dice
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

import numpy as np

from solver.arena.results import exact, path_of, stored
from solver.dp.packing import is_large
from solver.dp.sweep import Progress
from solver.making import same_dice
from solver.players import PLAYERS, PlayerEntry
from solver.rules import Ruleset
from solver.tables import (
    EXPLAIN,
    OUTLOOK,
    VALUES,
    TableError,
    open_table,
    table_path,
    write,
    write_packed,
)

LAB = "lab"
PARTS = (VALUES, OUTLOOK, EXPLAIN, LAB)
TABLES = (VALUES, OUTLOOK, EXPLAIN)


@dataclass(frozen=True)
class Piece:
    part: str
    name: str
    there: Callable[[], bool]
    make: Callable[[Progress | None], object]


def parts_of(rules: Ruleset) -> tuple[str, ...]:
    """Return the parts of a ruleset; a large one has only values."""
    if is_large(rules):
        return (VALUES,)
    return PARTS if players_of(rules) else TABLES


def pieces(rules: Ruleset, parts: tuple[str, ...] = PARTS) -> Iterator[Piece]:
    """In the order in which they are wanted, which is also that in which they can be made."""
    usual = table_path(rules)
    make = {VALUES: make_values, OUTLOOK: make_outlook, EXPLAIN: make_explain}
    for kind in TABLES:
        if kind in parts and kind in parts_of(rules):
            here = beside(rules, usual, kind)
            yield Piece(
                kind, kind, partial(is_sound, rules, kind, here), partial(make[kind], rules, usual)
            )
    for player in players_of(rules) if LAB in parts else ():
        yield Piece(
            LAB,
            player.name,
            partial(is_stored, player, rules),
            partial(_make_exact, player, rules),
        )
    if LAB in parts and players_of(rules):
        yield Piece(
            LAB, "same dice", partial(same_dice.is_kept, rules), partial(_make_same_dice, rules)
        )


def there(rules: Ruleset) -> dict[str, bool]:
    """Return which parts exist, judging by the files without reading their rows."""
    found = {kind: _opens(rules, kind) for kind in TABLES}
    players = players_of(rules)
    kept = [
        *(path_of(one, rules) for one in players),
        same_dice.path_of_test(same_dice.SEED, rules),
    ]
    found[LAB] = bool(players) and all(path.is_file() for path in kept)
    return found


def players_of(rules: Ruleset) -> tuple[PlayerEntry, ...]:
    """Return the players whose distribution is calculated here; others bring it."""
    everybody = (player for player in PLAYERS.values() if player.plays(rules))
    return tuple(player for player in everybody if player.worked_out is None)


class Taken(NamedTuple):
    """Seconds: of loading or compiling the kernel, then of the solving.

    Writing is in neither but for large tables, which are written while they are solved.
    """

    loading: float
    solving: float


def make_values(rules: Ruleset, path: Path, progress: Progress | None = None) -> Taken:
    if is_large(rules):
        return _make_large(rules, path, progress)
    from solver.dp.sweep import load_kernel, solve

    began = perf_counter()
    load_kernel(rules)
    loaded = perf_counter()
    values = solve(rules, progress=progress)
    taken = Taken(loaded - began, perf_counter() - loaded)
    write(path, rules, VALUES, values, value_start=float(values[0, 0]))
    return taken


def _make_large(rules: Ruleset, path: Path, progress: Progress | None) -> Taken:
    """Every level is written as soon as it is there."""
    from solver.dp.levels import load_level_kernel, solve_by_level

    began = perf_counter()
    load_level_kernel(rules)
    loaded = perf_counter()
    write_packed(path, rules, partial(solve_by_level, rules, progress=progress))
    return Taken(loaded - began, perf_counter() - loaded)


def make_outlook(rules: Ruleset, values: Path, progress: Progress | None = None) -> None:
    from solver.dp.outlook import bonus_and_spread

    table = open_table(rules, VALUES, values)
    found = bonus_and_spread(rules, table.all(), progress=progress).astype(np.float32)
    path = beside(rules, values, OUTLOOK)
    write(path, rules, OUTLOOK, found, value_start=table.value_start)


def make_explain(rules: Ruleset, values: Path, progress: Progress | None = None) -> None:
    from solver.dp.outlook import expected_points

    table = open_table(rules, VALUES, values)
    points = expected_points(rules, table.all(), progress=progress)
    path = beside(rules, values, EXPLAIN)
    write(path, rules, EXPLAIN, points, value_start=table.value_start)


def _make_exact(player: PlayerEntry, rules: Ruleset, progress: Progress | None = None) -> None:
    exact(player, rules, progress=progress)
    if not is_stored(player, rules):
        raise OSError(f"{path_of(player, rules)} cannot be written")


def _make_same_dice(rules: Ruleset, progress: Progress | None = None) -> None:
    same_dice.make_test(rules, progress=progress)


def is_stored(player: PlayerEntry, rules: Ruleset) -> bool:
    return stored(player, rules) is not None


def is_sound(rules: Ruleset, kind: str, path: Path) -> bool:
    """Every row is read and checked."""
    try:
        open_table(rules, kind, path).check()
    except TableError:
        return False
    return True


def _opens(rules: Ruleset, kind: str) -> bool:
    try:
        open_table(rules, kind)
    except TableError:
        return False
    return True


def beside(rules: Ruleset, values: Path, kind: str) -> Path:
    """Return the path of another kind of table that belongs to these values."""
    usual = values == table_path(rules)
    return table_path(rules, kind) if usual else values.with_name(f"{values.name}.{kind}")
