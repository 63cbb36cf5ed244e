"""Readiness: the reasons why a server cannot serve this version, or cannot store anything.

The server checks for startup problems when it starts. /readyz also checks for running problems,
and `./yatzy doctor` checks more.
"""

import filecmp
import json
import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path

from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.db import DEFAULT_DB_ALIAS, DatabaseError, connection, connections
from django.db.migrations.loader import MigrationLoader

from game.core.disk import report_full_disk
from game.core.kind import load_kinds
from game.models import Game
from solver.tables import VALUES
from solver.tables.parts import find_existing_parts

LAST_WITH_OLD_MIGRATIONS = "3f1e58a"  # the version whose database the initial migration makes
MANIFEST = "staticfiles.json"  # collectstatic writes this file last, when no file is missing
SHOWN = 3  # number of names in a message


def list_startup_problems() -> list[str]:
    """Return why this version cannot run. Ignore a database that is down: it may come back."""
    try:
        unusable, lacking = explain_old_database(), list_unapplied()
        missing = set() if unusable or lacking else set(Game.Mode.values) - set(load_kinds())
        if missing and Game.objects.filter(mode__in=missing).exists():
            names = format_some(sorted(missing))
            unusable = f"INSTALLED_APPS lacks an app whose games the database has (mode {names})"
    except DatabaseError:
        unusable, lacking = "", []
    if unusable:
        return [unusable]
    lacks = [("the database lacks migrations", lacking)]
    lacks += [("the collected static files are of another version", list_stale_files())]
    return [
        f"{what} ({format_some(names)}): run `./yatzy update`" for what, names in lacks if names
    ]


PROBE = 64 * 1024  # bytes of a test file; a move needs less


def list_running_problems() -> list[str]:
    """Return why the server cannot store anything now, or cannot coach the default ruleset."""
    wrong = [lack] if (lack := report_full_disk()) else []
    try:
        with tempfile.TemporaryFile(dir=settings.VAR_DIR) as probe:
            probe.write(bytes(PROBE))
            probe.flush()
    except OSError as error:
        wrong.append(f"the server cannot store files in {settings.VAR_DIR} ({error.strerror})")
    if _is_read_only():
        wrong.append("the database is read-only")
    usual = Game().rules
    if not find_existing_parts(usual)[VALUES]:
        wrong.append(f"the value table of {usual.id} is missing: run `yatzy prepare {usual.id}`")
    return wrong


def _is_read_only() -> bool:
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT current_setting('transaction_read_only')")
            return bool(cursor.fetchone()[0] == "on")
    path = Path(str(connection.settings_dict["NAME"]))
    if not path.exists():
        return False
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=rw", 0, uri=True)) as probe:
            probe.execute("BEGIN IMMEDIATE")
    except sqlite3.OperationalError as error:
        return "locked" not in str(error)  # "locked": another process is writing
    return False


def format_some(names: list[str]) -> str:
    more = [f"{len(names) - SHOWN} more"] if len(names) > SHOWN else []
    return ", ".join((*names[:SHOWN], *more))


def explain_old_database(using: str = DEFAULT_DB_ALIAS) -> str:
    """Return why this version cannot migrate the database, else "". A squashed migration replaces
    several others. If only some of these are applied, Django silently skips it."""
    loader = MigrationLoader(connections[using])
    for migration in loader.replacements.values():
        lacking = [key for key in migration.replaces if key not in loader.applied_migrations]
        if lacking and len(lacking) < len(migration.replaces):
            return (
                f"the database is too old for this version ({len(lacking)} migrations were never"
                f" applied): check out {LAST_WITH_OLD_MIGRATIONS}, run `.venv/bin/yatzy update`"
                " there, then check out this version and run `./yatzy update` again"
            )
    return ""


def list_unapplied() -> list[str]:
    """Return the migrations that the database lacks. An empty database lacks all of them."""
    loader = MigrationLoader(connection)
    return [
        f"{app} {name}"
        for app, name in sorted(_list_known(loader) - set(loader.applied_migrations))
    ]


def list_later_migrations() -> list[str]:
    loader = MigrationLoader(connection)
    apps = {app for app, _name in _list_known(loader)}
    ahead = sorted(set(loader.applied_migrations) - _list_known(loader))
    return [f"{app} {name}" for app, name in ahead if app in apps]


def _list_known(loader: MigrationLoader) -> set[tuple[str, str]]:
    replaced = {key for migration in loader.replacements.values() for key in migration.replaces}
    return {(app, name) for app, name in loader.graph.nodes if name} | (
        replaced & set(loader.applied_migrations)
    )


def list_stale_files() -> list[str]:
    """Return the static files whose collected copy differs or is missing. If nothing was collected,
    Django serves the sources, so return []."""
    root = Path(settings.STATIC_ROOT)
    try:
        named = json.loads((root / MANIFEST).read_text())["paths"]
    except FileNotFoundError:
        return []
    except ValueError:
        return [MANIFEST]
    stale = []
    for finder in get_finders():
        for name, storage in finder.list([]):
            try:
                same = name in named and filecmp.cmp(storage.path(name), root / name, shallow=False)
            except OSError:
                same = False
            if not same:
                stale.append(name)
    return stale
