"""Copies of the database, consistent while games go on, and the way back."""

import json
import os
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import quote, urlsplit

from django.conf import settings
from django.core.management.base import CommandError
from django.db import connection

from game.models import Game
from solver.tables import write_whole

SOUND = "ok"
COPIED, RESTORED = "copied", "restored"


@dataclass(frozen=True)
class CopyMark:
    """What was last copied, or put back and replayed: the doctor reads it."""

    file: str
    made: str  # when the copy was
    games: int


def leave_mark(what: str, path: Path) -> None:
    made = datetime.fromtimestamp(path.stat().st_mtime, UTC).isoformat(timespec="seconds")
    mark = CopyMark(str(path.resolve()), made, Game.objects.count())
    write_whole(settings.VAR_DIR / f"{what}.json", json.dumps(asdict(mark)))


def mark_of(what: str) -> CopyMark | None:
    try:
        return CopyMark(**json.loads((settings.VAR_DIR / f"{what}.json").read_text()))
    except FileNotFoundError:
        return None


def has_tables() -> bool:
    return Game._meta.db_table in connection.introspection.table_names()


def described() -> str:
    """The database by its vendor, its name, and how much is in it."""
    where = connection.settings_dict
    host = f" at {where['HOST']}" if where["HOST"] else ""
    if not has_tables():
        raise CommandError(
            f"{connection.display_name} {where['NAME']}{host} has no tables of the site: are these "
            "its settings? (`yatzy update` makes what a new site needs)"
        )
    games = f"games: {Game.objects.count():,}"
    return f"{connection.display_name} {where['NAME']}{host}, {games}"


def copy_to(path: Path) -> str:
    """There whole or not at all, and its owner's alone: it holds everything. Says what it is of."""
    of = described()
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
    leave_mark(COPIED, path)
    return f"{path}: {path.stat().st_size:,} bytes of {of}"


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
    known = "--maintenance-db" if program in {"createdb", "dropdb"} else "--dbname"
    address = [*args[1:-1], f"{known}={args[-1]}"]
    try:
        subprocess.run(  # noqa: S603
            [program, *address, *options], env={**os.environ, **(more or {})}, check=True
        )
    except FileNotFoundError:
        raise CommandError(f"{program} is not installed on this machine") from None
    except subprocess.CalledProcessError as error:
        raise CommandError(f"{program} failed with {error.returncode}") from None


def drill(path: Path) -> None:
    """The way back, gone to its end in a database of its own, which goes away again."""
    with _scratch() as address:
        command = [sys.executable, str(settings.BASE_DIR / "manage.py"), "restore", str(path)]
        told = {**os.environ, "DATABASE_URL": address}
        done = subprocess.run(command, env=told, check=False)  # noqa: S603
    if done.returncode:
        raise CommandError(f"{path} cannot be restored")


@contextmanager
def _scratch() -> Iterator[str]:
    """The address of a database with nothing in it."""
    if connection.vendor == "sqlite":
        with tempfile.TemporaryDirectory(dir=settings.VAR_DIR, prefix=".drill.") as folder:
            yield f"sqlite:///{quote(folder)}/yatzy.sqlite3"
        return
    name = f"{connection.settings_dict['NAME']}_drill"
    _run("createdb", name)
    try:
        yield urlsplit(os.environ["DATABASE_URL"])._replace(path=f"/{name}").geturl()
    finally:
        _run("dropdb", name)
