"""The tables of an export, and their writers. ``columns.csv`` declares each column once.

The writers write rows in chunks, so that large tables need no more memory. They move the files to
the final folder only when all files are complete, so an interrupted export leaves no files.
"""

import csv
import os
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Generic, Literal, NamedTuple, TypeAlias, TypeVar, cast

from asgiref.sync import sync_to_async
from django.http import FileResponse

from game.core.words.cells import disarm_formulas

T = TypeVar("T")
T_contra = TypeVar("T_contra", contravariant=True)
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


@dataclass(frozen=True, slots=True)
class Column(Generic[T_contra]):
    """A column. ``get`` takes the object of a row and returns the cell. ``text`` explains the
    column in the codebook. ``values`` lists the possible values; ``empty`` says when a cell is
    empty. Files of a blinded trial have only the columns marked ``masked``, and public files only
    those marked ``public``."""

    name: str
    kind: Kind
    text: str
    get: Callable[[T_contra], Cell]
    masked: bool = field(kw_only=True)
    public: bool = field(kw_only=True)
    unit: str = ""
    values: str = ""
    empty: str = "never"


@dataclass(frozen=True, slots=True)
class ExportTable(Generic[T_contra]):
    name: str
    description: str
    columns: tuple[Column[T_contra], ...]

    @property
    def names(self) -> list[str]:
        return [column.name for column in self.columns]

    def rows(self, items: Iterable[T_contra]) -> Iterator[Row]:
        getters = [column.get for column in self.columns]
        return (tuple([get(item) for get in getters]) for item in items)


AnyTable: TypeAlias = ExportTable[Any]


def declare_table(
    name: str, description: str, getters: Mapping[str, Callable[[T], Cell]], **values: str
) -> ExportTable[T]:
    """Return a table with the columns of ``columns.csv``; ``values`` fill the names in braces."""
    rows = read_declarations()[name]
    if [row["name"] for row in rows] != list(getters):
        raise ValueError(f"{FILE.name} and the code declare different columns of {name}")
    columns = (
        Column(
            row["name"],
            cast(Kind, row["type"]),
            row["meaning"],
            getters[row["name"]],
            unit=row["unit"],
            values=row["values"].format_map(values),
            empty=row["empty"],
            masked=SHOWN[row["masked"]],
            public=SHOWN[row["public"]],
        )
        for row in rows
    )
    return ExportTable(name, description, tuple(columns))


@cache
def read_declarations() -> Mapping[str, list[dict[str, str]]]:
    """Return the rows of ``columns.csv`` by table; raise ValueError for invalid values."""
    by_table = defaultdict(list)
    with FILE.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if row["type"] not in KINDS or not {row["masked"], row["public"]} <= SHOWN.keys():
                raise ValueError(f"{FILE.name}: {row['table']}.{row['name']}: wrong type or flag")
            by_table[row["table"]].append(row)
    return by_table


class Described(NamedTuple):
    table: AnyTable
    column: Column[Any]


CODEBOOK: ExportTable[Described] = declare_table(
    "codebook",
    "One row per column of every table, with its meaning.",
    {
        "table": lambda it: it.table.name,
        "column": lambda it: it.column.name,
        "type": lambda it: KINDS[it.column.kind],
        "unit": lambda it: it.column.unit or None,
        "values": lambda it: it.column.values or None,
        "description": lambda it: it.column.text,
        "empty": lambda it: it.column.empty,
    },
    kinds="; ".join(KINDS.values()),
)


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
        remaining = iter(rows)
        while chunk := list(islice(remaining, CHUNK)):
            for write in writers:
                write(chunk)
    return [folder / name for name in names]


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
        "truth": lambda value: None if value is None else "true" if value else "false",
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


COMPRESSED = {".parquet", ".zip"}


class Download(FileResponse):
    """A file that a thread reads chunk by chunk. Under ASGI, Django would read it in one step."""

    async def __aiter__(self) -> AsyncIterator[bytes]:
        chunks = iter(cast(Iterator[bytes], self.streaming_content))
        read = sync_to_async(lambda: next(chunks, None), thread_sensitive=False)
        while (chunk := await read()) is not None:
            yield chunk
