"""The store of tables: where they lie, and which kinds there are."""

import os
from functools import cache
from pathlib import Path

from solver.dp.packing import is_large
from solver.rules.rulesets import Ruleset
from solver.tables.file import Table, read
from solver.tables.packed import open_packed

VALUES = "values"  # [row, column]: V, float64; of large rulesets see ``packed``
EXPLAIN = "explain"  # [row, column, box]: what each box and last the bonus will bring, uint16
OUTLOOK = "outlook"  # [row, column, 2]: chance of the bonus, second moment of the rest, float32
VAR = Path(__file__).resolve().parents[2] / "var"


def tables_dir() -> Path:
    """$YATZY_TABLES, or ``tables`` in $YATZY_VAR, which is ``var`` beside the packages."""
    return _below(os.environ.get("YATZY_TABLES"), os.environ.get("YATZY_VAR") or VAR)


def table_path(rules: Ruleset, kind: str = VALUES, folder: Path | None = None) -> Path:
    return _in(folder or tables_dir(), f"{rules.id}.{kind}")


@cache  # these and their paths are asked for with every move
def _below(tables: str | None, var: str | Path) -> Path:
    return Path(tables) if tables else Path(var) / "tables"


@cache
def _in(folder: Path, name: str) -> Path:
    return folder / name


def open_table(rules: Ruleset, kind: str = VALUES, path: Path | None = None) -> Table:
    """Open a table, whether or not its rows are stored completely."""
    path = path or table_path(rules, kind)
    if kind == VALUES and is_large(rules):
        return open_packed(path, rules)
    return read(path, rules, kind)
