"""Makes what is missing, piece after piece, never twice at once.

A process takes the lock of its ruleset, or leaves: somebody is at it. Every piece is made under
one more lock that all rulesets share, so that a machine works on one piece at a time, and a
ruleset that is wanted later waits for a piece of another, not for all of them. What is made stays,
so anyone who comes after an interruption goes on where it happened.

What the process is at stands in a small file that others read. Whether there is such a process the
lock says, which the system takes away when a process ends, however it ends; the file is removed at
the end, unless the end was a failure.
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
from solver.tables import tables_dir
from solver.tables.parts import PARTS, Piece, pieces

SELDOM = 0.25  # seconds between two notes of the same piece
PATIENCE = 20, 0.05  # looks at a lock that a reader may be probing, and seconds between them


@dataclass(frozen=True, slots=True)
class Status:
    """``done`` is the share of the part, ``began`` when it was begun, in seconds of the epoch."""

    part: str
    done: float
    began: float
    failed: str = ""
    told_at: float = 0.0

    @property
    def left(self) -> float | None:
        """Seconds that the part will take, as far as that can be told."""
        spent = self.told_at - self.began
        return spent / self.done * (1 - self.done) if self.done > 0.02 and spent > 0 else None


def status(rules: Ruleset) -> Status | None:
    """Return the last note; None if nothing is running and nothing failed."""
    try:
        return Status(**json.loads(path_of(rules).read_text()))
    except (OSError, ValueError, TypeError):
        return None


def under_way(rules: Ruleset) -> bool:
    """Return whether a process holds the lock of this ruleset."""
    return held(lock_path(rules))


def held(path: Path) -> bool:
    with contextlib.suppress(OSError), path.open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


class Notes:
    """Writes the file; a folder that cannot be written costs the notes, never the work."""

    def __init__(self, rules: Ruleset) -> None:
        self.path = path_of(rules)
        self.part = ""
        self.began = 0.0
        self._next = 0.0
        self._share = 0.0

    def begin(self, part: str) -> None:
        if part != self.part:
            self.part, self.began = part, time()
            self._write(0.0)

    def go(self) -> None:
        """Start the clock: waiting for another ruleset's piece is not counted."""
        if not self._share:
            self.began = time()

    def done(self, share: float) -> None:
        if monotonic() >= self._next:
            self._write(share)

    def fail(self, reason: str) -> None:
        self._write(0.0, reason)

    def end(self) -> None:
        with contextlib.suppress(OSError):
            self.path.unlink(missing_ok=True)

    def _write(self, share: float, failed: str = "") -> None:
        self._next, self._share = monotonic() + SELDOM, share
        status = Status(self.part, share, self.began, failed, time())
        with contextlib.suppress(OSError):
            new = self.path.with_name(f"{self.path.name}.new")
            new.write_text(json.dumps(asdict(status)))
            os.replace(new, self.path)


@contextlib.contextmanager
def only_one(path: Path, *, wait: bool) -> Iterator[bool]:
    """Hold this lock; False where somebody else has it and is not waited for."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab") as file:
        yield _locked(file.fileno(), wait=wait)


def _locked(descriptor: int, *, wait: bool) -> bool:
    if wait:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        return True
    looks, pause = PATIENCE
    for _ in range(looks):
        with contextlib.suppress(BlockingIOError):
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        sleep(pause)
    return False


def path_of(rules: Ruleset) -> Path:
    return tables_dir() / f".{rules.id}.making"


def lock_path(rules: Ruleset) -> Path:
    return tables_dir() / f".{rules.id}.lock"


def machine_lock() -> Path:
    """Held for every single piece, so that a machine works on one at a time."""
    return tables_dir() / ".making.lock"


AFTER_YOU = 0.05  # seconds in which another ruleset's process can take the machine's lock


class Busy(Exception):
    """Another process makes the parts of this ruleset."""


class Failed(Exception):
    """A part could not be made; the message says which, and why."""


def prepare(
    rules: Ruleset, parts: tuple[str, ...] = PARTS, progress: Progress | None = None
) -> list[Piece]:
    """Make what is missing of these parts, and says what that was.

    ``progress`` hears of each part by itself, beside the notes for other processes.
    """
    with only_one(lock_path(rules), wait=False) as mine:
        if not mine:
            raise Busy(f"another process is making the parts of {rules.id}")
        notes = Notes(rules)
        made = _made(rules, parts, notes, progress)
        notes.end()
        return made


def _made(
    rules: Ruleset, parts: tuple[str, ...], notes: Notes, progress: Progress | None
) -> list[Piece]:
    made = []
    try:
        for part in parts:
            of_part = list(pieces(rules, (part,)))
            for at, piece in enumerate(of_part):
                if not piece.there():
                    notes.begin(part)
                    _make(piece, notes, _report(notes, progress, at, len(of_part)))
                    made.append(piece)
    except (KeyboardInterrupt, SystemExit):
        notes.end()  # anyone who stops it may start it again at once
        raise
    except Exception as error:  # nobody watches this process: whatever it is has to be noted
        reason = f"{notes.part} of {rules.id} could not be made: {_words(error)}"
        notes.fail(reason)
        raise Failed(reason) from error
    return made


def _make(piece: Piece, notes: Notes, report: Progress) -> None:
    with only_one(machine_lock(), wait=True):
        notes.go()
        piece.make(report)
    sleep(AFTER_YOU)


def _report(notes: Notes, progress: Progress | None, at: int, number: int) -> Progress:
    """Return the progress of one piece as that of its part."""

    def report(done: int, total: int) -> None:
        share = (at + done / total) / number
        notes.done(share)
        if progress:
            progress(round(1000 * share), 1000)

    return report


def _words(error: BaseException) -> str:
    return str(error) or type(error).__name__
