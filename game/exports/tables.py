"""What a table of an export is: its columns are said once, for every format and the codebook."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

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
class Column:
    """``values`` says what may stand in it, ``empty`` when nothing does."""

    name: str
    kind: Kind
    description: str
    unit: str = ""
    values: str = ""
    empty: str = "never"


@dataclass(frozen=True, slots=True)
class ExportTable:
    name: str
    description: str
    columns: tuple[Column, ...]

    @property
    def names(self) -> list[str]:
        return [column.name for column in self.columns]


CODEBOOK = ExportTable(
    "codebook",
    "What every column of every table means.",
    (
        Column("table", "text", "Name of the table, and of its files."),
        Column("column", "text", "Name of the column."),
        Column("type", "text", "What kind of value it holds.", values="; ".join(KINDS.values())),
        Column("unit", "text", "What it counts or measures.", empty="it has no unit"),
        Column("values", "text", "What may stand in it.", empty="any value of its type may"),
        Column("description", "text", "What it means."),
        Column("empty", "text", "When nothing stands in it."),
    ),
)


def codebook(tables: Sequence[ExportTable]) -> Iterator[Row]:
    """A row for every column of the tables, and of the codebook itself."""
    for table in (*tables, CODEBOOK):
        for column in table.columns:
            yield (
                table.name,
                column.name,
                KINDS[column.kind],
                column.unit or None,
                column.values or None,
                column.description,
                column.empty,
            )
