"""A large table while it is worked out: whoever is killed in the middle loses one level at most.

Beside the table lie, hidden, its rows so far and the last level that was finished, as numbers with
all their digits. What does not fit together, as after a power cut, is begun anew.
"""

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic
from typing import IO, Any
from zlib import crc32

import numpy as np
import numpy.typing as npt

from solver.dp.levels import SolvedLevels

SELDOM = 1.0  # seconds between two levels that are kept: less than that is soon done again
AT_ONCE = 1 << 24  # bytes that are read back together


class Unfinished:
    """``rows`` is the file of a table from ``start`` on; what it says of itself comes last."""

    def __init__(self, path: Path, rows: IO[bytes], of: str, start: int) -> None:
        self.path, self.rows, self.of, self.start = path, rows, of, start
        self._checksum = 0
        self._next = monotonic() + SELDOM

    def add(self, content: memoryview) -> None:
        self.rows.write(content)
        self._checksum = crc32(content, self._checksum)

    def read(self, length: int, many: int) -> npt.NDArray[np.uint8]:
        """The next rows of those that are kept, each so long."""
        return np.frombuffer(self.rows.read(length * many), np.uint8).reshape(many, length)

    def keep(self, finished: SolvedLevels) -> None:
        """The rows first: of a level that is kept all of them are there."""
        if monotonic() < self._next:
            return
        self.rows.flush()
        values = finished.values
        facts = [self.of, self.start, self.rows.tell(), self._checksum]
        told = json.dumps([*facts, finished.levels, crc32(values.data)]).encode()
        new = _hidden(self.path, "level.new")
        with new.open("wb") as file:
            file.write(told + b"\n")
            file.write(values.data)
        os.replace(new, _hidden(self.path, "level"))
        self._next = monotonic() + SELDOM

    def kept(self) -> SolvedLevels | None:
        """What is there already; the rows are read, or written, from their beginning on."""
        found = None
        with suppress(OSError, ValueError):
            found = self._found(_hidden(self.path, "level"))
        if found is None:
            self._checksum = 0
            self.rows.truncate(self.start)
        self.rows.seek(self.start)
        return found

    def _found(self, level: Path) -> SolvedLevels | None:
        """Mapped, since it is copied once and may be of the size of half of all memory."""
        with level.open("rb") as file:
            told = file.readline()
        values = np.memmap(level, np.float64, "r", offset=len(told))
        of, start, end, checksum, levels, of_level = json.loads(told)
        if (of, start, of_level) != (self.of, self.start, crc32(values.data)):
            return None
        self.rows.seek(start)
        for at in range(start, end, AT_ONCE):
            self._checksum = crc32(self.rows.read(min(AT_ONCE, end - at)), self._checksum)
        return SolvedLevels(levels, values) if self._checksum == checksum else None

    def finish(self, front: bytes) -> None:
        self.rows.seek(0)
        self.rows.write(front)
        self.rows.flush()
        os.fsync(self.rows.fileno())
        os.fchmod(self.rows.fileno(), 0o644)
        os.replace(_hidden(self.path, "part"), self.path)
        _hidden(self.path, "level").unlink(missing_ok=True)


@contextmanager
def unfinished(path: Path, of: str, start: int) -> Iterator[Unfinished]:
    """Of a ruleset with this hash. Whoever else is at it is waited for."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with _locked(_hidden(path, "part")) as rows:
        yield Unfinished(path, rows, of, start)


def _locked(path: Path) -> IO[Any]:
    while True:
        file = os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), "r+b")
        fcntl.flock(file, fcntl.LOCK_EX)
        with suppress(OSError):
            if os.path.samestat(os.fstat(file.fileno()), path.stat()):
                return file
        file.close()  # meanwhile it became the table


def _hidden(path: Path, ending: str) -> Path:
    return path.with_name(f".{path.name}.{ending}")
