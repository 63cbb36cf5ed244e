"""Values of large rulesets: the rows of ``dp.packing``, stored in the format of ``Coding``.

The file has the format of ``tables.file``, except for the payload, in which rows have different
lengths and are in the order of the packing. The checksums are in the order of the row numbers. The
header has V(start) as calculated, and the unit of values. The largest rounding error is half a
unit.

If the process that makes a large table is killed, at most one level is lost. Hidden files next to
the table store the finished rows, and the last finished level in full precision. Files that
contradict each other, for example after a power cut, are discarded.
"""

import fcntl
import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import islice
from math import log2
from pathlib import Path
from time import monotonic
from typing import IO, Any, Protocol
from zlib import crc32

import numpy as np
import numpy.typing as npt

from solver.dp.arrays import Floats
from solver.dp.levels import SolvedLevels, Write
from solver.dp.outcomes import bound_score
from solver.dp.packing import Packing, RowGroup, build_packing, is_large
from solver.rules.rulesets import Ruleset
from solver.tables.file import (
    AT_ONCE,
    VALUES,
    Header,
    Opened,
    Table,
    find_table_path,
    format_front,
    make_bad_table,
    open_file,
    read,
)

MOST_FINELY = 1_600_000_000  # bytes; values of a larger table are not stored with 32 bits each
Stored = npt.NDArray[np.uint8]  # a stored row's bytes, as [row, byte]
SELDOM = 1.0  # minimum seconds between two stored levels
BYTES_AT_ONCE = 1 << 24  # number of bytes that are read back at a time


class Coding(Protocol):
    """The storage format of rows. ``unit`` is twice the largest possible rounding error."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the stored numbers; the header's ``shape`` counts these numbers."""

    def find_size(self, stocks: int, columns: int) -> int:
        """Return the number of bytes of a row."""

    def encode_rows(self, values: Floats) -> Stored:
        """Return an array [row, byte]: the bytes that store the row values[row, stock, column]."""

    def unit(self, rows: Stored) -> float: ...

    def decode_plane(self, row: bytes, stocks: int, columns: int, saved: int) -> Floats:
        """Return an array [column]: the stored row's values for this number of saved rolls."""


class Whole:
    """A coding in which every value is a whole multiple of a unit, in 32 bits."""

    dtype: np.dtype[Any] = np.dtype("<u4")

    def __init__(self, rules: Ruleset) -> None:
        """Choose the smallest unit in which the highest score fits into 32 bits."""
        self.step = 2.0 ** (int(log2(bound_score(rules))) + 1 - 8 * self.dtype.itemsize)

    def find_size(self, stocks: int, columns: int) -> int:
        return stocks * columns * self.dtype.itemsize

    def encode_rows(self, values: Floats) -> Stored:
        whole = np.rint(values * (1 / self.step)).astype(self.dtype)
        return whole.reshape(len(values), -1).view(np.uint8)

    def unit(self, rows: Stored) -> float:
        return self.step

    def decode_plane(self, row: bytes, stocks: int, columns: int, saved: int) -> Floats:
        first = saved * columns * self.dtype.itemsize
        values: Floats = np.frombuffer(row, self.dtype, columns, first) * self.step
        return values


