"""Copies of the database, consistent while games go on, and the way back."""

import os
import sqlite3
import subprocess
import tempfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from django.core.management.base import CommandError
from django.db import connection

SOUND = "ok"


def copy_to(path: Path) -> None:
    """There whole or not at all, and its owner's alone: it holds everything."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, new = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    os.close(descriptor)
    try:
        _by_kind(_sqlite_copy, _postgres_copy)(Path(new))
        with open(new, "rb") as file:
            os.fsync(file.fileno())
        os.replace(new, path)
    finally:
        Path(new).unlink(missing_ok=True)


def copy_back(path: Path) -> None:
    if not path.is_file():
        raise CommandError(f"there is no {path}")
    _by_kind(_sqlite_back, _postgres_back)(path)


def _by_kind(
    sqlite: Callable[[Path], None], postgres: Callable[[Path], None]
) -> Callable[[Path], None]:
    kinds = {"sqlite": sqlite, "postgresql": postgres}
    if connection.vendor not in kinds:
        raise CommandError(f"use the tools of {connection.vendor} itself")
    return kinds[connection.vendor]


def _sqlite_copy(path: Path) -> None:
    """SQLite's online backup: in one piece, so whoever writes meanwhile changes nothing in it."""
    connection.ensure_connection()
    with closing(sqlite3.connect(path)) as target:
        connection.connection.backup(target)
        target.execute("PRAGMA journal_mode=DELETE")


def _sqlite_back(path: Path) -> None:
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as source:
        _check(source, path)
        connection.ensure_connection()
        source.backup(connection.connection)
    connection.close()


def _check(source: sqlite3.Connection, path: Path) -> None:
    try:
        (found,) = source.execute("PRAGMA integrity_check").fetchone()
        source.execute("SELECT 1 FROM game_game LIMIT 1")
    except sqlite3.DatabaseError as error:
        raise CommandError(f"{path} is no copy of this database: {error}") from None
    if found != SOUND:
        raise CommandError(f"{path} is damaged: {found}")


def _postgres_copy(path: Path) -> None:
    _run("pg_dump", "--format=custom", f"--file={path}")


def _postgres_back(path: Path) -> None:
    connection.close()
    connection.close_pool()  # type: ignore[attr-defined]  # PostgreSQL's; what asks next opens another
    _run("pg_restore", "--clean", "--if-exists", "--single-transaction", "--no-owner", str(path))


def _run(program: str, *options: str) -> None:
    """With the address, the name and the password of the settings."""
    args, more = connection.client.settings_to_cmd_args_env(connection.settings_dict, [])
    address = [*args[1:-1], f"--dbname={args[-1]}"]
    try:
        subprocess.run(  # noqa: S603
            [program, *address, *options], env={**os.environ, **(more or {})}, check=True
        )
    except FileNotFoundError:
        raise CommandError(f"{program} is not installed on this machine") from None
    except subprocess.CalledProcessError as error:
        raise CommandError(f"{program} failed with {error.returncode}") from None
