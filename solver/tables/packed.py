"""Values of large rulesets: what ``dp.packing`` keeps, as whole numbers of a unit.

The file is that of ``tables.file`` but for its payload: the rows are of different lengths, in the
order of the packing. A checksum stands where the number of its row says. The header has the unit,
a power of two, so that the values are half of it wrong at most, and V(start) as it was worked out.
"""

from collections.abc import Callable
from functools import cache
from math import log2
from pathlib import Path
from zlib import crc32

import numpy as np
import numpy.typing as npt

from solver.dp.arrays import Floats
from solver.dp.outcomes import most_points
from solver.dp.packing import Packing, RowGroup, packing_of
from solver.rules.rulesets import Ruleset
from solver.tables.file import AT_ONCE, Header, Opened, Table, front, open_file, whole_file

VALUES = "values"
STORED = np.dtype("<u4")
HEADER_ROOM = 512

Write = Callable[[RowGroup, Floats], None]


@cache
def unit_of(rules: Ruleset) -> float:
    """The smallest that counts up to whatever a game can bring."""
    bits = 8 * STORED.itemsize
    return 2.0 ** (int(log2(most_points(rules))) + 1 - bits)


class PackedTable(Table):
    """Asked as any ``Table``; rows are found, checked, and filled up to all their columns."""

    def __init__(self, opened: Opened, packing: Packing) -> None:
        super().__init__(opened)
        self._packing = packing

    def rows(self, numbers: npt.NDArray[np.int64]) -> Floats:
        return np.array([self.row(number) for number in numbers.tolist()])

    def row(self, number: int) -> Floats:
        packing = self._packing
        row, saved = packing.space.of_row(number)
        if packing.at[row] < 0:
            return np.full(packing.space.columns, np.nan)
        card = packing.space.upper_card[row]
        stored = np.frombuffer(self._row(row), self._dtype)
        values = stored.reshape(-1, len(packing.columns[card]))[saved] * self.header.unit
        found: Floats = np.append(values, np.nan)[packing.places[card]]
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
                content = self._content(int(rows[0]), len(rows) * group.width)
                size = group.width * self._dtype.itemsize
                for at, row in enumerate(rows.tolist()):
                    self._check(row, content[at * size : at * size + size])

    def _read(self, row: int, many: int) -> bytes:
        """One at a time: what follows a row is not the row of the next number."""
        return self._content(row, self._packing.width(row))

    def _content(self, row: int, values: int) -> bytes:
        self._check_size()
        at = self._start + int(self._packing.at[row]) * self._dtype.itemsize
        return self._map[at : at + values * self._dtype.itemsize]


def open_packed(path: Path, rules: Ruleset) -> PackedTable:
    packing = packing_of(rules)
    opened = open_file(path, rules, VALUES, packing.space.rows)
    return PackedTable(opened, packing)


def write_packed(path: Path, rules: Ruleset, solve: Callable[[Write], float]) -> None:
    """``solve`` hands over the groups in their order, and says what V(start) is."""
    packing, unit = packing_of(rules), unit_of(rules)
    checksums = np.zeros(packing.space.rows, dtype="<u4")
    with whole_file(path) as file:

        def write(group: RowGroup, values: Floats) -> None:
            stored = np.rint(values * (1 / unit)).astype(STORED)
            checksums[group.rows] = [crc32(row) for row in stored]
            file.write(stored.data)

        def start_of(value: float) -> bytes:
            digest, shape = crc32(checksums.data), (packing.values,)
            told = VALUES, rules.id, rules.hash, STORED.str, shape, value, digest, unit
            return front(Header(*told), checksums, HEADER_ROOM)

        file.seek(len(start_of(0.0)))
        value_start = solve(write)
        file.seek(0)
        file.write(start_of(value_start))
