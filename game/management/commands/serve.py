"""yatzy serve: the server as a service runs it. What it needs `yatzy update` has made before."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from game.management.serving import refusals, serve


class Command(BaseCommand):
    help = "Serve the site as a service does; nothing is made beforehand, and what lacks is told."
    requires_system_checks = ()  # what keeps it from serving is asked instead

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--port", type=int, default=8000, help="where to listen (8000)")
        parser.add_argument("--host", default="127.0.0.1", help="on which address (127.0.0.1)")

    def handle(self, *args: Any, host: str, port: int, **options: Any) -> None:
        if wrong := refusals([host]):
            raise CommandError("\n  ".join(("Not served:", *wrong)))
        serve(host, port)
