"""Tables as files: CSV, spreadsheets, Parquet and JSON, out of one pass over the rows.

Rows are taken a chunk at a time and written as they come, so that memory does not grow with
them. Files get their names when all of them are whole; an interruption leaves none.
"""

import csv
import json
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from datetime import UTC, datetime
from functools import partial
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
SHEET_ROWS = 1_048_576  # what a spreadsheet holds on one sheet, its header included


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


def to_the_millisecond(value: datetime) -> datetime:
    return value.astimezone(UTC).replace(microsecond=value.microsecond // 1000 * 1000)


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
def json_file(table: AnyTable, path: Path) -> Iterator[Write]:
    """Write an array with an object for each row, one on a line."""
    encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode
    begun = False

    def write(rows: Sequence[Row]) -> None:
        nonlocal begun
        told = converted(table, rows, {"time": moment})
        objects = (encode(dict(zip(table.names, row, strict=True))) for row in told)
        file.write((",\n" if begun else "[\n") + ",\n".join(objects))
        begun = True

    with path.open("w", encoding="utf-8") as file:
        yield write
        file.write("\n]\n" if begun else "[]\n")


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


@contextmanager
def spreadsheet(table: AnyTable, path: Path) -> Iterator[Write]:
    """Every cell in its own type, so that no text can be taken for a formula or a link."""
    from xlsxwriter import Workbook

    options = {
        "constant_memory": True,
        "remove_timezone": True,
        "tmpdir": str(path.parent),
        "use_zip64": True,
    }
    book = Workbook(path, options)
    try:
        yield _Sheets(book, table).write
    except BaseException:
        for sheet in book.worksheets():
            sheet.row_data_fh.close()
        raise
    book.close()


class _Sheets:
    """The rows on one sheet, and on further ones once it is full; each begins with the header."""

    def __init__(self, book: Any, table: AnyTable) -> None:
        self._book = book
        self._table = table
        self._heading = book.add_format({"bold": True, "bottom": 1})
        self._time = book.add_format({"num_format": "yyyy-mm-dd hh:mm:ss.000"})
        self._begin()

    def write(self, rows: Sequence[Row]) -> None:
        for row in rows:
            if self._at == SHEET_ROWS:
                self._begin()
            for number, (put, cell) in enumerate(zip(self._puts, row, strict=True)):
                if cell is not None:
                    put(self._at, number, cell)
            self._at += 1

    def _begin(self) -> None:
        """Begin a sheet; a further one is named after the table and its number."""
        name, count = self._table.name, len(self._book.worksheets())
        sheet = self._book.add_worksheet(f"{name} {count + 1}" if count else name)
        puts: dict[Kind, Callable[..., object]] = {
            "text": sheet.write_string,
            "whole": sheet.write_number,
            "number": sheet.write_number,
            "truth": sheet.write_boolean,
            "time": partial(self._put_time, sheet),
        }
        self._puts = [puts[column.kind] for column in self._table.columns]
        self._head(sheet)
        self._at = 1

    def _head(self, sheet: Any) -> None:
        sheet.freeze_panes(1, 0)
        for number, column in enumerate(self._table.columns):
            width = 24 if column.kind == "time" else max(9, len(column.name) + 2)
            sheet.set_column(number, number, width)
            sheet.write_string(0, number, column.name, self._heading)

    def _put_time(self, sheet: Any, row: int, number: int, value: datetime) -> None:
        sheet.write_datetime(row, number, to_the_millisecond(value), self._time)


FORMATS: dict[str, Callable[[AnyTable, Path], AbstractContextManager[Write]]] = {
    "csv": csv_file,
    "xlsx": spreadsheet,
    "json": json_file,
}
if find_spec("pyarrow"):
    FORMATS["parquet"] = parquet_file
