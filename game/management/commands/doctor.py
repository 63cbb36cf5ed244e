"""./yatzy doctor: check every part that a site needs, and print the remedies.

Each check returns a state and a text. An exception counts as an error of the checked part.
"""

import ctypes
import json
import os
import re
import shutil
import subprocess
from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from itertools import product
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core import checks
from django.core.cache import cache
from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError, connection
from redis.exceptions import RedisError

from game.core.disk import report_full_disk
from game.management.catalogues import find_outdated
from game.management.checks import is_public, list_unsafe_settings
from game.management.copies import (
    COPIED,
    RESTORED,
    describe_database,
    explain_old_pg_dump,
    read_mark,
)
from game.management.releases import list_differing_packages
from game.models import Decision, Game
from game.pages.requests.readiness import (
    MANIFEST,
    explain_old_database,
    format_some,
    list_later_migrations,
    list_stale_files,
    list_unapplied,
)
from solver.rules import RULESETS
from solver.tables import MissingTable, TableError, find_tables_dir, open_table
from solver.tables.parts import PARTS

OK, WARNING, ERROR = "ok", "warning", "error"
Finding = tuple[str, str]
UPDATE = "run `./yatzy update`"
SCARCE = 1_000_000_000  # bytes of free disk space
COPY_AGE, DRILL_AGE = timedelta(days=2), timedelta(days=40)
UNSYNCHRONISED = 5  # adjtimex returns this value if no time service sets the clock
OLDEST_PROXY = (2, 6)  # the version of Caddy with which deploy/Caddyfile was tested
SLACK = timedelta(minutes=1)  # largest difference between two clocks that is no error
TABLES_SAID_ELSEWHERE = "game.W001"


@dataclass(frozen=True)
class Examined:
    name: str
    state: str
    text: str


def examine() -> Iterator[Examined]:
    for name, look in PIECES.items():
        try:
            state, text = look()
        except (DatabaseError, OSError, ValueError, CommandError) as error:
            state, text = ERROR, " ".join(str(error).split())
        yield Examined(name, state, text)


def check_settings() -> Finding:
    where = f"{settings.SETTINGS_FILE or 'no file'}, and the environment"
    if unsafe := list_unsafe_settings(settings.ALLOWED_HOSTS):
        return ERROR, f"the server does not start until you set: {'; '.join(unsafe)}"
    public = any(map(is_public, settings.ALLOWED_HOSTS))
    messages = checks.run_checks(include_deployment_checks=public)
    messages = [message for message in messages if message.id != TABLES_SAID_ELSEWHERE]
    if messages:
        worst = max(message.level for message in messages)
        text = "; ".join(f"{message.msg} {message.hint or ''}".strip() for message in messages)
        return ERROR if worst >= checks.ERROR else WARNING, text
    if settings.OTHERWISE:
        return WARNING, f"{where}, which has other values for {', '.join(settings.OTHERWISE)}"
    return OK, where


def check_packages() -> Finding:
    differing = list_differing_packages()
    return (
        (WARNING, f"{format_some(differing)}; {UPDATE}")
        if differing
        else (OK, "the pinned versions")
    )


def check_database() -> Finding:
    return OK, describe_database()


def check_migrations() -> Finding:
    if too_old := explain_old_database():
        return ERROR, too_old
    if missing := list_unapplied():
        return ERROR, f"migrations to apply: {format_some(missing)}; {UPDATE}"
    if missing := list_later_migrations():
        return WARNING, f"the database is newer than this version: {format_some(missing)}"
    return OK, "all applied"


def check_static_files() -> Finding:
    if stale := list_stale_files():
        return ERROR, f"files of another version: {format_some(stale)}; {UPDATE}"
    if not (Path(settings.STATIC_ROOT) / MANIFEST).exists():
        return WARNING, f"not collected, so browsers do not cache them: {UPDATE}"
    return OK, "as in the checkout"


def check_translations() -> Finding:
    stale = [source.parents[1].name for source in find_outdated()]
    return (WARNING, f"not compiled: {format_some(stale)}; {UPDATE}") if stale else (OK, "compiled")


def check_tables() -> Finding:
    """Check the value tables by reading every row, as the server reads them."""
    damaged, lacking = [], set()
    for rules, kind in product(RULESETS.values(), PARTS):
        try:
            open_table(rules, kind).check()
        except MissingTable:
            lacking.add(rules.id)
        except TableError as fault:
            damaged.append(str(fault))
    if damaged:
        return ERROR, "; ".join(damaged)
    if not lacking:
        return OK, f"all in {find_tables_dir()}"
    who = "the server makes them" if settings.MAKE_TABLES else "run `./yatzy prepare`"
    usual = Game().rules.id
    state = WARNING if usual in lacking and not settings.MAKE_TABLES else OK
    names = sorted(lacking, key=lambda name: (name != usual, name))
    return state, f"missing for {format_some(names)}: {who}"


