"""Prepares a checkout for serving: its database, its static files, and one value table."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection, migrations
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.operations.base import Operation
from django.db.models import NOT_PROVIDED

from game.management.collecting import collect
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
from game.pages.requests.readiness import explain_old_database, format_some
from solver.cli.output import show_progress
from solver.rules import Ruleset
from solver.tables import VALUES, TableError, open_table, write_whole
from solver.tables.maker import Busy, Failed, acquire_lock, prepare

Tell = Callable[[str], object]


def make_ready(
    tell: Tell, *, copy: bool = True, check: Callable[[], object] = lambda: None
) -> None:
    """Solve the default ruleset, call ``check``, collect static files, and migrate the database."""
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
        ensure_tables(tell)
        check()
        if left and has_tables():
            migrate_after_copy(tell, copy=copy)
        else:
            call_command("migrate", verbosity=0)
        forget_update()
        collecting.result()


def needs_stop(operations: Sequence[Operation]) -> bool:
    """Return whether these migrations would break a server that still runs the old version."""

    def is_harmless(operation: Operation) -> bool:
        if isinstance(operation, migrations.SeparateDatabaseAndState):
            return not needs_stop(operation.database_operations)
        if isinstance(operation, migrations.AddField):
            return operation.field.null or operation.field.db_default is not NOT_PROVIDED
        return isinstance(
            operation, migrations.CreateModel | migrations.AddIndex | migrations.AlterModelOptions
        )

    return not all(map(is_harmless, operations))


def migrate_after_copy(tell: Tell, *, copy: bool) -> None:
    """Back up the database if ``copy``, and migrate it; errors explain how to go back."""
    before = count_games()
    first = settings.VAR_DIR / UPDATING
    if copy:
        path = make_dated_path(BEFORE_UPDATE)
        tell(copy_to(path))
    if not first.exists():  # keep the copy from before a failed update, the only way back
        write_whole(first, str(path) if copy else "(the copy that you made by other means)")
    try:
        call_command("migrate", verbosity=0)
    except Exception as error:  # a migration may raise anything
        raise CommandError(
            f"The update stopped before its end: {type(error).__name__}: {error}\n"
            f"Games before: {before}. Games now: {count_games_or_explain()}.\n"
            "Do not start the site. Fix the cause, then run `./yatzy update` again; it overwrites "
            "no copy.\nThe way back: check out the former version, run `python3 install.py "
            f"site`, then `.venv/bin/yatzy restore {first.read_text()}`"
        ) from error
    tell(f"Games before: {before}. Games now: {count_games()}.")


def forget_update() -> None:
    """Delete the note of an unfinished update, once it is complete or a restore has undone it."""
    (settings.VAR_DIR / UPDATING).unlink(missing_ok=True)


def ensure_tables(tell: Tell) -> None:
    """Solve the default ruleset if its table is missing; the server solves other rulesets later."""
    rules = Game().rules
    try:
        open_table(rules)
    except TableError:
        tell(f"Solving {rules.title} (only once, for a few seconds)")
        solve(rules, tell)


def solve(rules: Ruleset, tell: Tell) -> None:
    try:
        with show_progress(f"Solving {rules.title}", quiet=False) as progress:
            prepare(rules, (VALUES,), progress)
    except Busy:
        tell("Another process is solving these rules. The coach starts when they are solved.")
    except Failed as error:
        raise CommandError(str(error)) from None
