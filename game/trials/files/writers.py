"""Writers of CSV and Parquet files, which read the rows of a table once.

They write rows in chunks, so that large tables need no more memory. They move the files to the
final folder only when all files are complete, so an interrupted export leaves no files.
"""

import csv
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from datetime import UTC, datetime
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

from game.core.words.cells import disarm_formulas
from game.trials.files.export_table import AnyTable, Cell, Kind, Row

T = TypeVar("T")
Write = Callable[[Sequence[Row]], None]
Convert = Callable[[Any], Cell]

CHUNK = 1 << 14


def write_table(
    table: AnyTable, rows: Iterable[Row], folder: Path, formats: Sequence[str]
) -> list[Path]:
    names = [f"{table.name}.{name}" for name in formats]
    with place_when_complete(folder) as unfinished, ExitStack() as files:
        writers = [
            files.enter_context(FORMATS[name](table, unfinished / file))
            for name, file in zip(formats, names, strict=True)
        ]
        for chunk in yield_chunks(rows, CHUNK):
            for write in writers:
                write(chunk)
    return [folder / name for name in names]


@contextmanager
def place_when_complete(folder: Path) -> Iterator[Path]:
    """Yield a folder. At the end, move its files to ``folder``; after an error, delete them."""
    made = not folder.exists()
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with tempfile.TemporaryDirectory(dir=folder, prefix=".unfinished-") as unfinished:
            yield Path(unfinished)
            _move_files(Path(unfinished), folder)
    except BaseException:
        if made:
            with suppress(OSError):
                folder.rmdir()
        raise


def _move_files(unfinished: Path, folder: Path) -> None:
    for file in sorted(unfinished.rglob("*")):
        target = folder / file.relative_to(unfinished)
        if file.is_dir():
            target.mkdir(exist_ok=True)
        else:
            os.replace(file, target)


def yield_chunks(items: Iterable[T], size: int) -> Iterator[list[T]]:
    remaining = iter(items)
    while chunk := list(islice(remaining, size)):
        yield chunk


def format_time(value: datetime | None) -> str | None:
    """Return the time in ISO 8601, in UTC, to the millisecond."""
    if value is None:
        return None
    return value.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def format_truth(value: bool | None) -> str | None:
    return None if value is None else "true" if value else "false"


def convert_rows(
    table: AnyTable, rows: Sequence[Row], converters: dict[Kind, Convert]
) -> Iterator[Row]:
    """Convert cells whose kind has a converter, and leave all other cells unchanged."""
    columns = (
        map(converters[column.kind], cells) if column.kind in converters else cells
        for column, cells in zip(table.columns, zip(*rows, strict=True), strict=True)
    )
    return zip(*columns, strict=True)


@contextmanager
def open_csv(table: AnyTable, path: Path) -> Iterator[Write]:
    """Yield a function that writes rows as CSV, with a byte order mark for spreadsheets."""
    converters: dict[Kind, Convert] = {
        "text": disarm_formulas,
        "truth": format_truth,
        "time": format_time,
    }
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(table.names)
        yield lambda rows: writer.writerows(convert_rows(table, rows, converters))


@contextmanager
def open_parquet(table: AnyTable, path: Path) -> Iterator[Write]:
    """Yield a function that writes rows as a Parquet row group; metadata describe the columns."""
    import pyarrow as arrow
    from pyarrow.parquet import ParquetWriter

    types = {
        "text": arrow.string(),
        "whole": arrow.int64(),
        "number": arrow.float64(),
        "truth": arrow.bool_(),
        "time": arrow.timestamp("ms", tz="UTC"),
    }
    schema = arrow.schema(
        [
            arrow.field(column.name, types[column.kind], metadata={"description": column.text})
            for column in table.columns
        ],
        metadata={"description": table.description},
    )

    def write(rows: Sequence[Row]) -> None:
        columns = zip(schema, zip(*rows, strict=True), strict=True)
        arrays = [arrow.array(cells, field.type) for field, cells in columns]
        writer.write_table(arrow.Table.from_arrays(arrays, schema=schema))

    with ParquetWriter(path, schema) as writer:
        yield write


FORMATS: dict[str, Callable[[AnyTable, Path], AbstractContextManager[Write]]] = {"csv": open_csv}
if find_spec("pyarrow"):
    FORMATS["parquet"] = open_parquet
