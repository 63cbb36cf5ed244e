"""From nothing to a game in the browser: tables, database, static files, server."""

import socket
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from game.management import serving
from game.management.checks import what_to_set
from game.management.preparing import make_ready


class Command(BaseCommand):
    help = "Solve the table if it is missing, migrate, and serve the game."
    requires_system_checks = ()  # made once the tables are there, which one of them looks for

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--port", type=int, default=8000, help="where to listen (8000)")
        parser.add_argument("--host", default="127.0.0.1", help="on which address (127.0.0.1)")

    def handle(self, *args: Any, host: str, port: int, **options: Any) -> None:
        self.check_safe(host)
        self.check_free(host, port)
        make_ready(self.stdout.write, check=self.check)
        self.stdout.write(f"Yatzy is at http://{self.name_of(host)}:{port}/ (Ctrl+C stops it)")
        self.stdout.flush()
        self.serve(host, port)

    def check_free(self, host: str, port: int) -> None:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        try:
            with socket.socket(family) as trial:
                trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                trial.bind((host, port))
        except (OSError, OverflowError) as error:
            raise CommandError(
                f"port {port} of {host} cannot be used ({error}): try --port {port + 1}"
            ) from None

    def check_safe(self, host: str) -> None:
        """As the server itself does; here before a table is solved."""
        if wrong := what_to_set([host, *settings.ALLOWED_HOSTS]):
            raise CommandError(
                "\n  ".join(("Not served to the public before these are set:", *wrong))
            )

    def name_of(self, host: str) -> str:
        if host in {"127.0.0.1", "0.0.0.0", "::", "::1"}:  # noqa: S104
            return "localhost"
        return f"[{host}]" if ":" in host else host

    def serve(self, host: str, port: int) -> None:
        serving.serve(host, port)
