"""The files of an export, read back: as many rows and the same cells as were written."""

import csv
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

from game.core.words.cells import GUARDED
from game.trials.files.export_table import Cell, ExportTable, Kind, Row

FROM_TEXT: dict[Kind, Callable[[str], Cell]] = {
    "text": lambda text: GUARDED.sub("", text),
    "whole": int,
    "number": float,
    "truth": lambda text: text == "true",
    "time": datetime.fromisoformat,
}


class OtherColumns(ValueError):
    """The file does not have the columns of its table."""


def read_table(table: ExportTable, path: Path) -> Iterator[Row]:
    """Rows in the order of the file; a time is to the millisecond, an empty cell None."""
    return READERS[path.suffix](table, path)


def to_the_millisecond(value: datetime) -> datetime:
    return value.astimezone(UTC).replace(microsecond=value.microsecond // 1000 * 1000)


def rows_in(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def _csv(table: ExportTable, path: Path) -> Iterator[Row]:
    parsers = [FROM_TEXT[column.kind] for column in table.columns]
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = csv.reader(file)
        _check(table, next(rows, []), path)
        for row in rows:
            cells = zip(parsers, row, strict=True)
            yield tuple(parse(text) if text else None for parse, text in cells)


def _parquet(table: ExportTable, path: Path) -> Iterator[Row]:
    from pyarrow.parquet import ParquetFile

    with ParquetFile(path) as file:
        _check(table, file.schema_arrow.names, path)
        for batch in file.iter_batches():
            yield from zip(*(column.to_pylist() for column in batch.columns), strict=True)


def _check(table: ExportTable, found: list[str], path: Path) -> None:
    if found != table.names:
        raise OtherColumns(f"{path.name} has the columns {', '.join(found)}")


READERS: dict[str, Callable[[ExportTable, Path], Iterator[Row]]] = {
    ".csv": _csv,
    ".parquet": _parquet,
}
