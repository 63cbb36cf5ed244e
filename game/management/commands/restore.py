"""./yatzy restore FILE: restore the database from a backup, and replay every game in it."""

from argparse import ArgumentParser
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from game.management.copies import (
    FAULTS,
    RESTORED,
    UNCHANGED,
    count_games,
    count_games_or_explain,
    exchange,
    keep_present,
    leave_mark,
    lock_site,
    put_back,
)
from game.management.preparing import forget_update


class Command(BaseCommand):
    help = "Restore the database from a backup. Stop the site first."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, help="backup to restore")
        parser.add_argument(
            "--drill",
            action="store_true",
            help="test every step except the last; the site may keep running and does not change",
        )
        parser.add_argument(
            "--yes",
            action="store_true",
            help="restore without asking for confirmation (for scripts)",
        )
        parser.add_argument(
            "--accept-faults",
            action="store_true",
            help="restore the backup even if some of its games cannot be replayed",
        )

    def handle(self, *args: Any, file: Path, drill: bool, **options: Any) -> None:
        file, self.exchanged = file.resolve(), False
        try:
            with ExitStack() as open_:
                if not drill and not open_.enter_context(lock_site(alone=True)):
                    raise CommandError(
                        "The site is being served, or another program uses its database: stop them "
                        f"(systemctl stop yatzy), then restore again. {UNCHANGED}"
                    )
                copy = open_.enter_context(put_back(file))
                if copy.faults and not options["accept_faults"]:
                    names = ", ".join(copy.faults)
                    raise CommandError(
                        f"{file} cannot be restored: these games do not replay: {names}. "
                        f"{UNCHANGED} (--accept-faults restores the file anyway)"
                    )
                if not drill:
                    self.replace(file, copy.database, copy.games, ask=not options["yes"])
                leave_mark(RESTORED, file, copy.games)
        except FAULTS as error:
            end = "The restored database is in place." if self.exchanged else UNCHANGED
            raise CommandError(f"{type(error).__name__}: {error}. {end}") from error
        self.stdout.write(f"Games replayed: {copy.games}")

    def replace(self, file: Path, database: str, games: int, *, ask: bool) -> None:
        """Ask for confirmation, back up the site's database, and replace it with ``database``."""
        before = count_games_or_explain()
        made = datetime.fromtimestamp(file.stat().st_mtime, UTC)
        self.stdout.write(f"Games on the site: {before}. In the copy of {made:%F %T}: {games}.")
        if ask:
            try:
                answer = input("Replace the site's database with the copy? [y/N] ")
            except EOFError:
                answer = ""
            if answer.strip().lower() not in {"y", "yes"}:
                raise CommandError(f"Not restored (scripts can pass --yes). {UNCHANGED}")
        self.stdout.write(f"The former database: {keep_present()}")
        exchange(database)
        self.exchanged = True
        forget_update()
        self.stdout.write(f"Games before: {before}. Games now: {count_games()}.")
