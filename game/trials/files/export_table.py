"""What a table of an export is: its columns are said once, for every format and the codebook."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, Literal, NamedTuple, TypeAlias, TypeVar

T_contra = TypeVar("T_contra", contravariant=True)

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
    """``get`` takes its cell from whatever a row is about; ``text`` is what the codebook says.

    ``values`` says what may stand in it, ``empty`` when nothing does.
    """

    name: str
    kind: Kind
    text: str
    get: Callable[[T_contra], Cell]
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


class Described(NamedTuple):
    """What a row of the codebook is about."""

    table: AnyTable
    column: Column[Any]


CODEBOOK: ExportTable[Described] = ExportTable(
    "codebook",
    "What every column of every table means.",
    (
        Column("table", "text", "Name of the table, and of its files.", lambda it: it.table.name),
        Column("column", "text", "Name of the column.", lambda it: it.column.name),
        Column(
            "type",
            "text",
            "What kind of value it holds.",
            lambda it: KINDS[it.column.kind],
            values="; ".join(KINDS.values()),
        ),
        Column(
            "unit",
            "text",
            "What it counts or measures.",
            lambda it: it.column.unit or None,
            empty="it has no unit",
        ),
        Column(
            "values",
            "text",
            "What may stand in it.",
            lambda it: it.column.values or None,
            empty="any value of its type may",
        ),
        Column("description", "text", "What it means.", lambda it: it.column.text),
        Column("empty", "text", "When nothing stands in it.", lambda it: it.column.empty),
    ),
)


def codebook(tables: Sequence[AnyTable]) -> Iterator[Row]:
    """A row for every column of the tables, and of the codebook itself."""
    every = (*tables, CODEBOOK)
    return CODEBOOK.rows(Described(table, column) for table in every for column in table.columns)
