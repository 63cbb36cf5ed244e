"""The file format of a table, and the folder of the tables.

    magic (8 bytes), format version, length and CRC-32 of the header (three uint32)
    header: JSON, padded with spaces so that the checksums are aligned
    row checksums: a CRC-32 for every row of the table, uint32
    rows: the payload, little-endian

To open a file, the program does not read the payload, which makes opening fast. It checks each row
when it reads the row, so it never uses a damaged row. The header has a checksum of the row
checksums, and thereby protects the whole file.
"""

import contextlib
import json
import os
import struct
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import cache
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Any, NamedTuple
from weakref import finalize
from zlib import crc32

import numpy as np
import numpy.typing as npt

from solver import Refusal
from solver.rules.rulesets import Ruleset

VALUES = "values"  # [row, column]: V, float64; large rulesets use ``packed``
EXPLAIN = "explain"  # [row, column, box]: expected points per box and, last, of the bonus, uint16
OUTLOOK = "outlook"  # [row, column, 2]: bonus chance, mean square of the remaining points, float32
VAR = Path(__file__).resolve().parents[2] / "var"
MAGIC = b"YATZYTAB"
VERSION = 2
PREFIX = struct.Struct("<8sIII")
ALIGNMENT = 64
AT_ONCE = 256  # rows per read; ``Table.rows`` would copy all rows of a larger request at once
KEPT = 2048  # number of cached rows, because games need the same rows again and again

Content = bytes  # another name for bytes, because Table has a property ``bytes``


class TableError(Refusal):
    """The error for an unusable table. The message names the file and the command to make it."""

    path: Path | None = None
    ruleset = ""


class MissingTable(TableError):
    pass


class BadTable(TableError):
    pass


@dataclass(frozen=True)
class Header:
    kind: str
    ruleset: str
    ruleset_hash: str
    dtype: str
    shape: tuple[int, ...]
    value_start: float
    checksum: int
    unit: float = 0.0  # unit of stored whole numbers; 0 if the values are stored as floats


class Opened(NamedTuple):
    """An open file whose header and checksums are valid."""

    path: Path
    header: Header
    file: int
    checksums: Any
    start: int  # the offset of the payload


class Table:
    """A read-only table, which checks each row that it reads. The file is mapped into memory.
    Reading beyond the end of a truncated file would kill the process, so the table first checks the
    size."""

    def __init__(self, opened: Opened) -> None:
        self.path, self.header, self._file, self._checksums, self._start = opened
        header, start, file = self.header, self._start, self._file
        self._dtype = np.dtype(header.dtype)
        self._shape = header.shape[1:]
        self._row_bytes = int(np.prod(self._shape)) * self._dtype.itemsize
        self._size = start + header.shape[0] * self._row_bytes
        self._map = mmap(file, self._size, access=ACCESS_READ)
        self._kept: dict[int, Content] = {}
        finalize(self, os.close, file)

    @property
    def value_start(self) -> float:
        return self.header.value_start

    @property
    def precision(self) -> float:
        """The largest possible difference between a stored value and the calculated value."""
        return self.header.unit / 2

    @property
    def bytes(self) -> int:
        return self.path.stat().st_size

    def rows(self, numbers: npt.NDArray[np.int64]) -> npt.NDArray[Any]:
        if len(numbers) <= AT_ONCE:
            content = b"".join(map(self._read_row, numbers.tolist()))
            return np.frombuffer(content, self._dtype).reshape(len(numbers), *self._shape)
        # Copy all rows in one step, because they are more than the cache can hold.
        self._check_size()
        mapped = np.frombuffer(self._map, self._dtype, offset=self._start)
        rows = mapped.reshape(-1, *self._shape)[numbers]
        copied, size = rows.data.cast("B"), self._row_bytes
        wanted = self._checksums[numbers].tolist()
        for at, (number, checksum) in enumerate(zip(numbers.tolist(), wanted, strict=True)):
            if crc32(copied[at * size : at * size + size]) != checksum:
                reason = f"is damaged in row {number}"
                raise make_bad_table(self.path, self.header.ruleset, reason)
        return rows

    def read_row(self, number: int) -> npt.NDArray[Any]:
        return np.frombuffer(self._read_row(number), self._dtype).reshape(self._shape)

    def _read_row(self, number: int) -> Content:
        content = self._kept.get(number)
        if content is None:
            content = self._read(number, 1)
            self._check(number, content)
            if len(self._kept) >= KEPT:
                self._kept.clear()
            self._kept[number] = content
        return content

    def read_all(self) -> npt.NDArray[Any]:
        """Return the whole table in memory, after checking every row."""
        whole = np.empty(self.header.shape, dtype=self._dtype)
        for first, part in self._read_parts():
            whole[first : first + len(part)] = part
        whole.flags.writeable = False
        return whole

    def check(self) -> None:
        for _ in self._read_parts():
            pass

    def _read_parts(self) -> Iterator[tuple[int, npt.NDArray[Any]]]:
        """Yield the table in parts of up to ``AT_ONCE`` rows, with the number of the first row.
        Check every row."""
        rows = self.header.shape[0]
        for first in range(0, rows, AT_ONCE):
            count = min(AT_ONCE, rows - first)
            content = np.frombuffer(self._read(first, count), self._dtype)
            part = content.reshape(count, *self._shape)
            for number, row in enumerate(part, start=first):
                self._check(number, row)
            yield first, part

    def _check(self, number: int, row: Any) -> None:
        if crc32(row) != self._checksums[number]:
            raise make_bad_table(self.path, self.header.ruleset, f"is damaged in row {number}")

    def _check_size(self) -> None:
        if os.fstat(self._file).st_size < self._size:
            raise make_bad_table(self.path, self.header.ruleset, "was cut short")

    def _read(self, row: int, count: int) -> Content:
        """Return the bytes of ``count`` rows, starting with this row."""
        self._check_size()
        at = self._start + row * self._row_bytes
        return self._map[at : at + count * self._row_bytes]


