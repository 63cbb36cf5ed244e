"""Values of large rulesets: what ``dp.packing`` keeps, as ``tables.coding`` writes it.

The file is that of ``tables.file`` but for its payload: the rows are of different lengths, in the
order of the packing. A checksum stands where the number of its row says. The header has the unit,
of which the values are half wrong at most, and V(start) as it was worked out.
"""

from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Protocol
from zlib import crc32

import numpy as np
import numpy.typing as npt

from solver.dp.arrays import Floats
from solver.dp.levels import SolvedLevels
from solver.dp.packing import Packing, RowGroup, packing_of
from solver.rules.rulesets import Ruleset
from solver.tables.coding import Coding, Stored, coding_of
from solver.tables.file import AT_ONCE, Header, Opened, Table, bad_table, front, open_file
from solver.tables.unfinished import unfinished

VALUES = "values"
HEADER_ROOM = 512

Write = Callable[[RowGroup, Floats], None]


class PackedTable(Table):
    """Asked as any ``Table``; rows are found, checked, and filled up to all their columns."""

    def __init__(self, opened: Opened, packing: Packing, coding: Coding) -> None:
        super().__init__(opened)
        self._packing, self._coding = packing, coding
        if self._dtype != coding.dtype:
            raise bad_table(self.path, self.header.ruleset, "is kept as an older program did")
        self._places = packing.places_of(coding.size)

    def rows(self, numbers: npt.NDArray[np.int64]) -> Floats:
        return np.array([self.row(number) for number in numbers.tolist()])

    def row(self, number: int) -> Floats:
        packing = self._packing
        row, saved = packing.space.of_row(number)
        if self._places[row] < 0:
            return np.full(packing.space.columns, np.nan)
        shape = packing.shape(row)
        values = self._coding.plane(self._row(row), *shape, saved)
        found: Floats = np.append(values, np.nan)[packing.places[packing.space.upper_card[row]]]
        return found

    def all(self) -> Floats:
        """[row, column], without throws that are saved."""
        space = self._packing.space
        whole = np.empty((space.rows, space.columns))
        for number in range(space.rows):
            whole[number] = self.row(number)
        whole.flags.writeable = False
        return whole

    def check(self) -> None:
        for group in self._packing.groups():
            for first in range(0, len(group.rows), AT_ONCE):
                rows = group.rows[first : first + AT_ONCE]
                size = self._coding.size(*group.shape)
                content = self._content(int(rows[0]), len(rows) * size)
                for at, row in enumerate(rows.tolist()):
                    self._check(row, content[at * size : at * size + size])

    def _read(self, row: int, many: int) -> bytes:
        """One at a time: what follows a row is not the row of the next number."""
        return self._content(row, self._coding.size(*self._packing.shape(row)))

    def _content(self, row: int, size: int) -> bytes:
        self._check_size()
        at = self._start + int(self._places[row])
        return self._map[at : at + size]


def open_packed(path: Path, rules: Ruleset) -> PackedTable:
    packing = packing_of(rules)
    opened = open_file(path, rules, VALUES, packing.space.rows)
    return PackedTable(opened, packing, coding_of(rules, packing.values))


class Solve(Protocol):
    """Hands over the groups in their order, and says what V(start) is."""

    def __call__(
        self, write: Write, *, before: SolvedLevels | None, keep: Callable[[SolvedLevels], None]
    ) -> float: ...


def write_packed(path: Path, rules: Ruleset, solve: Solve) -> None:
    """Where it was interrupted, what is finished stays, and the next one goes on there."""
    packing = packing_of(rules)
    coding = coding_of(rules, packing.values)
    checksums, unit = np.zeros(packing.space.rows, dtype="<u4"), 0.0
    size = sum(coding.size(*group.shape) * len(group.rows) for group in packing.groups())

    def start_of(value: float) -> bytes:
        digest, shape = crc32(checksums.data), (size // coding.dtype.itemsize,)
        told = VALUES, rules.id, rules.hash, coding.dtype.str, shape, value, digest, unit
        return front(Header(*told), checksums, HEADER_ROOM)

    def kept(group: RowGroup, stored: Stored) -> None:
        nonlocal unit
        checksums[group.rows] = [crc32(row) for row in stored]
        unit = max(unit, coding.unit(stored))

    with unfinished(path, rules.hash + coding.dtype.str, len(start_of(0.0))) as work:

        def write(group: RowGroup, values: Floats) -> None:
            stored = coding.stored(values.reshape(len(values), *group.shape))
            kept(group, stored)
            work.add(stored.data)

        before = work.kept()
        for groups in islice(packing.levels(), before.levels if before else 0):
            for group in groups:
                kept(group, work.read(coding.size(*group.shape), len(group.rows)))
        value_start = solve(write, before=before, keep=work.keep)
        work.finish(start_of(value_start))
