"""./yatzy backup FILE: copy the database into one consistent file, even while the site runs."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from game.management.copies import FAULTS, UNCHANGED, copy_to


class Command(BaseCommand):
    help = "Copy the database into a file. The site may run."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, help="backup file to write")

    def handle(self, *args: Any, file: Path, **options: Any) -> None:
        try:
            copy = copy_to(file)
        except FAULTS as error:
            raise CommandError(
                f"The backup failed: {type(error).__name__}: {error}. {UNCHANGED} "
                "No earlier backup is lost."
            ) from error
        self.stdout.write(copy)
