"""Makes backups of the database, even while the site runs, and restores them.

A restore fills a new database from the backup, migrates it and replays every game. A test of a
restore stops there. A real restore then copies the present database under a dated name, and
exchanges both databases in one transaction. An error before that changes nothing.
"""

import fcntl
import json
import os
import re
import sqlite3
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import quote

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import DatabaseError, connection, transaction

from game.core.game_queries import find_broken_games
from game.models import Game
from game.pages.requests.readiness import format_some, list_later_migrations
from solver.tables import write_whole

COPIED, RESTORED = "copied", "restored"
UPDATING = "updating"  # a file in VAR_DIR that names the copy that an unfinished update made
BEFORE_UPDATE, BEFORE_RESTORE = "before-update", "before-restore"
UNCHANGED = "The site's database is unchanged."
FAULTS = DatabaseError, sqlite3.Error, OSError  # such as a silent database, or a full disk
UNREADABLE = "malformed", "not a database"  # parts of SQLite's error messages about a damaged file
SECONDS_TO_LEAVE = 5.0  # seconds to wait until PostgreSQL has closed other sessions
SESSIONS = "SELECT count(*) FROM pg_stat_activity WHERE datname = %s AND usesysid IS NOT NULL"
MAY_RENAME = """
    SELECT rolsuper OR rolcreatedb AND pg_has_role(datdba, 'USAGE') FROM pg_roles, pg_database
    WHERE rolname = current_user AND datname = current_database()
"""
LIKE_THE_SITES = """
    SELECT pg_encoding_to_char(encoding), datcollate, datctype FROM pg_database
    WHERE datname = current_database()
"""


@dataclass(frozen=True)
class CopyMark:
    """A note for `./yatzy doctor` about the latest backup, or the latest restored backup."""

    file: str
    made: str  # the time of the backup
    games: int


def leave_mark(what: str, path: Path, games: int) -> None:
    made = datetime.fromtimestamp(path.stat().st_mtime, UTC).isoformat(timespec="seconds")
    mark = CopyMark(str(path.resolve()), made, games)
    write_whole(settings.VAR_DIR / f"{what}.json", json.dumps(asdict(mark)))


def read_mark(what: str) -> CopyMark | None:
    try:
        return CopyMark(**json.loads((settings.VAR_DIR / f"{what}.json").read_text()))
    except FileNotFoundError:
        return None


def has_tables() -> bool:
    return Game._meta.db_table in connection.introspection.table_names()


def count_games() -> int:
    return Game.objects.count() if has_tables() else 0


def count_games_or_explain() -> int | str:
    try:
        return count_games()
    except DatabaseError as error:
        return f"unknown ({error})"


def describe_database() -> str:
    """Return vendor, name, host and number of games. Raise CommandError if there are no tables."""
    where = connection.settings_dict
    host = f" at {where['HOST']}" if where["HOST"] else ""
    if not has_tables():
        raise CommandError(
            f"{connection.display_name} {where['NAME']}{host} has no tables of the site: check "
            "the settings (or, for a new site, run `./yatzy update`)"
        )
    return f"{connection.display_name} {where['NAME']}{host}, games: {Game.objects.count():,}"


# The lock of the site


