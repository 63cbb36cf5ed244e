"""yatzy restore FILE: the database as a backup has it, and every game of it replayed."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError

from game.management.copies import RESTORED, copy_back, drill, leave_mark
from game.models import Game
from game.selectors.replaying import games_that_do_not_replay


class Command(BaseCommand):
    help = "Put the database back as a backup has it. Stop the site before."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument(
            "--drill",
            action="store_true",
            help="into a database of its own, which goes away again; the site may run",
        )

    def handle(self, *args: Any, file: Path, **options: Any) -> None:
        if options["drill"]:
            drill(file.resolve())
            return
        copy_back(file)
        call_command("migrate", verbosity=0)
        wrong = list(games_that_do_not_replay())
        if wrong:
            raise CommandError(f"games that do not replay: {', '.join(wrong)}")
        leave_mark(RESTORED, file)
        self.stdout.write(f"Games replayed: {Game.objects.count()}")
