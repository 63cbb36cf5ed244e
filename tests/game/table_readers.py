"""The files of an export, read back: as many rows and the same cells as were written."""

import csv
import json
import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from math import isclose
from pathlib import Path
from typing import Any
from xml.etree import ElementTree
from zipfile import ZipFile

from game.core.words.cells import GUARDED
from game.trials.files.export_table import AnyTable, Cell, Kind, Row

SPREADSHEET_EPOCH = datetime(1899, 12, 30, tzinfo=UTC)
SHEET_PRECISION = 1e-15
SHEET = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
FROM_TEXT: dict[Kind, Callable[[str], Cell]] = {
    "text": lambda text: GUARDED.sub("", text),
    "whole": int,
    "number": float,
    "truth": lambda text: text == "true",
    "time": datetime.fromisoformat,
}


class OtherColumns(ValueError):
    """The file does not have the columns of its table."""


def read_table(table: AnyTable, path: Path) -> Iterator[Row]:
    """Rows in the order of the file; a time is to the millisecond, an empty cell None.

    A spreadsheet has no row without a single cell, so a table should have none either.
    """
    return READERS[path.suffix](table, path)


def alike(row: Row, other: Row) -> bool:
    """The same cells; a spreadsheet keeps 16 digits of a number."""
    return len(row) == len(other) and all(
        isclose(cell, its, rel_tol=SHEET_PRECISION)
        if isinstance(cell, float) and isinstance(its, float)
        else cell == its
        for cell, its in zip(row, other, strict=True)
    )


def _csv(table: AnyTable, path: Path) -> Iterator[Row]:
    parsers = [FROM_TEXT[column.kind] for column in table.columns]
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = csv.reader(file)
        _check(table, next(rows, []), path)
        for row in rows:
            cells = zip(parsers, row, strict=True)
            yield tuple(parse(text) if text else None for parse, text in cells)


def _json(table: AnyTable, path: Path) -> Iterator[Row]:
    """One object a line, as they were written."""
    times = {column.name for column in table.columns if column.kind == "time"}
    with path.open(encoding="utf-8") as file:
        for line in file:
            if not line.startswith("{"):
                continue
            found = json.loads(line.rstrip().removesuffix(","))
            _check(table, list(found), path)
            yield tuple(
                datetime.fromisoformat(cell) if cell and name in times else cell
                for name, cell in found.items()
            )


def _parquet(table: AnyTable, path: Path) -> Iterator[Row]:
    from pyarrow.parquet import ParquetFile

    with ParquetFile(path) as file:
        _check(table, file.schema_arrow.names, path)
        for batch in file.iter_batches():
            yield from zip(*(column.to_pylist() for column in batch.columns), strict=True)


def _spreadsheet(table: AnyTable, path: Path) -> Iterator[Row]:
    """Every sheet in its order."""
    with ZipFile(path) as book:
        count = sum(name.startswith("xl/worksheets/sheet") for name in book.namelist())
        for number in range(1, count + 1):
            with book.open(f"xl/worksheets/sheet{number}.xml") as sheet:
                rows = _sheet(sheet)
                _check(table, list(next(rows).values()), path)
                for row in rows:
                    yield tuple(
                        _cell(row[at], column.kind) if at in row else None
                        for at, column in enumerate(table.columns)
                    )


def _sheet(sheet: Any) -> Iterator[dict[int, str]]:
    """What stands in the columns of each row; what was read is dropped at once."""
    for _event, element in ElementTree.iterparse(sheet):
        if element.tag == f"{SHEET}row":
            yield {_column(cell.attrib["r"]): "".join(cell.itertext()) for cell in element}
            element.clear()


def _column(reference: str) -> int:
    """AB12 is in column 27, counted from 0."""
    at = 0
    for letter in reference.rstrip("0123456789"):
        at = at * 26 + ord(letter) - ord("A") + 1
    return at - 1


def _cell(text: str, kind: Kind) -> Cell:
    match kind:
        case "text":
            return re.sub(r"_x([0-9A-F]{4})_", lambda found: chr(int(found[1], 16)), text)
        case "truth":
            return text == "1"
        case "time":
            thousandths = round(float(text) * 24 * 60 * 60 * 1000)
            return SPREADSHEET_EPOCH + timedelta(milliseconds=thousandths)
        case "whole":
            return int(text)
        case "number":
            return float(text)


def _check(table: AnyTable, found: list[str], path: Path) -> None:
    if found != table.names:
        raise OtherColumns(f"{path.name} has the columns {', '.join(found)}")


READERS: dict[str, Callable[[AnyTable, Path], Iterator[Row]]] = {
    ".csv": _csv,
    ".json": _json,
    ".parquet": _parquet,
    ".xlsx": _spreadsheet,
}
