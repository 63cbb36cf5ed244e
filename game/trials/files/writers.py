"""Tables as files: CSV and Parquet, out of one pass over the rows.

Rows are taken a chunk at a time and written as they come, so that memory does not grow with
them. Files get their names when all of them are whole; an interruption leaves none.
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

from game.core.words.cells import harmless
from game.trials.files.export_table import AnyTable, Cell, Kind, Row

T = TypeVar("T")
Write = Callable[[Sequence[Row]], None]
Convert = Callable[[Any], Cell]

CHUNK = 1 << 14


def write_table(
    table: AnyTable, rows: Iterable[Row], folder: Path, formats: Sequence[str]
) -> list[Path]:
    """``FOLDER/TABLE.FORMAT`` in every format asked for."""
    names = [f"{table.name}.{name}" for name in formats]
    with placed_when_whole(folder) as unfinished, ExitStack() as files:
        writers = [
            files.enter_context(FORMATS[name](table, unfinished / file))
            for name, file in zip(formats, names, strict=True)
        ]
        for chunk in chunks(rows, CHUNK):
            for write in writers:
                write(chunk)
    return [folder / name for name in names]


@contextmanager
def placed_when_whole(folder: Path) -> Iterator[Path]:
    """Yield a folder whose files move to ``folder`` at the end, and are deleted after an error."""
    made = not folder.exists()
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with tempfile.TemporaryDirectory(dir=folder, prefix=".unfinished-") as unfinished:
            yield Path(unfinished)
            _place(Path(unfinished), folder)
    except BaseException:
        if made:
            with suppress(OSError):
                folder.rmdir()
        raise


def _place(unfinished: Path, folder: Path) -> None:
    for file in sorted(unfinished.rglob("*")):
        target = folder / file.relative_to(unfinished)
        if file.is_dir():
            target.mkdir(exist_ok=True)
        else:
            os.replace(file, target)


def chunks(items: Iterable[T], size: int) -> Iterator[list[T]]:
    rest = iter(items)
    while chunk := list(islice(rest, size)):
        yield chunk


def moment(value: datetime | None) -> str | None:
    """ISO 8601, in UTC, to the millisecond."""
    if value is None:
        return None
    return value.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def truth(value: bool | None) -> str | None:
    return None if value is None else "true" if value else "false"


def converted(table: AnyTable, rows: Sequence[Row], by: dict[Kind, Convert]) -> Iterator[Row]:
    """Return the rows with the cells of some kinds written differently."""
    columns = (
        map(by[column.kind], cells) if column.kind in by else cells
        for column, cells in zip(table.columns, zip(*rows, strict=True), strict=True)
    )
    return zip(*columns, strict=True)


@contextmanager
def csv_file(table: AnyTable, path: Path) -> Iterator[Write]:
    """Write CSV. The mark at its beginning tells a spreadsheet that the letters are UTF-8."""
    by: dict[Kind, Convert] = {"text": harmless, "truth": truth, "time": moment}
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(table.names)
        yield lambda rows: writer.writerows(converted(table, rows, by))


@contextmanager
def parquet_file(table: AnyTable, path: Path) -> Iterator[Write]:
    """Write a row group for each chunk; the metadata say what every column means."""
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


FORMATS: dict[str, Callable[[AnyTable, Path], AbstractContextManager[Write]]] = {
    "csv": csv_file,
}
if find_spec("pyarrow"):
    FORMATS["parquet"] = parquet_file