class Between:
    """A coding for large tables. Every second number of saved rolls (an anchor) has values of 16
    bits. The other values are stored in 8 bits, as differences from the mean of two anchors."""

    dtype: np.dtype[Any] = np.dtype("u1")
    HEAD, ANCHOR, BETWEEN = np.dtype("<f4"), np.dtype("<u2"), np.dtype("i1")
    ROOM = 3 * HEAD.itemsize
    LEAST = 2.0**-20  # the unit of a row whose values are all equal
    LATE = 31  # the number of stocks if 14 of 20 boxes are filled

    def _list_anchors(self, stocks: int) -> list[int]:
        """Return the stocks (numbers of saved rolls) whose values are stored with 16 bits."""
        return [*range(0, stocks - 1, 2 if stocks < self.LATE else 1), stocks - 1]

    def find_size(self, stocks: int, columns: int) -> int:
        anchors = len(self._list_anchors(stocks))
        return self.ROOM + columns * (anchors * self.ANCHOR.itemsize + stocks - anchors)

    def encode_rows(self, values: Floats) -> Stored:
        rows, stocks = values.shape[:2]
        low = np.nextafter(values.min(axis=(1, 2)).astype(self.HEAD), np.float32(-np.inf))
        high = values.max(axis=(1, 2))
        unit = (high - low) / np.iinfo(self.ANCHOR).max
        unit = np.maximum(unit, self.LEAST).astype(self.HEAD)
        places = self._list_anchors(stocks)
        base, step = (bounds.astype(np.float64)[:, None, None] for bounds in (low, unit))
        anchors = np.rint((values[:, places] - base) / step).astype(self.ANCHOR)
        kept = anchors * step + base
        away = np.delete(values, places, axis=1)
        away = away - (kept[:, :-1] + kept[:, 1:])[:, : away.shape[1]] / 2
        fine = np.abs(away).max(axis=(1, 2), initial=0) / np.iinfo(self.BETWEEN).max
        fine = np.maximum(fine, self.LEAST).astype(self.HEAD)
        between = np.rint(away / fine.astype(np.float64)[:, None, None]).astype(self.BETWEEN)
        parts = (np.stack((low, unit, fine), axis=1), anchors, between)
        flat = (np.ascontiguousarray(part).reshape(rows, -1) for part in parts)
        return np.hstack([part.view(np.uint8) for part in flat])

    def unit(self, rows: Stored) -> float:
        heads = np.ascontiguousarray(rows[:, : self.ROOM]).view(self.HEAD)
        return float(heads[:, 1:].max(initial=0))

    def decode_plane(self, row: bytes, stocks: int, columns: int, saved: int) -> Floats:
        low, unit, fine = np.frombuffer(row, self.HEAD, 3).tolist()
        anchors, size = self._list_anchors(stocks), columns * self.ANCHOR.itemsize

        def decode_anchor(at: int) -> Floats:
            anchors = np.frombuffer(row, self.ANCHOR, columns, self.ROOM + at * size)
            values: Floats = anchors * unit + low
            return values

        if saved in anchors:
            return decode_anchor(anchors.index(saved))
        between = self.ROOM + len(anchors) * size + saved // 2 * columns
        away: Floats = np.frombuffer(row, self.BETWEEN, columns, between) * fine
        return (decode_anchor(saved // 2) + decode_anchor(saved // 2 + 1)) / 2 + away


def choose_coding(rules: Ruleset, values: int) -> Coding:
    return Whole(rules) if values * Whole.dtype.itemsize <= MOST_FINELY else Between()


class Unfinished:
    """A table that has no header yet. Its rows begin at ``start`` of the file ``rows``."""

    def __init__(self, path: Path, rows: IO[bytes], identity: str, start: int) -> None:
        self.path, self.rows, self.identity, self.start = path, rows, identity, start
        self._checksum = 0
        self._next = monotonic() + SELDOM

    def add(self, content: memoryview) -> None:
        self.rows.write(content)
        self._checksum = crc32(content, self._checksum)

    def read(self, length: int, count: int) -> npt.NDArray[np.uint8]:
        """Return the next ``count`` rows of this length in bytes, as [row, byte]."""
        return np.frombuffer(self.rows.read(length * count), np.uint8).reshape(count, length)

    def keep(self, finished: SolvedLevels) -> None:
        """Store a finished level, whose rows are already stored. Do this at most once every
        ``SELDOM`` seconds."""
        if monotonic() < self._next:
            return
        self.rows.flush()
        values = finished.values
        facts = [self.identity, self.start, self.rows.tell(), self._checksum]
        line = json.dumps([*facts, finished.levels, crc32(values.data)]).encode()
        new = _make_hidden_path(self.path, "level.new")
        with new.open("wb") as file:
            file.write(line + b"\n")
            file.write(values.data)
        os.replace(new, _make_hidden_path(self.path, "level"))
        self._next = monotonic() + SELDOM

    def read_kept(self) -> SolvedLevels | None:
        """Return the levels that an interrupted run stored. If there are none, delete the stored
        rows and return None. Set the file to the first row."""
        levels = None
        with suppress(OSError, ValueError):
            level = _make_hidden_path(self.path, "level")
            with level.open("rb") as file:
                line = file.readline()
            # The file is mapped into memory, because it may need half of all memory.
            values = np.memmap(level, np.float64, "r", offset=len(line))
            identity, start, end, checksum, number, level_checksum = json.loads(line)
            if (identity, start, level_checksum) == (self.identity, self.start, crc32(values.data)):
                self.rows.seek(start)
                for at in range(start, end, BYTES_AT_ONCE):
                    content = self.rows.read(min(BYTES_AT_ONCE, end - at))
                    self._checksum = crc32(content, self._checksum)
                if self._checksum == checksum:
                    levels = SolvedLevels(number, values)
        if levels is None:
            self._checksum = 0
            self.rows.truncate(self.start)
        self.rows.seek(self.start)
        return levels

    def finish(self, front: bytes) -> None:
        self.rows.seek(0)
        self.rows.write(front)
        self.rows.flush()
        os.fsync(self.rows.fileno())
        os.fchmod(self.rows.fileno(), 0o644)
        os.replace(_make_hidden_path(self.path, "part"), self.path)
        _make_hidden_path(self.path, "level").unlink(missing_ok=True)


@contextmanager
def open_unfinished(path: Path, identity: str, start: int) -> Iterator[Unfinished]:
    """Open the unfinished table with this identity. Wait while another process writes it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = _make_hidden_path(path, "part")
    while True:
        rows = os.fdopen(os.open(part, os.O_RDWR | os.O_CREAT, 0o600), "r+b")
        fcntl.flock(rows, fcntl.LOCK_EX)
        with suppress(OSError):
            if os.path.samestat(os.fstat(rows.fileno()), part.stat()):
                break
        rows.close()  # another process has finished the table
    with rows:
        yield Unfinished(path, rows, identity, start)


def _make_hidden_path(path: Path, ending: str) -> Path:
    return path.with_name(f".{path.name}.{ending}")


HEADER_ROOM = 512  # bytes


class PackedTable(Table):
    """A ``Table`` that finds, checks and unpacks packed rows."""

    def __init__(self, opened: Opened, packing: Packing, coding: Coding) -> None:
        super().__init__(opened)
        self._packing, self._coding = packing, coding
        if self._dtype != coding.dtype:
            raise make_bad_table(
                self.path, self.header.ruleset, "has the format of an older program"
            )
        self._places = packing.find_places(coding.find_size)

    def rows(self, numbers: npt.NDArray[np.int64]) -> Floats:
        return np.array([self.read_row(number) for number in numbers.tolist()])

    def read_row(self, number: int) -> Floats:
        packing = self._packing
        row, saved = packing.space.split_row(number)
        if self._places[row] < 0:
            return np.full(packing.space.columns, np.nan)
        shape = packing.find_shape(row)
        values = self._coding.decode_plane(self._read_row(row), *shape, saved)
        values_of_row: Floats = np.append(values, np.nan)[
            packing.places[packing.space.upper_card[row]]
        ]
        return values_of_row

    def read_all(self) -> Floats:
        """Return an array [row, column]: the values without saved rolls."""
        space = self._packing.space
        whole = np.empty((space.rows, space.columns))
        for number in range(space.rows):
            whole[number] = self.read_row(number)
        whole.flags.writeable = False
        return whole

    def check(self) -> None:
        for group in self._packing.list_groups():
            for first in range(0, len(group.rows), AT_ONCE):
                rows = group.rows[first : first + AT_ONCE]
                size = self._coding.find_size(*group.shape)
                content = self._read_content(int(rows[0]), len(rows) * size)
                for at, row in enumerate(rows.tolist()):
                    self._check(row, content[at * size : at * size + size])

    def _read(self, row: int, count: int) -> bytes:
        """Return the bytes of a single row, because rows are not stored in the order of numbers."""
        return self._read_content(row, self._coding.find_size(*self._packing.find_shape(row)))

    def _read_content(self, row: int, size: int) -> bytes:
        self._check_size()
        at = self._start + int(self._places[row])
        return self._map[at : at + size]


def open_packed(path: Path, rules: Ruleset) -> PackedTable:
    packing = build_packing(rules)
    opened = open_file(path, rules, VALUES, packing.space.rows)
    return PackedTable(opened, packing, choose_coding(rules, packing.values))


def open_table(rules: Ruleset, kind: str = VALUES, path: Path | None = None) -> Table:
    path = path or find_table_path(rules, kind)
    if kind == VALUES and is_large(rules):
        return open_packed(path, rules)
    return read(path, rules, kind)


class Solve(Protocol):
    """A solver. It returns V(start), a new game's value, and passes row groups to ``write``."""

    def __call__(
        self, write: Write, *, before: SolvedLevels | None, keep: Callable[[SolvedLevels], None]
    ) -> float: ...


def write_packed(path: Path, rules: Ruleset, solve: Solve) -> None:
    """Solve a ruleset and write its table. Continue an interrupted run if there is one."""
    packing = build_packing(rules)
    coding = choose_coding(rules, packing.values)
    checksums, unit = np.zeros(packing.space.rows, dtype="<u4"), 0.0
    size = sum(coding.find_size(*group.shape) * len(group.rows) for group in packing.list_groups())

    def format_start(value: float) -> bytes:
        digest, shape = crc32(checksums.data), (size // coding.dtype.itemsize,)
        header = VALUES, rules.id, rules.hash, coding.dtype.str, shape, value, digest, unit
        return format_front(Header(*header), checksums, HEADER_ROOM)

    def note_rows(group: RowGroup, stored: Stored) -> None:
        nonlocal unit
        checksums[group.rows] = [crc32(row) for row in stored]
        unit = max(unit, coding.unit(stored))

    identity = f"{rules.hash}{coding.dtype.str}-blocks"  # the order of the values in a stored level
    with open_unfinished(path, identity, len(format_start(0.0))) as work:

        def write(group: RowGroup, values: Floats) -> None:
            stored = coding.encode_rows(values.reshape(len(values), *group.shape))
            note_rows(group, stored)
            work.add(stored.data)

        before = work.read_kept()
        for groups in islice(packing.list_levels(), before.levels if before else 0):
            for group in groups:
                note_rows(group, work.read(coding.find_size(*group.shape), len(group.rows)))
        value_start = solve(write, before=before, keep=work.keep)
        work.finish(format_start(value_start))
