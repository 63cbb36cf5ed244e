"""From nothing to a game in the browser: tables, database, static files, server."""

import os
import socket
import sys
from argparse import ArgumentParser
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError

from game.management.checks import what_to_set
from game.management.collecting import collect
from game.models import Game
from solver.cli.output import progress_bar
from solver.making import VALUES, Busy, Failed, prepare
from solver.making.progress import only_one
from solver.rules import Ruleset
from solver.tables import TableError, open_table

WORD = "4096"  # bytes: sockets only listen, and a longer message is not even read


class Command(BaseCommand):
    help = "Solve the table if it is missing, migrate, and serve the game."
    requires_system_checks = ()  # made once the tables are there, which one of them looks for

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--port", type=int, default=8000, help="where to listen (8000)")
        parser.add_argument("--host", default="127.0.0.1", help="on which address (127.0.0.1)")

    def handle(self, *args: Any, host: str, port: int, **options: Any) -> None:
        self.check_safe(host)
        self.check_free(host, port)
        with only_one(settings.VAR_DIR / ".starting", wait=True), ThreadPoolExecutor(1) as beside:
            collecting = beside.submit(collect)  # most of which is compressed without the GIL
            self.ensure_tables()
            self.check()
            call_command("migrate", verbosity=0)
            collecting.result()
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

    def ensure_tables(self) -> None:
        """What the game itself needs; the server makes the rest while it serves."""
        rules = Game().rules
        try:
            open_table(rules)
        except TableError:
            self.stdout.write(f"Solving {rules.title}, once: a few seconds")
            self.solve(rules)

    def solve(self, rules: Ruleset) -> None:
        try:
            with progress_bar(f"Solving {rules.title}", quiet=False) as progress:
                prepare(rules, (VALUES,), progress)
        except Busy:
            self.stdout.write("Another process is at it: the coach comes when it is done")
        except Failed as error:
            raise CommandError(str(error)) from None

    def name_of(self, host: str) -> str:
        if host in {"127.0.0.1", "0.0.0.0", "::", "::1"}:  # noqa: S104
            return "localhost"
        return f"[{host}]" if ":" in host else host

    def serve(self, host: str, port: int) -> None:
        """In a new process, which does not carry the compiler and finds the static files."""
        uvicorn = ["-m", "uvicorn", "yatzy_site.asgi:application", "--log-level", "warning"]
        uvicorn += ["--http", "yatzy_site.connections:PatientProtocol"]
        uvicorn += ["--ws-max-size", WORD]
        command = [sys.executable, *uvicorn, "--host", host, "--port", str(port)]
        os.execv(sys.executable, command)  # noqa: S606
