"""./yatzy forget --idle-days N: delete idle guests, and personal data of closed trials."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from game.core.accounts import delete_idle_guests, query_idle_guests
from game.core.spent_tickets import query_expired_tickets
from game.core.studies import get_studies


class Command(BaseCommand):
    help = (
        "Delete idle guests without a finished game, the data of withdrawn participants, and "
        "the external IDs of closed trials, all after --idle-days days."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        add = parser.add_argument
        add(
            "--idle-days",
            type=int,
            required=True,
            help="days without activity before the command deletes data (at least 1)",
        )
        add(
            "--with-games",
            action="store_true",
            help="also delete idle guests who finished games, with their games",
        )
        add("--dry-run", action="store_true", help="print the numbers; delete nothing")

    def handle(
        self, *args: Any, idle_days: int, with_games: bool, dry_run: bool, **options: Any
    ) -> None:
        if idle_days < 1:
            raise CommandError("--idle-days must be at least 1")
        if dry_run:
            idle = query_idle_guests(days=idle_days, with_games=with_games).count()
            self.stdout.write(f"Guests to delete: {idle}")
        else:
            gone = delete_idle_guests(days=idle_days, with_games=with_games)
            self.stdout.write(f"Guests deleted: {gone}")
        expired = {"Expired tickets": query_expired_tickets()}
        for what, traces in (expired | get_studies().query_deletable(idle_days)).items():
            if count := traces.count() if dry_run else traces.delete()[0]:
                self.stdout.write(f"{what}: {count}")
