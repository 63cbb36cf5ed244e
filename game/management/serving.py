"""The server, called alike wherever it is started."""

import os
import sys

from django.conf import settings

from game.management.checks import what_to_set
from game.web.readiness import unready

WORD = "4096"  # bytes: sockets only listen, and a longer message is not even read
GRACE = "30"  # seconds in which what was begun is answered
UVICORN = [
    *("-m", "uvicorn", "yatzy_site.asgi:application", "--log-level", "warning"),
    *("--http", "yatzy_site.connections:PatientProtocol", "--ws-max-size", WORD),
    *("--timeout-graceful-shutdown", GRACE),
]


def refusals(hosts: list[str]) -> list[str]:
    """Why a server of these names does not start."""
    unsafe = what_to_set([*hosts, *settings.ALLOWED_HOSTS])
    return [*(f"before the public is served, set {text}" for text in unsafe), *unready()]


def serve(host: str, port: int) -> None:
    """In the place of this process: a new one does not carry the compiler, and finds the static
    files. uvicorn itself reads WEB_CONCURRENCY and FORWARDED_ALLOW_IPS."""
    where = ["--host", host, "--port", str(port)]
    os.execv(sys.executable, [sys.executable, *UVICORN, *where])  # noqa: S606