def check_clock() -> Finding:
    now = datetime.now(UTC)
    newest = Decision.objects.order_by("-pk").values_list("created_at", flat=True).first()
    if newest and newest > now + SLACK:
        return ERROR, (
            f"the clock shows {now:%F %T}, before the newest decision at {newest:%F %T} (UTC)"
        )
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT CURRENT_TIMESTAMP")
            if abs(cursor.fetchone()[0] - now) > SLACK:
                return ERROR, "PostgreSQL's clock differs by more than a minute"
    if ctypes.CDLL(None).adjtimex(ctypes.create_string_buffer(512)) == UNSYNCHRONISED:
        return WARNING, "no service synchronises the clock: run `timedatectl set-ntp true`"
    return OK, f"{now:%F %T} UTC"


def check_disk() -> Finding:
    folder = settings.VAR_DIR
    if not os.access(folder, os.W_OK):
        return ERROR, f"{folder} cannot be written"
    if lack := report_full_disk():
        return ERROR, lack
    free = min(
        shutil.disk_usage(path).free for path in (folder, find_tables_dir()) if path.exists()
    )
    return (WARNING if free < SCARCE else OK), f"{free / 1e9:,.1f} GB are free"


def check_redis() -> Finding:
    if not settings.REDIS_URL:
        return OK, "not used"
    try:
        cache.get("")
    except RedisError as error:
        return WARNING, f"each process counts limits separately, watchers get no updates: {error}"
    return OK, "answers"


def check_proxy() -> Finding:
    """Check the version of Caddy on this machine. Without Caddy, return OK."""
    caddy = shutil.which("caddy")
    if caddy is None:
        return OK, "no Caddy on this machine, so there is nothing to check"
    version = subprocess.run([caddy, "version"], capture_output=True, text=True, timeout=30)  # noqa: S603
    numbers = re.search(r"(\d+)\.(\d+)\.\d+", version.stdout)
    if numbers is None:
        return WARNING, f"{caddy} does not report its version"
    new_enough = tuple(map(int, numbers.groups())) >= OLDEST_PROXY
    return (OK if new_enough else WARNING), f"Caddy {numbers[0]}"


def check_backups() -> Finding:
    if too_old := explain_old_pg_dump():
        return ERROR, too_old
    return _check_mark(COPIED, COPY_AGE, "there is no backup: run `./yatzy backup FILE`")


def check_restores() -> Finding:
    never = "no backup was ever restored: run `./yatzy restore --drill FILE`"
    return _check_mark(RESTORED, DRILL_AGE, never, "replayed: ")


def _check_mark(what: str, most: timedelta, never: str, how: str = "") -> Finding:
    if (mark := read_mark(what)) is None:
        return WARNING, never
    age = datetime.now(UTC) - datetime.fromisoformat(mark.made)
    hours = age // timedelta(hours=1)
    old = f"{hours} hours" if hours < 48 else f"{hours // 24} days"
    text = f"{how}{mark.file}, {old} old, games: {mark.games:,}"
    return ERROR if age > most else OK, text


PIECES: dict[str, Callable[[], Finding]] = {
    "settings": check_settings,
    "packages": check_packages,
    "database": check_database,
    "migrations": check_migrations,
    "static files": check_static_files,
    "translations": check_translations,
    "tables": check_tables,
    "clock": check_clock,
    "disk": check_disk,
    "redis": check_redis,
    "proxy": check_proxy,
    "last backup": check_backups,
    "last restore": check_restores,
}


class Command(BaseCommand):
    help = "Check everything that the site needs. Exit status: 1 if there is an error."
    requires_system_checks = ()  # the function examine() runs Django's checks

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--json", action="store_true", help="print JSON, for programs")

    def handle(self, *args: Any, **options: Any) -> None:
        pieces = list(examine())
        faults = [piece.name for piece in pieces if piece.state == ERROR]
        if options["json"]:
            report = {"ok": not faults, "pieces": [asdict(piece) for piece in pieces]}
            self.stdout.write(json.dumps(report, indent=2))
        else:
            style = {ERROR: self.style.ERROR, WARNING: self.style.WARNING}
            for piece in pieces:
                state = style.get(piece.state, self.style.SUCCESS)(f"{piece.state:<8}")
                self.stdout.write(f"{state} {piece.name:<20} {piece.text}")
        if faults:
            raise CommandError(f"errors to fix: {', '.join(faults)}")
