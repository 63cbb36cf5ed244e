"""The folder of tables and the kinds of tables in it."""

import os
from functools import cache
from pathlib import Path

from solver.dp.packing import is_large
from solver.rules.rulesets import Ruleset
from solver.tables.file import Table, read
from solver.tables.packed import open_packed

VALUES = "values"  # [row, column]: V, float64; large rulesets use ``packed``
EXPLAIN = "explain"  # [row, column, box]: expected points per box and, last, of the bonus, uint16
OUTLOOK = "outlook"  # [row, column, 2]: chance of the bonus, second moment of the rest, float32
VAR = Path(__file__).resolve().parents[2] / "var"


def find_tables_dir() -> Path:
    """Return $YATZY_TABLES, or ``tables`` in $YATZY_VAR (default: ``var`` in the checkout)."""
    return _choose_folder(os.environ.get("YATZY_TABLES"), os.environ.get("YATZY_VAR") or VAR)


def find_table_path(rules: Ruleset, kind: str = VALUES, folder: Path | None = None) -> Path:
    return _join_path(folder or find_tables_dir(), f"{rules.id}.{kind}")


@cache  # cached, because every move needs these tables and their paths
def _choose_folder(tables: str | None, var: str | Path) -> Path:
    return Path(tables) if tables else Path(var) / "tables"


@cache
def _join_path(folder: Path, name: str) -> Path:
    return folder / name


def open_table(rules: Ruleset, kind: str = VALUES, path: Path | None = None) -> Table:
    path = path or find_table_path(rules, kind)
    if kind == VALUES and is_large(rules):
        return open_packed(path, rules)
    return read(path, rules, kind)
