"""From nothing to a game in the browser: tables, database, static files, server."""

import os
import socket
import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError

from solver.advice import Advisor
from solver.cli.solve import solve_to
from solver.rules import YATZY
from solver.tables import TableError, table_path


class Command(BaseCommand):
    help = "Solve the table if it is missing, migrate, and serve the game."
    requires_system_checks = ()  # made once the tables are there, which one of them looks for

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--port", type=int, default=8000, help="where to listen (8000)")
        parser.add_argument("--host", default="127.0.0.1", help="on which address (127.0.0.1)")

    def handle(self, *args: Any, host: str, port: int, **options: Any) -> None:
        self.check_free(host, port)
        self.ensure_tables()
        self.check()
        call_command("migrate", verbosity=0)
        call_command("collectstatic", interactive=False, verbosity=0)
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

    def ensure_tables(self) -> None:
        try:
            Advisor.open(YATZY)
        except TableError:
            self.stdout.write("Solving Yatzy, once: a few seconds")
            solve_to(YATZY, table_path(YATZY), quiet=False)

    def name_of(self, host: str) -> str:
        if host in {"127.0.0.1", "0.0.0.0", "::", "::1"}:  # noqa: S104
            return "localhost"
        return f"[{host}]" if ":" in host else host

    def serve(self, host: str, port: int) -> None:
        """In a new process, which does not carry the compiler and finds the static files."""
        uvicorn = ["-m", "uvicorn", "yatzy_site.asgi:application", "--log-level", "warning"]
        command = [sys.executable, *uvicorn, "--host", host, "--port", str(port)]
        os.execv(sys.executable, command)  # noqa: S606