@contextmanager
def lock_site(*, alone: bool) -> Iterator[bool]:
    """Lock the site until the block ends; yield whether this process got the lock. Servers share
    the lock; a restore (``alone``) gets it only if no server has it. With SQLite, the lock is on a
    file, and ends with the process. PostgreSQL needs no lock, because a running server always has a
    session there."""
    if connection.vendor != "sqlite":
        yield not (alone and _count_sessions())
        return
    database = Path(connection.settings_dict["NAME"])
    try:
        file = database.with_name(f".{database.name}.lock").open("ab")
    except OSError:  # if the folder is missing, a server may start, but not a restore
        yield not alone
        return
    with file:
        try:
            fcntl.flock(file, (fcntl.LOCK_EX if alone else fcntl.LOCK_SH) | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True


def is_served() -> bool:
    with lock_site(alone=True) as stopped:
        return not stopped


def _count_sessions() -> int:
    """Wait until closing sessions have ended, then return the number of other database sessions."""
    name, until = connection.settings_dict["NAME"], time.monotonic() + SECONDS_TO_LEAVE
    with _connect_to(_find_other_database()), connection.cursor() as cursor:
        while True:
            cursor.execute(SESSIONS, [name])
            (count,) = cursor.fetchone()
            if not count or time.monotonic() > until:
                return int(count)
            time.sleep(0.1)


# Backup


def copy_to(path: Path) -> str:
    """Write a complete backup of the database, or no file, and return the backup's description.
    Only the file's owner may read it, because it holds all data."""
    content = describe_database()
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, new = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    os.close(descriptor)
    try:
        if connection.vendor == "sqlite":
            connection.ensure_connection()
            with closing(sqlite3.connect(new)) as target:
                connection.connection.backup(target)  # consistent, even if others write meanwhile
                target.execute("PRAGMA journal_mode=DELETE")
        elif connection.vendor == "postgresql":
            if too_old := explain_old_pg_dump():
                raise CommandError(too_old)
            _run_postgres_program("pg_dump", "--format=custom", f"--file={new}")
        else:
            raise CommandError(f"copy the database with the tools of {connection.vendor}")
        with open(new, "rb") as file:
            os.fsync(file.fileno())
        os.replace(new, path)
    finally:
        Path(new).unlink(missing_ok=True)
    leave_mark(COPIED, path, Game.objects.count())
    return f"{path}: {path.stat().st_size:,} bytes of {content}"


def make_dated_path(name: str) -> Path:
    """Return a new path in VAR_DIR that contains the name and the time."""
    path = settings.VAR_DIR / f"{name}-{datetime.now(UTC):%Y-%m-%d-%H%M%S}"
    number = 1
    while path.exists():
        number += 1
        path = path.with_name(f"{path.name.partition('.')[0]}.{number}")
    return path


def delete_old_copies() -> None:
    """Delete dated copies older than COPIES_DAYS, except the newest copy of each name. Delete
    nothing during an unfinished update, because it may need an older copy to go back."""
    if (settings.VAR_DIR / UPDATING).exists():
        return
    since = time.time() - settings.COPIES_DAYS * 86_400
    for name in (BEFORE_UPDATE, BEFORE_RESTORE):
        copies = {  # SQLite may have three files per copy
            path: path.name.removesuffix("-wal").removesuffix("-shm")
            for path in settings.VAR_DIR.glob(f"{name}-[0-9]*")
        }
        newest = max(copies.values(), default="")
        for path, copy_name in copies.items():
            with suppress(FileNotFoundError):  # another process of the site deleted it
                if copy_name != newest and path.stat().st_mtime < since:
                    path.unlink()


def explain_old_pg_dump() -> str:
    """Return an error message if pg_dump is too old for the server, else ""."""
    if connection.vendor != "postgresql":
        return ""
    try:
        output = subprocess.run(["pg_dump", "--version"], capture_output=True, text=True).stdout  # noqa: S607
    except FileNotFoundError:
        return ""  # another machine may make the backups; if not, a backup reports the error
    connection.ensure_connection()
    numbers = re.search(r"\d+", output)
    server = connection.pg_version // 10_000  # type: ignore[attr-defined]  # only PostgreSQL has it
    if numbers is None or int(numbers[0]) >= server:
        return ""
    return (
        f"pg_dump {numbers[0]} cannot copy a PostgreSQL server of version {server}: install "
        f"postgresql-client-{server}"
    )


# Restore


@dataclass(frozen=True)
class RestoredBackup:
    """A backup that ``put_back`` restored into the new database ``database``."""

    database: str
    games: int
    faults: list[str]  # games that cannot be replayed


@contextmanager
def put_back(path: Path) -> Iterator[RestoredBackup]:
    """Restore a backup into a new database, migrate it and replay its games; yield the result. At
    the end, drop the new database, unless it has replaced the site's database."""
    if not path.is_file():
        raise CommandError(f"there is no file {path}. {UNCHANGED}")
    with _create_temporary_database() as name:
        if connection.vendor == "sqlite":
            with (
                closing(sqlite3.connect(f"file:{quote(str(path))}?mode=ro", uri=True)) as source,
                closing(sqlite3.connect(name)) as target,
            ):
                try:
                    (verdict,) = source.execute("PRAGMA integrity_check").fetchone()
                    source.backup(target)
                except sqlite3.OperationalError:  # such as a full disk; the backup may be undamaged
                    raise
                except sqlite3.DatabaseError as error:
                    raise CommandError(
                        f"{path} is not a copy of this site's database: {error}. {UNCHANGED}"
                    ) from None
            if verdict != "ok":
                raise CommandError(f"{path} is damaged: {verdict}. {UNCHANGED}")
        else:
            _run_postgres_program(
                "pg_restore", "--single-transaction", "--no-owner", str(path), database=name
            )
        with _connect_to(name):
            if not has_tables():
                raise CommandError(f"{path} is not a copy of this site's database. {UNCHANGED}")
            if later := list_later_migrations():
                raise CommandError(
                    f"{path} is of a later version of the site ({format_some(later)}): "
                    "restore it with "
                    f"that version. {UNCHANGED}"
                )
            try:
                call_command("migrate", verbosity=0)
            except Exception as error:  # a migration may raise any error
                raise CommandError(f"{path} cannot be migrated: {error}. {UNCHANGED}") from error
            put_back_now = RestoredBackup(name, Game.objects.count(), list(find_broken_games()))
        yield put_back_now


def keep_present() -> str:
    """Back up the present database under a dated name, and return a description of the backup. If
    SQLite cannot read the file, only rename it."""
    path = make_dated_path(BEFORE_RESTORE)
    try:
        return copy_to(path) if has_tables() else "it had no tables to copy."
    except (DatabaseError, sqlite3.DatabaseError) as error:
        connection.close()
        database = Path(connection.settings_dict["NAME"])
        if not any(text in str(error) for text in UNREADABLE):
            raise
        for end in ("", "-wal", "-shm"):
            with suppress(FileNotFoundError):
                os.replace(f"{database}{end}", f"{path}{end}")
                os.utime(f"{path}{end}")  # delete_old_copies() keeps it like a copy of today
        return f"{path}: the former file, which could not be read ({error})"


def exchange(name: str) -> None:
    """Replace the site's database by the database ``name``, in one transaction."""
    if connection.vendor == "sqlite":
        connection.ensure_connection()
        with closing(sqlite3.connect(name)) as source:
            source.backup(connection.connection)
        connection.close()
        return
    site = connection.settings_dict["NAME"]
    quoted, new, former = map(connection.ops.quote_name, (site, name, f"{site[:40]}_former"))
    with _connect_to(_find_other_database()), connection.cursor() as cursor:
        cursor.execute(f"DROP DATABASE IF EXISTS {former}")
        with transaction.atomic():
            cursor.execute(f"ALTER DATABASE {quoted} RENAME TO {former}")
            cursor.execute(f"ALTER DATABASE {new} RENAME TO {quoted}")
        with suppress(DatabaseError):  # the backup has the data, and the next restore tries again
            cursor.execute(f"DROP DATABASE {former}")


@contextmanager
def _create_temporary_database() -> Iterator[str]:
    """Yield the name of a new database. At the end, drop the database, unless it was renamed."""
    if connection.vendor == "sqlite":
        with tempfile.TemporaryDirectory(dir=settings.VAR_DIR, prefix=".restore.") as folder:
            yield f"{folder}/yatzy.sqlite3"
        return
    where = connection.settings_dict
    with connection.cursor() as cursor:
        cursor.execute(MAY_RENAME)
        if cursor.fetchone() != (True,):
            raise CommandError(
                f"{where['USER']} may not create databases, or does not own the site's. Run `ALTER "
                f"ROLE {where['USER']} CREATEDB; ALTER DATABASE {where['NAME']} OWNER TO "
                f"{where['USER']}` as PostgreSQL's administrator, then restore again. {UNCHANGED}"
            )
        cursor.execute(LIKE_THE_SITES)
        encoding, collate, ctype = cursor.fetchone()
    name = f"{where['NAME'][:40]}_restoring"
    drop = f"DROP DATABASE IF EXISTS {connection.ops.quote_name(name)}"
    with _connect_to(_find_other_database()), connection.cursor() as cursor:
        cursor.execute(drop)
        cursor.execute(
            f"CREATE DATABASE {connection.ops.quote_name(name)} TEMPLATE template0 "
            f"ENCODING '{encoding}' LC_COLLATE '{collate}' LC_CTYPE '{ctype}'"
        )
    try:
        yield name
    finally:
        with _connect_to(_find_other_database()), connection.cursor() as cursor:
            cursor.execute(drop)


def _find_other_database() -> str:
    """Return another PostgreSQL database, to connect to while databases are created or renamed."""
    return "template1" if connection.settings_dict["NAME"] == "postgres" else "postgres"


@contextmanager
def _connect_to(name: str) -> Iterator[None]:
    """Connect Django to another database of the same server, or to another file."""
    site = connection.settings_dict["NAME"]
    _disconnect()
    connection.settings_dict["NAME"] = name
    try:
        yield
    finally:
        _disconnect()
        connection.settings_dict["NAME"] = site


def _disconnect() -> None:
    connection.close()
    if connection.vendor == "postgresql":
        connection.close_pool()  # type: ignore[attr-defined]  # only PostgreSQL has it


def _run_postgres_program(program: str, *options: str, database: str = "") -> None:
    """Run a program of PostgreSQL with the database's address and password from the settings."""
    wanted = connection.settings_dict | ({"NAME": database} if database else {})
    args, more = connection.client.settings_to_cmd_args_env(wanted, [])
    try:
        subprocess.run(  # noqa: S603
            [program, *args[1:-1], f"--dbname={args[-1]}", *options],
            env={**os.environ, **(more or {})},
            check=True,
        )
    except FileNotFoundError:
        raise CommandError(f"{program} is not installed on this machine. {UNCHANGED}") from None
    except subprocess.CalledProcessError as error:
        raise CommandError(
            f"{program} failed with status {error.returncode}. {UNCHANGED}"
        ) from None
