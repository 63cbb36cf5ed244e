"""Finds a Chromium: the system's, else Playwright's own download, else Debian's package."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from playwright.sync_api import Browser, Error, Playwright

NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
# Nothing but the page under test may reach for the network, and a container has no sandbox.
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
HOW_TO = (
    "no Chromium: install the package chromium, or run '.venv/bin/python -m playwright install "
    "--with-deps chromium'"
)


def launch(playwright: Playwright) -> Browser | None:
    """The first browser that starts, fetched if need be."""
    fetchers: tuple[Callable[[], None], ...] = (lambda: None, _download, _install)
    for fetch in fetchers:
        fetch()
        for path in _installed(playwright):
            with suppress(Error):
                return playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
    return None


def _installed(playwright: Playwright) -> Iterator[str]:
    yield from filter(None, map(shutil.which, NAMES))
    own = playwright.chromium.executable_path
    if Path(own).exists():
        yield own


def _download() -> None:
    _run([sys.executable, "-m", "playwright", "install", "chromium"], seconds=300)


def _install() -> None:
    if os.geteuid() == 0 and shutil.which("apt-get"):
        _run(["apt-get", "update"], seconds=120)
        _run(["apt-get", "install", "--yes", "--no-install-recommends", "chromium"], seconds=300)


def _run(command: list[str], seconds: int) -> None:
    with suppress(OSError, subprocess.TimeoutExpired):
        subprocess.run(command, capture_output=True, timeout=seconds)