def find_tables_dir() -> Path:
    """Return $YATZY_TABLES, or ``tables`` in $YATZY_VAR (default: ``var`` in the checkout)."""
    return _choose_folder(os.environ.get("YATZY_TABLES"), os.environ.get("YATZY_VAR") or VAR)


def find_table_path(rules: Ruleset, kind: str = VALUES, folder: Path | None = None) -> Path:
    return _join_path(folder or find_tables_dir(), f"{rules.id}.{kind}")


@cache  # cached, because every move needs these tables and their paths
def _choose_folder(tables: str | None, var: str | Path) -> Path:
    return Path(tables) if tables else Path(var) / "tables"


@cache
def _join_path(folder: Path, name: str) -> Path:
    return folder / name


def write(
    path: Path, rules: Ruleset, kind: str, table: npt.NDArray[Any], *, value_start: float
) -> None:
    payload = np.ascontiguousarray(table, dtype=table.dtype.newbyteorder("<"))
    checksums = np.array([crc32(row) for row in payload], dtype="<u4")
    dtype, shape = payload.dtype.str, payload.shape
    header = Header(kind, rules.id, rules.hash, dtype, shape, value_start, crc32(checksums.data))
    write_whole(path, format_front(header, checksums), payload.data)


def format_front(header: Header, checksums: npt.NDArray[np.uint32], room: int = 0) -> bytes:
    """Return all bytes before the rows. The header's text gets at least ``room`` bytes."""
    text = json.dumps(asdict(header)).encode().ljust(room)
    text += b" " * (-(PREFIX.size + len(text)) % ALIGNMENT)
    prefix = PREFIX.pack(MAGIC, VERSION, len(text), crc32(text))
    gap = b"\0" * (-checksums.nbytes % ALIGNMENT)
    return prefix + text + checksums.tobytes() + gap


def write_whole(path: Path, *content: str | bytes | memoryview) -> None:
    """Write a temporary file, sync it, and move it to ``path`` in one step."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "wb") as file:
            for part in content:
                file.write(part.encode() if isinstance(part, str) else part)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def read(path: Path, rules: Ruleset, kind: str) -> Table:
    return Table(open_file(path, rules, kind))


def open_file(path: Path, rules: Ruleset, kind: str, rows: int = 0) -> Opened:
    """Open a table of this kind that was made for exactly these rules. Otherwise raise an error
    that names the fault.

    ``rows`` is the number of checksums (default: the first number of the header's ``shape``).
    """
    try:
        with path.open("rb") as file:
            prefix = file.read(PREFIX.size)
            header, length = _read_header(path, rules, kind, prefix, file)
            start, rows = PREFIX.size + length, rows or header.shape[0]
            payload_at = start + rows * 4 + -(rows * 4) % ALIGNMENT
            row_bytes = np.dtype(header.dtype).itemsize
            expected = payload_at + int(np.prod(header.shape)) * row_bytes
            size = os.fstat(file.fileno()).st_size
            if size != expected:
                raise make_bad_table(path, rules.id, f"has {size:,} bytes instead of {expected:,}")
            checksums = os.pread(file.fileno(), rows * 4, start)
            if crc32(checksums) != header.checksum:
                raise make_bad_table(path, rules.id, "has damaged checksums")
            kept = os.dup(file.fileno())  # the table stays open after this function
            return Opened(path, header, kept, np.frombuffer(checksums, "<u4"), payload_at)
    except FileNotFoundError:
        raise MissingTable(
            f"there is no table {path}: run `./yatzy solver solve {rules.id}`"
        ) from None
    except OSError as error:
        raise BadTable(f"the table {path} cannot be read: {error.strerror}") from None


def _read_header(
    path: Path, rules: Ruleset, kind: str, prefix: bytes, file: Any
) -> tuple[Header, int]:
    """Return the header and the length of its text. Raise BadTable if the file does not fit."""
    if len(prefix) < PREFIX.size or not prefix.startswith(MAGIC):
        raise make_bad_table(path, rules.id, "is not a table of values")
    _, version, length, checksum = PREFIX.unpack(prefix)
    if version != VERSION:
        raise make_bad_table(
            path, rules.id, f"has format {version}, and this program reads {VERSION}"
        )
    text = file.read(length)
    if len(text) != length or crc32(text) != checksum:
        raise make_bad_table(path, rules.id, "has a damaged header")
    facts = json.loads(text)
    try:
        header = Header(**{**facts, "shape": tuple(facts["shape"])})
    except (TypeError, KeyError):
        raise make_bad_table(path, rules.id, "is of another version of this program") from None
    if (header.ruleset, header.ruleset_hash) != (rules.id, rules.hash):
        raise make_bad_table(path, rules.id, f"was solved under other rules ({header.ruleset})")
    if header.kind != kind:
        raise make_bad_table(path, rules.id, f"holds {header.kind}, not {kind}")
    return header, length


def make_bad_table(path: Path, ruleset: str, fault: str) -> BadTable:
    error = BadTable(
        f"the table {path} {fault}: run `./yatzy solver solve {ruleset} --force` to make it anew"
    )
    error.path, error.ruleset = path, ruleset
    return error
