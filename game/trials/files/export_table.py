"""The tables of an export. ``columns.csv`` declares each column once for all file formats."""

import csv
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any, Generic, Literal, NamedTuple, TypeAlias, TypeVar, cast

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


def make_codebook(tables: Sequence[AnyTable]) -> Iterator[Row]:
    """Return the codebook: a row for every column of the tables, and of the codebook itself."""
    every = (*tables, CODEBOOK)
    return CODEBOOK.rows(Described(table, column) for table in every for column in table.columns)
