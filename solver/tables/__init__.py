"""Solved values on disk: written atomically, read through a memory map, checked before use."""

from solver.tables.file import (
    EXPLAIN,
    OUTLOOK,
    VALUES,
    BadTable,
    MissingTable,
    Table,
    TableError,
    find_table_path,
    find_tables_dir,
    write,
    write_whole,
)
from solver.tables.packed import open_table, write_packed

__all__ = [
    "EXPLAIN",
    "OUTLOOK",
    "VALUES",
    "BadTable",
    "MissingTable",
    "Table",
    "TableError",
    "find_table_path",
    "find_tables_dir",
    "open_table",
    "write",
    "write_packed",
    "write_whole",
]
