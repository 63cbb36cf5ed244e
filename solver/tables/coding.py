"""Conversion of a large table's row [stock, column] to bytes; a stock is a number of saved rolls.

Usually each value is a multiple of a unit in 32 bits. If the table would be too large that way,
every second stock (and the last) is stored with 16 bits between the least and the greatest value of
its row, and the stocks in between with 8 bits: their distance from the mean of their neighbours.
Such a row begins with its least value and its two units. Late in a game an additional roll adds so
little that 8 bits would lose more precision than 16; such rows store every stock with 16 bits.
"""

from math import log2
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from solver.dp.arrays import Floats
from solver.dp.outcomes import bound_score
from solver.rules.rulesets import Ruleset

MOST_FINELY = 1_600_000_000  # bytes; a larger table is not stored with 32 bits per value

Stored = npt.NDArray[np.uint8]  # [row, byte]


class Coding(Protocol):
    """The storage format of rows. ``unit`` is twice the largest possible rounding error."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the entries that the header's ``shape`` counts."""

    def find_size(self, stocks: int, columns: int) -> int:
        """Return the size of a row in bytes."""

    def encode_rows(self, values: Floats) -> Stored:
        """Return [row, byte]: the bytes that store the row values[row, stock, column]."""

    def unit(self, rows: Stored) -> float: ...

    def decode_plane(self, row: bytes, stocks: int, columns: int, saved: int) -> Floats:
        """Return [column]: the values in a stored row for a stock of ``saved`` rolls."""


class Whole:
    dtype: np.dtype[Any] = np.dtype("<u4")

    def __init__(self, rules: Ruleset) -> None:
        """Choose the smallest unit with which 32 bits reach the highest score."""
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
    dtype: np.dtype[Any] = np.dtype("u1")
    HEAD, ANCHOR, BETWEEN = np.dtype("<f4"), np.dtype("<u2"), np.dtype("i1")
    ROOM = 3 * HEAD.itemsize
    LEAST = 2.0**-20  # the unit of a row whose values are all equal
    LATE = 31  # the number of stocks when 14 of 20 boxes are filled

    def _list_anchors(self, stocks: int) -> list[int]:
        """Return the stocks whose values have 16 bits."""
        return [*range(0, stocks - 1, 2 if stocks < self.LATE else 1), stocks - 1]

    def find_size(self, stocks: int, columns: int) -> int:
        anchors = len(self._list_anchors(stocks))
        return self.ROOM + columns * (anchors * self.ANCHOR.itemsize + stocks - anchors)

    def encode_rows(self, values: Floats) -> Stored:
        rows, stocks = values.shape[:2]
        low = np.nextafter(values.min(axis=(1, 2)).astype(self.HEAD), np.float32(-np.inf))
        high = values.max(axis=(1, 2))
        unit = self._calculate_units(high - low, np.iinfo(self.ANCHOR).max)
        places = self._list_anchors(stocks)
        base, step = (bounds.astype(np.float64)[:, None, None] for bounds in (low, unit))
        anchors = np.rint((values[:, places] - base) / step).astype(self.ANCHOR)
        kept = anchors * step + base
        away = np.delete(values, places, axis=1)
        away = away - (kept[:, :-1] + kept[:, 1:])[:, : away.shape[1]] / 2
        fine = self._calculate_units(
            np.abs(away).max(axis=(1, 2), initial=0), np.iinfo(self.BETWEEN).max
        )
        between = np.rint(away / fine.astype(np.float64)[:, None, None]).astype(self.BETWEEN)
        parts = (np.stack((low, unit, fine), axis=1), anchors, between)
        flat = (np.ascontiguousarray(part).reshape(rows, -1) for part in parts)
        return np.hstack([part.view(np.uint8) for part in flat])

    def _calculate_units(self, most: Floats, steps: int) -> npt.NDArray[np.float32]:
        return np.maximum(most / steps, self.LEAST).astype(self.HEAD)

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
