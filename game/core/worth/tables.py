"""Loads one advisor per ruleset, which finds the best moves, and starts to make missing tables.

The process looks at the files to notice new and replaced tables, so it needs no restart. It never
calculates tables: a separate process with low priority does so. A request only marks a table as
wanted, and the server's background work makes this table first.
"""

import logging
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic, time
from typing import TypeVar

from django.conf import settings

from game.core.disk import report_full_disk
from solver.advice import Advisor, Entry
from solver.rules import PLAYED, RULESETS, Action, Ruleset, State
from solver.tables import (
    EXPLAIN,
    OUTLOOK,
    VALUES,
    MissingTable,
    Table,
    TableError,
    find_table_path,
    find_tables_dir,
)
from solver.tables.maker import Status, is_under_way, read_status
from solver.tables.parts import find_existing_parts, list_parts

T = TypeVar("T")
logger = logging.getLogger(__name__)
KINDS = (VALUES, OUTLOOK, EXPLAIN)
POLITENESS = "15"  # niceness out of 19, so that players are served first
RETRY = 600.0  # seconds until a missing table is tried again

Signature = tuple[tuple[str, int, int, int] | None, ...]


@dataclass(slots=True)
class _Known:
    """A ruleset, and the tables that this process has loaded for it."""

    rules: Ruleset
    seen: Signature | None = None
    advisor: Advisor | None = None
    asked: float = 0.0  # the time of the last request; 0 if no request came
    begun: float = float("-inf")
    process: "subprocess.Popen[bytes] | None" = None


@dataclass(frozen=True, slots=True)
class Making:
    """The state of a ruleset's tables: which tables exist, and whether a process makes them.
    ``expected``: missing tables will appear without help; ``here``: this server makes tables, and
    tries again after a failure."""

    rules: Ruleset
    there: dict[str, bool]
    status: Status | None
    under_way: bool
    expected: bool
    here: bool

    @property
    def failed(self) -> str:
        return self.status.failed if self.status and not self.under_way else ""


_known: dict[str, _Known] = {}


def load_advisor(rules: Ruleset) -> Advisor | None:
    """Return the advisor, or None if there is no usable value table. Games then have no coach."""
    known = mark_as_wanted(rules)
    folder = find_tables_dir()
    stamps = list[tuple[str, int, int, int] | None]()  # of the files, None if a file is missing
    for kind in KINDS:
        path = find_table_path(rules, kind, folder)
        try:
            stat = os.stat(path)
        except OSError:
            stamps.append(None)
        else:
            stamps.append((str(path), stat.st_ino, stat.st_size, stat.st_mtime_ns))
    seen = tuple(stamps)
    if known.seen != seen:
        known.advisor, known.seen = _open_advisor(rules), seen
    return known.advisor


class NoCoach(Exception):
    def __init__(self, rules: Ruleset) -> None:
        super().__init__(rules.id)
        self.rules = rules


def require_advisor(rules: Ruleset) -> Advisor:
    """Return the advisor. Raise NoCoach if there is none; a page then explains what is missing."""
    coach = load_advisor(rules)
    if coach is None:
        raise NoCoach(rules)
    return coach


def ask_advisor(rules: Ruleset, question: Callable[[Advisor], T]) -> T | None:
    """Return ``question(advisor)``, or None if there is no usable value table."""
    while (coach := load_advisor(rules)) is not None:
        try:
            return question(coach)
        except TableError as error:
            disable_table(rules, coach, error)
    return None


def find_value_start(rules: Ruleset) -> float | None:
    return ask_advisor(rules, lambda coach: coach.value_start)


def note_damaged_table(error: TableError) -> Ruleset | None:
    """Record that another process found a damaged table, if this process uses its ruleset."""
    known = _known.get(error.ruleset)
    if known is not None and known.advisor is not None:
        disable_table(known.rules, known.advisor, error)
    return known.rules if known else PLAYED.get(error.ruleset)


def disable_table(rules: Ruleset, coach: Advisor, error: TableError) -> None:
    """Stop using a damaged table until a new file replaces it. Without the table of values there is
    no advisor; the other tables are optional."""
    known = _find_known(rules)
    if known.advisor is not coach:
        return  # another thread has noticed the fault, or replaced the file
    logger.warning("the coach is silent: %s", error)
    sound = {kind: table for kind, table in _map_tables(coach).items() if table.path != error.path}
    useless = len(sound) == len(_map_tables(coach)) or VALUES not in sound
    known.advisor = None if useless else Advisor(coach.values, rules, *map(sound.get, KINDS[1:]))


def request_tables(rules: Ruleset) -> Making:
    """Mark the tables of a ruleset as wanted, because a page needs them, and return their state."""
    mark_as_wanted(rules)
    progress, busy, here = read_status(rules), is_under_way(rules), settings.MAKE_TABLES
    return Making(
        rules, find_existing_parts(rules), progress, busy, busy or (here and progress is None), here
    )


def find_used_rulesets() -> list[Ruleset]:
    return [
        r for r in PLAYED.values() if _find_known(r).asked or any(find_existing_parts(r).values())
    ]


def mark_as_wanted(rules: Ruleset) -> _Known:
    known = _find_known(rules)
    known.asked = monotonic()
    return known


def make_next() -> bool:
    """Start a process that makes missing tables, and return whether such a process runs. Begin with
    the ruleset that a page wanted most recently; it waits only until a part of another table is
    finished. Rulesets outside ``RULESETS`` get tables only if a page wants them."""
    if not settings.MAKE_TABLES or report_full_disk():
        return False
    for known in sorted(map(_find_known, PLAYED.values()), key=lambda k: k.asked, reverse=True):
        rules = known.rules
        if not (rules.id in RULESETS or known.asked) or not lacks_tables(rules):
            continue
        if is_under_way(rules) or (known.process is not None and known.process.poll() is None):
            return True  # a new process may still have to take the lock
        # A failed try counts too, so that the machine pauses between tries.
        progress = read_status(rules)
        if progress is None:
            tried_lately = monotonic() < known.begun + RETRY
        else:
            tried_lately = abs(time() - progress.told_at) < RETRY  # a clock may have been put back
        if tried_lately:
            continue
        known.begun = monotonic()
        known.process = subprocess.Popen(  # noqa: S603
            ["nice", "-n", POLITENESS, sys.executable, "-m", "solver", "prepare", rules.id],  # noqa: S607
            cwd=settings.BASE_DIR,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )
        return True
    return False


def _map_tables(coach: Advisor) -> dict[str, Table]:
    tables = zip(KINDS, (coach.values, coach.outlook, coach.explain), strict=True)
    return {kind: table for kind, table in tables if table is not None}


def _find_known(rules: Ruleset) -> _Known:
    return _known.setdefault(rules.id, _Known(rules))


def _open_advisor(rules: Ruleset) -> Advisor | None:
    try:
        return Advisor.open(rules)
    except MissingTable as error:
        level = logging.INFO if settings.MAKE_TABLES else logging.WARNING
        logger.log(level, "the coach is silent: %s", error)
    except TableError as error:
        logger.warning("the coach is silent: %s", error)
    return None


def lacks_tables(rules: Ruleset) -> bool:
    parts = find_existing_parts(rules)
    return not all(parts[part] for part in list_parts(rules))


def judge(state: State, action: Action) -> Entry | None:
    """Calculate what a decision cost; None if there are no dice or no usable value table."""
    if not state.dice:
        return None
    return ask_advisor(state.rules, lambda coach: coach.entry(state, action))
