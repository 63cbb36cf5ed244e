"""The tables of an export, and their writers. ``columns.csv`` declares each column once.

The writers write rows in chunks, so that large tables need no more memory.
"""

import csv
import os
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal, cast

from asgiref.sync import sync_to_async
from django.http import FileResponse

from game.core.words.cells import disarm_formulas

FILE = Path(__file__).with_name("columns.csv")
SHOWN = {"yes": True, "no": False}

Kind = Literal["text", "whole", "number", "truth", "time"]
Cell = str | int | float | bool | datetime | None
Row = tuple[Cell, ...]

KINDS: dict[Kind, str] = {
    "text": "text",
    "whole": "whole number",
    "number": "decimal number",
    "truth": "true or false",
    "time": "time, in UTC",
}


class ExportFailed(Exception):
    """The error, with a sentence for the staff, if no export can be made."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A column. ``text`` explains the column in the codebook. ``values`` lists the possible values;
    ``empty`` says when a cell is empty. Files of a blinded trial have only the columns marked
    ``masked``, and public files only those marked ``public``."""

    name: str
    kind: Kind
    text: str
    masked: bool
    public: bool
    unit: str = ""
    values: str = ""
    empty: str = "never"


@dataclass(frozen=True, slots=True)
class ExportTable:
    name: str
    description: str
    columns: Sequence[Column]

    @property
    def names(self) -> list[str]:
        return [column.name for column in self.columns]


def read_tables(values: Mapping[str, Iterable[object]]) -> tuple[ExportTable, ...]:
    """Return the tables of ``columns.csv``; ``values`` fill the names in braces. A row without the
    name of a column describes the table. Raise ValueError for an invalid kind or flag."""
    joined = {name: "; ".join(map(str, each)) for name, each in values.items()}
    with FILE.open(encoding="utf-8", newline="") as file:
        lines: list[dict[str, Any]] = list(csv.DictReader(file))
    tables: dict[str, list[Column]] = defaultdict(list)
    for line in lines:
        table = line.pop("table")
        flags = {flag: SHOWN.get(line[flag]) for flag in ("masked", "public")}
        if line["kind"] not in KINDS or None in flags.values():
            raise ValueError(f"{FILE.name}: {table}.{line['name']}: wrong type or flag")
        line["values"] = line["values"].format_map(joined)
        tables[table].append(Column(**line | flags))
    return tuple(ExportTable(name, about.text, rows) for name, (about, *rows) in tables.items())


Write = Callable[[Sequence[Row]], None]

CHUNK = 1 << 14


def write_table(
    table: ExportTable, rows: Iterable[Row], stem: Path, formats: Iterable[str]
) -> None:
    """Write the rows to one file per format, named ``stem`` with the format as suffix."""
    with ExitStack() as files:
        opened = (FORMATS[name](table, Path(f"{stem}.{name}")) for name in formats)
        writers = [files.enter_context(file) for file in opened]
        remaining = iter(rows)
        while chunk := list(islice(remaining, CHUNK)):
            for write in writers:
                write(chunk)


@contextmanager
def place_when_complete(folder: Path) -> Iterator[Path]:
    """Yield a folder. At the end, move its files to ``folder``; after an error, delete them."""
    made = not folder.exists()
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with TemporaryDirectory(dir=folder, prefix=".unfinished-") as unfinished:
            yield Path(unfinished)
            for file in sorted(Path(unfinished).rglob("*")):
                target = folder / file.relative_to(unfinished)
                if file.is_dir():
                    target.mkdir(exist_ok=True)
                else:
                    os.replace(file, target)
    except BaseException:
        if made:
            with suppress(OSError):
                folder.rmdir()
        raise


def format_time(value: datetime | None) -> str | None:
    """Return the time in ISO 8601, in UTC, to the millisecond."""
    if value is None:
        return None
    return value.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


CONVERTERS: Mapping[Kind, Callable[[Any], Cell]] = {
    "text": disarm_formulas,
    "truth": {None: None, True: "true", False: "false"}.__getitem__,
    "time": format_time,
}


@contextmanager
def open_csv(table: ExportTable, path: Path) -> Iterator[Write]:
    """Yield a function that writes rows as CSV, with a byte order mark for spreadsheets."""
    kinds = [column.kind for column in table.columns]
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(table.names)

        def write(rows: Sequence[Row]) -> None:
            columns = (
                map(CONVERTERS[kind], cells) if kind in CONVERTERS else cells
                for kind, cells in zip(kinds, zip(*rows, strict=True), strict=True)
            )
            writer.writerows(zip(*columns, strict=True))

        yield write


@contextmanager
def open_parquet(table: ExportTable, path: Path) -> Iterator[Write]:
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


FORMATS: dict[str, Callable[[ExportTable, Path], AbstractContextManager[Write]]] = {"csv": open_csv}
if find_spec("pyarrow"):
    FORMATS["parquet"] = open_parquet


COMPRESSED = {".parquet", ".zip"}


class Download(FileResponse):
    """A file that a thread reads chunk by chunk. Under ASGI, Django would read it in one step."""

    async def __aiter__(self) -> AsyncIterator[bytes]:
        chunks = iter(cast(Iterator[bytes], self.streaming_content))
        read = sync_to_async(lambda: next(chunks, None), thread_sensitive=False)
        while (chunk := await read()) is not None:
            yield chunk
