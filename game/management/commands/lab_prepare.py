"""manage.py lab_prepare: work out what the pages of the lab show, and keep it."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from solver.cli.output import progress_bar
from solver.lab.results import exact, path_of, stored
from solver.players import PLAYERS, Player
from solver.tables import TableError


class Command(BaseCommand):
    help = "Work out and keep the exact distributions of all players, for the pages of the lab."

    def handle(self, *args: Any, **options: Any) -> None:
        for player in PLAYERS.values():
            try:
                self.prepare(player)
            except TableError as error:
                raise CommandError(str(error)) from None

    def prepare(self, player: Player) -> None:
        with progress_bar(player.title, quiet=False) as progress:
            mean = exact(player, progress=progress).distribution.mean
        if stored(player) is None:
            raise CommandError(f"{path_of(player)} cannot be written")
        self.stdout.write(f"{player.title}: mean {mean:.2f}")
