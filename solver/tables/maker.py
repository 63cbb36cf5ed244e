"""Creation of missing tables, one part at a time, and never by two processes at the same time.

A process takes the lock of its ruleset. If another process has the lock, it is already making these
tables, and the first process ends. Each part (kind of table) needs a second lock, which all
rulesets share. A machine therefore works on one part at a time, and a ruleset waits only for a
single part of another ruleset. Finished parts stay, so the next process can continue after an
interruption.

A small file shows the progress to other processes. They know from the lock whether a process is at
work, because the system releases the lock whenever the process ends. The file is removed at the
end, unless the work failed.
"""

import contextlib
import fcntl
import json
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from time import monotonic, sleep, time

from solver.dp.sweep import Progress
from solver.rules import Ruleset
from solver.tables import find_tables_dir
from solver.tables.parts import PARTS, is_made, list_parts, make_part

SELDOM = 0.25  # seconds between two updates of the progress file
PATIENCE = 20, 0.05  # attempts to get a lock, and seconds between two attempts


@dataclass(frozen=True, slots=True)
class Status:
    """The progress of a part: its finished share, and its start in seconds since the epoch."""

    part: str
    done: float
    began: float
    failed: str = ""
    told_at: float = 0.0

    @property
    def left(self) -> float | None:
        """The estimated seconds until the part is finished, or None if no estimate is possible."""
        spent = self.told_at - self.began
        return spent / self.done * (1 - self.done) if self.done > 0.02 and spent > 0 else None


def read_status(rules: Ruleset) -> Status | None:
    """Return the last progress; None if no process is at work and the last work did not fail."""
    try:
        return Status(**json.loads(find_notes_path(rules).read_text()))
    except (OSError, ValueError, TypeError):
        return None


def is_under_way(rules: Ruleset) -> bool:
    """Return whether a process has this ruleset's lock and is therefore making tables."""
    with contextlib.suppress(OSError), lock_path(rules).open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


class Notes:
    """The writer of the progress file, which other processes read. It ignores read-only folders."""

    def __init__(self, rules: Ruleset) -> None:
        self.path = find_notes_path(rules)
        self.part = ""
        self.began = 0.0
        self._next = 0.0
        self._share = 0.0

    def begin(self, part: str) -> None:
        if part != self.part:
            self.part, self.began = part, time()
            self._write_progress(0.0)

    def start_clock(self) -> None:
        """Restart the clock of a part that has no progress yet, so that waiting for a lock does not
        count."""
        if not self._share:
            self.began = time()

    def note_share(self, share: float) -> None:
        if monotonic() >= self._next:
            self._write_progress(share)

    def fail(self, reason: str) -> None:
        self._write_progress(0.0, reason)

    def end(self) -> None:
        with contextlib.suppress(OSError):
            self.path.unlink(missing_ok=True)

    def _write_progress(self, share: float, failed: str = "") -> None:
        self._next, self._share = monotonic() + SELDOM, share
        status = Status(self.part, share, self.began, failed, time())
        with contextlib.suppress(OSError):
            new = self.path.with_name(f"{self.path.name}.new")
            new.write_text(json.dumps(asdict(status)))
            os.replace(new, self.path)


@contextlib.contextmanager
def acquire_lock(path: Path, *, wait: bool) -> Iterator[bool]:
    """Take this lock and yield True, or yield False if another process has it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab") as file:
        taken, (looks, pause) = wait, PATIENCE
        if wait:
            fcntl.flock(file, fcntl.LOCK_EX)
        while not taken and looks:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                taken = True
            except BlockingIOError:
                sleep(pause)
                looks -= 1
        yield taken


def find_notes_path(rules: Ruleset) -> Path:
    return find_tables_dir() / f".{rules.id}.making"


def lock_path(rules: Ruleset) -> Path:
    return find_tables_dir() / f".{rules.id}.lock"


def find_machine_lock() -> Path:
    """Return the path of the lock by which the processes of a machine make one part at a time."""
    return find_tables_dir() / ".making.lock"


AFTER_YOU = 0.05  # seconds that another ruleset's process gets to take the lock


class Busy(Exception):
    """The error if another process is making the parts of this ruleset."""


class Failed(Exception):
    """The error if a part could not be made. The message names the part and the reason."""


def prepare(
    rules: Ruleset, parts: tuple[str, ...] = PARTS, progress: Progress | None = None
) -> list[str]:
    """Make the missing parts (kinds of tables), and return them. Raise Busy or Failed. ``progress``
    is called with the progress of each part. Other processes read the progress file instead."""
    with acquire_lock(lock_path(rules), wait=False) as mine:
        if not mine:
            raise Busy(f"another process is making the parts of {rules.id}")
        notes = Notes(rules)
        made = _make_missing(rules, parts, notes, progress)
        notes.end()
        return made


def _make_missing(
    rules: Ruleset, parts: tuple[str, ...], notes: Notes, progress: Progress | None
) -> list[str]:
    def report(done: int, total: int) -> None:
        notes.note_share(done / total)
        if progress:
            progress(round(1000 * (done / total)), 1000)

    made = []
    try:
        for part in parts:
            if part in list_parts(rules) and not is_made(rules, part):
                notes.begin(part)
                with acquire_lock(find_machine_lock(), wait=True):
                    notes.start_clock()
                    make_part(rules, part, report)
                sleep(AFTER_YOU)
                made.append(part)
    except (KeyboardInterrupt, SystemExit):
        notes.end()  # after Ctrl-C the next process may start at once
        raise
    except Exception as error:  # report every failure, even in the background
        cause = str(error) or type(error).__name__
        reason = f"{notes.part} of {rules.id} could not be made: {cause}"
        notes.fail(reason)
        raise Failed(reason) from error
    return made
