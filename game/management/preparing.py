"""What this checkout needs before it serves: the database as it wants it, static files, a table."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import CommandError

from game.management.collecting import collect
from game.models import Game
from game.web.readiness import database_too_old
from solver.cli.output import progress_bar
from solver.making import VALUES, Busy, Failed, prepare
from solver.making.progress import only_one
from solver.rules import Ruleset
from solver.tables import TableError, open_table

Tell = Callable[[str], object]


def make_ready(tell: Tell, before_migrating: Callable[[], object]) -> None:
    if too_old := database_too_old():
        raise CommandError(too_old)
    with only_one(settings.VAR_DIR / ".starting", wait=True), ThreadPoolExecutor(1) as beside:
        collecting = beside.submit(collect)  # most of which is compressed without the GIL
        ensure_tables(tell)
        before_migrating()
        call_command("migrate", verbosity=0)
        collecting.result()


def ensure_tables(tell: Tell) -> None:
    """What the game itself needs; the server makes the rest while it serves."""
    rules = Game().rules
    try:
        open_table(rules)
    except TableError:
        tell(f"Solving {rules.title}, once: a few seconds")
        solve(rules, tell)


def solve(rules: Ruleset, tell: Tell) -> None:
    try:
        with progress_bar(f"Solving {rules.title}", quiet=False) as progress:
            prepare(rules, (VALUES,), progress)
    except Busy:
        tell("Another process is at it: the coach comes when it is done")
    except Failed as error:
        raise CommandError(str(error)) from None
