"""The file of a table.

    magic (8 bytes), format version, length and CRC-32 of the header (three uint32)
    header: JSON, padded with blanks so that what follows is aligned
    row checksums: a CRC-32 for every row of the table, uint32
    rows: the payload, little-endian

A file is opened without reading the payload. Each row is checked against its checksum when it is
first used, so opening costs nothing and damage can still never become a number. The header holds
the checksum of the row checksums, and with it that of everything.
"""

import contextlib
import json
import os
import struct
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
import numpy.typing as npt

from solver.rules.rulesets import Ruleset

MAGIC = b"YATZYTAB"
VERSION = 2
PREFIX = struct.Struct("<8sIII")
ALIGNMENT = 64


class TableError(Exception):
    """A table that cannot be used; the message says which file, and what to run."""


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


class Table:
    """A read-only table; ``rows`` gives checked rows, ``all`` the whole of it checked."""

    def __init__(self, path: Path, header: Header, checksums: Any, payload: Any) -> None:
        self.path = path
        self.header = header
        self._checksums = checksums
        self._payload = payload
        self._checked = np.zeros(len(payload), dtype=np.bool_)

    @property
    def value_start(self) -> float:
        return self.header.value_start

    @property
    def bytes(self) -> int:
        return self.path.stat().st_size

    def rows(self, numbers: npt.NDArray[np.int64]) -> npt.NDArray[Any]:
        """A copy of these rows."""
        if not self._checked[numbers].all():
            for number in numbers:
                self._check(int(number))
        return self._payload[numbers]  # type: ignore[no-any-return]

    def row(self, number: int) -> npt.NDArray[Any]:
        """This row of the map itself."""
        self._check(number)
        return self._payload[number]  # type: ignore[no-any-return]

    def all(self) -> npt.NDArray[Any]:
        """The memory-mapped table, every row of it checked."""
        for number in np.flatnonzero(~self._checked):
            self._check(int(number))
        return self._payload  # type: ignore[no-any-return]

    def _check(self, number: int) -> None:
        if self._checked[number]:
            return
        if crc32(self._payload[number]) != self._checksums[number]:
            raise _bad(self.path, self.header.ruleset, f"is damaged in row {number}")
        self._checked[number] = True


def write(
    path: Path, rules: Ruleset, kind: str, table: npt.NDArray[Any], *, value_start: float
) -> None:
    """Writes a temporary file, syncs it, and puts it in place: readers see all or nothing."""
    payload = np.ascontiguousarray(table, dtype=table.dtype.newbyteorder("<"))
    checksums = np.array([crc32(row) for row in payload], dtype="<u4")
    header = Header(
        kind=kind,
        ruleset=rules.id,
        ruleset_hash=rules.hash,
        dtype=payload.dtype.str,
        shape=payload.shape,
        value_start=value_start,
        checksum=crc32(checksums.tobytes()),
    )
    text = json.dumps(asdict(header)).encode()
    text += b" " * (-(PREFIX.size + len(text)) % ALIGNMENT)
    prefix = PREFIX.pack(MAGIC, VERSION, len(text), crc32(text))
    gap = b"\0" * (-checksums.nbytes % ALIGNMENT)
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "wb") as file:
            for part in (prefix, text, checksums.tobytes(), gap, payload.data):
                file.write(part)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)
        raise


def read(path: Path, rules: Ruleset, kind: str) -> Table:
    """Opens a table of this kind, solved under exactly these rules, or says what is wrong."""
    try:
        with path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            prefix = file.read(PREFIX.size)
            header, length = _header(path, rules, kind, prefix, file)
    except FileNotFoundError:
        raise MissingTable(
            f"there is no table {path}: run `python -m solver solve {rules.id}`"
        ) from None
    except OSError as error:
        raise BadTable(f"the table {path} cannot be read: {error.strerror}") from None
    return _map(path, rules, header, PREFIX.size + length, size)


def _header(path: Path, rules: Ruleset, kind: str, prefix: bytes, file: Any) -> tuple[Header, int]:
    if len(prefix) < PREFIX.size or not prefix.startswith(MAGIC):
        raise _bad(path, rules.id, "is not a table of values")
    _, version, length, checksum = PREFIX.unpack(prefix)
    if version != VERSION:
        raise _bad(path, rules.id, f"has format {version}, and this program reads {VERSION}")
    text = file.read(length)
    if len(text) != length or crc32(text) != checksum:
        raise _bad(path, rules.id, "has a damaged header")
    facts = json.loads(text)
    header = Header(**{**facts, "shape": tuple(facts["shape"])})
    if (header.ruleset, header.ruleset_hash) != (rules.id, rules.hash):
        raise _bad(path, rules.id, f"was solved under other rules ({header.ruleset})")
    if header.kind != kind:
        raise _bad(path, rules.id, f"holds {header.kind}, not {kind}")
    return header, length


def _map(path: Path, rules: Ruleset, header: Header, start: int, size: int) -> Table:
    rows = header.shape[0]
    dtype = np.dtype(header.dtype)
    payload_at = start + rows * 4 + -(rows * 4) % ALIGNMENT
    expected = payload_at + int(np.prod(header.shape)) * dtype.itemsize
    if size != expected:
        raise _bad(path, rules.id, f"has {size:,} bytes instead of {expected:,}")
    content = np.memmap(path, dtype=np.uint8, mode="r")
    checksums = content[start : start + rows * 4].view("<u4")
    if crc32(checksums.tobytes()) != header.checksum:
        raise _bad(path, rules.id, "has damaged checksums")
    payload = np.asarray(content[payload_at:]).view(dtype).reshape(header.shape)
    return Table(path, header, np.asarray(checksums), payload)


def _bad(path: Path, ruleset: str, fault: str) -> BadTable:
    return BadTable(
        f"the table {path} {fault}: run `python -m solver solve {ruleset} --force` to make it anew"
    )
