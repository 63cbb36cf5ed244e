"""./yatzy play: prepare tables, database and static files, and then serve the game."""

import socket
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from game.management.checks import list_unsafe_settings
from game.management.commands.serve import add_address, serve
from game.management.preparing import prepare_site


class Command(BaseCommand):
    help = "Solve Yatzy if its value table is missing, migrate the database, and serve the game."
    requires_system_checks = ()  # prepare_site() runs the checks, once the tables exist

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_address(parser)

    def handle(self, *args: Any, host: str, port: int, **options: Any) -> None:
        # The server also makes this check. This command makes it before it solves a table.
        if wrong := list_unsafe_settings([host, *settings.ALLOWED_HOSTS]):
            lines = ("Set these before you serve the public:", *wrong)
            raise CommandError("\n  ".join(lines))
        try:
            with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as trial:
                trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                trial.bind((host, port))
        except (OSError, OverflowError) as error:
            raise CommandError(
                f"port {port} of {host} cannot be used ({error}): try --port {port + 1}"
            ) from None
        prepare_site(self.stdout.write, check=self.check)
        name = f"[{host}]" if ":" in host else host
        if host in {"127.0.0.1", "0.0.0.0", "::", "::1"}:  # noqa: S104
            name = "localhost"
        self.stdout.write(f"Yatzy runs at http://{name}:{port}/ (press Ctrl+C to stop it)")
        self.stdout.flush()
        serve(host, port)
