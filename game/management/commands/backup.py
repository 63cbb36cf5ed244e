"""./yatzy backup FILE: the database in one file, consistent while the site runs."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from game.management.copies import copy_to


class Command(BaseCommand):
    help = "Copy the database into a file, while the site runs."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)

    def handle(self, *args: Any, file: Path, **options: Any) -> None:
        self.stdout.write(copy_to(file))
