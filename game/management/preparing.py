"""Prepares a checkout for serving: its database, its static files, and one value table."""

import hashlib
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path

from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection, migrations
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.operations.base import Operation
from django.db.models import NOT_PROVIDED

from game.management.copies import (
    BEFORE_UPDATE,
    UPDATING,
    copy_to,
    count_games,
    count_games_or_explain,
    has_tables,
    is_served,
    make_dated_path,
)
from game.models import Game
from game.pages.requests.readiness import (
    MANIFEST,
    explain_old_database,
    format_some,
    list_stale_files,
)
from solver.cli.output import show_progress
from solver.rules import Ruleset
from solver.tables import VALUES, TableError, open_table, write_whole
from solver.tables.maker import Busy, Failed, acquire_lock, prepare

NOTE = ".collected"  # this file is deleted together with the static folder
Report = Callable[[str], object]


def collect() -> bool:
    """Collect static files if they have changed; return whether they had."""
    facts = [
        f"{settings.STATIC_URL} {settings.STORAGES['staticfiles']}",
        f"django {version('django')} whitenoise {version('whitenoise')}",
    ]
    for finder in get_finders():
        for name, storage in finder.list([]):
            path = storage.path(name)
            stat = os.stat(path)
            facts.append(f"{path} {stat.st_size} {stat.st_mtime_ns}")
    sources = hashlib.sha256("\n".join(sorted(facts)).encode()).hexdigest()
    note = ""
    with suppress(OSError):
        note = (_find_root() / NOTE).read_text()
    if note == _fingerprint_all(sources):
        return False
    for name in list_stale_files():  # collectstatic would keep stale files of a newer version
        (_find_root() / name).unlink(missing_ok=True)
    call_command("collectstatic", interactive=False, verbosity=0)
    (_find_root() / NOTE).write_text(_fingerprint_all(sources))
    return True


def _fingerprint_all(sources: str) -> str:
    """Return a hash of the source and the collected files, which differs after any change."""
    try:
        manifest = (_find_root() / MANIFEST).read_bytes()
    except OSError:
        return "nothing is collected"
    return f"{sources}\n{hashlib.sha256(manifest).hexdigest()}\n"


def _find_root() -> Path:
    return Path(settings.STATIC_ROOT)


def prepare_site(
    report: Report, *, copy: bool = True, check: Callable[[], object] = lambda: None
) -> None:
    """Solve the default ruleset, run the checks, collect static files, and migrate the database."""
    if too_old := explain_old_database():
        raise CommandError(too_old)
    with (
        acquire_lock(settings.VAR_DIR / ".starting", wait=True),
        ThreadPoolExecutor(1) as collector,
    ):
        loader = MigrationLoader(connection)
        nodes = loader.graph.nodes.items()
        left = [migration for key, migration in nodes if key not in loader.applied_migrations]
        stopping = [
            f"{migration.app_label} {migration.name}"
            for migration in left
            if needs_stop(migration.operations)
        ]
        if stopping and has_tables() and is_served():
            raise CommandError(
                "The site is being served, and would fail during this update "
                f"({format_some(stopping)}). Nothing was changed. Stop the site (systemctl stop "
                f"yatzy), then update again. Games: {count_games()}."
            )
        collecting = collector.submit(collect)  # compressing mostly runs without the GIL
        ensure_tables(report)
        check()
        if left and has_tables():
            games = count_games()
            first = settings.VAR_DIR / UPDATING
            if copy:
                path = make_dated_path(BEFORE_UPDATE)
                report(copy_to(path))
            # Keep the copy from before a failed update: it is the only way back.
            if not first.exists():
                write_whole(first, str(path) if copy else "(the copy that you made by other means)")
            try:
                call_command("migrate", verbosity=0)
            except Exception as error:  # a migration may raise any error
                raise CommandError(
                    f"The update stopped before its end: {type(error).__name__}: {error}\n"
                    f"Games before: {games}. Games now: {count_games_or_explain()}.\n"
                    "Do not start the site. Fix the cause, then run `./yatzy update` again; it "
                    "overwrites no copy.\nThe way back: check out the former version, run "
                    "`python3 install.py site`, then "
                    f"`.venv/bin/yatzy restore {first.read_text()}`"
                ) from error
            report(f"Games before: {games}. Games now: {count_games()}.")
        else:
            call_command("migrate", verbosity=0)
        forget_update()
        collecting.result()


def needs_stop(operations: Sequence[Operation]) -> bool:
    """Return whether these migrations would break a running server of the old version."""

    def is_harmless(operation: Operation) -> bool:
        if isinstance(operation, migrations.SeparateDatabaseAndState):
            return not needs_stop(operation.database_operations)
        if isinstance(operation, migrations.AddField):
            return operation.field.null or operation.field.db_default is not NOT_PROVIDED
        return isinstance(
            operation, migrations.CreateModel | migrations.AddIndex | migrations.AlterModelOptions
        )

    return not all(map(is_harmless, operations))


def forget_update() -> None:
    """Delete the note of an unfinished update: it is now complete, or a restore has undone it."""
    (settings.VAR_DIR / UPDATING).unlink(missing_ok=True)


def ensure_tables(report: Report) -> None:
    """Solve the default ruleset if its table is missing. The server solves other rulesets later."""
    rules = Game().rules
    try:
        open_table(rules)
    except TableError:
        report(f"Solving {rules.title} (only once, for a few seconds)")
        solve(rules, report)


def solve(rules: Ruleset, report: Report) -> None:
    try:
        with show_progress(f"Solving {rules.title}", quiet=False) as progress:
            prepare(rules, (VALUES,), progress)
    except Busy:
        report("Another process is solving these rules. The coach starts when they are solved.")
    except Failed as error:
        raise CommandError(str(error)) from None
