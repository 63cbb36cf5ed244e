"""./yatzy serve: run the server, as the systemd unit does. Run `./yatzy update` first."""

import os
import sys
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from game.management.checks import list_unsafe_settings
from game.pages.requests.readiness import list_startup_problems

WORD = "4096"  # bytes; the server refuses longer WebSocket messages
FIRST_FD = "3"  # the first file descriptor from systemd
GRACE = "30"  # seconds in which the server may finish running requests
UVICORN = [
    *("-m", "uvicorn", "yatzy_site.asgi:application", "--log-level", "warning"),
    *("--http", "yatzy_site.connections:PatientProtocol", "--ws-max-size", WORD),
    *("--timeout-graceful-shutdown", GRACE),
]


def list_refusals(hosts: list[str]) -> list[str]:
    """Return the reasons why a server with these host names does not start, or [] if it starts."""
    unsafe = list_unsafe_settings([*hosts, *settings.ALLOWED_HOSTS])
    return [
        *(f"before you serve the public, set {text}" for text in unsafe),
        *list_startup_problems(),
    ]


def serve(host: str, port: int) -> None:
    """Replace this process by uvicorn, which then has no compiler loaded and finds new static
    files. uvicorn itself reads WEB_CONCURRENCY and FORWARDED_ALLOW_IPS."""
    # systemd may have opened the server's socket, which stays open during a restart
    given = os.environ.get("LISTEN_PID"), os.environ.get("LISTEN_FDS")
    where = (
        ["--fd", FIRST_FD]
        if given == (str(os.getpid()), "1")
        else ["--host", host, "--port", str(port)]
    )
    os.execv(sys.executable, [sys.executable, *UVICORN, *where])  # noqa: S606


def add_address(parser: ArgumentParser) -> None:
    parser.add_argument("--port", type=int, default=8000, help="port to listen on (default: 8000)")
    parser.add_argument(
        "--host", default="127.0.0.1", help="address to listen on (default: 127.0.0.1)"
    )


class Command(BaseCommand):
    help = "Run the server without building anything; report what is missing."
    requires_system_checks = ()  # list_refusals() makes these checks

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_address(parser)

    def handle(self, *args: Any, host: str, port: int, **options: Any) -> None:
        if wrong := list_refusals([host]):
            raise CommandError("\n  ".join(("The server cannot start:", *wrong)))
        serve(host, port)
