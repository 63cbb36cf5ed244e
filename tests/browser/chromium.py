"""Finds a Chromium: the system's, else Playwright's own download, else Debian's package.

`python -m tests.browser.chromium` does so before the suite starts, and says what went wrong. It
also fetches the one without windows, where that may be done: the whole browser draws its own
buttons beside every page, and costs nearly twice as much; and what Playwright's driver needs, which
a bare Debian has not.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

from playwright.sync_api import Browser, Error, Playwright, sync_playwright

DRIVER_NEEDS = "libatomic1"
LIGHT = "chromium-headless-shell"
NAMES = (LIGHT, "chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
# Only the page under test may use the network, and a container has no sandbox.
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--in-process-gpu",  # saves a process that would get every picture
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


# Milliseconds: a newly installed browser may start slowly the first time.
PATIENCE = (30_000, 120_000)


class NoBrowser(Exception):
    """No browser could be started; the message has every reason, and what to do."""


def launch(playwright: Playwright, *more: str) -> Browser:
    """Return the first browser that starts, fetched if need be, with ``more`` arguments."""
    fetchers: tuple[Callable[[], None], ...] = (lambda: None, _download, _install)
    problems: list[str] = []
    for fetch in fetchers:
        fetch()
        for path in _installed(playwright):
            for patience in PATIENCE:
                try:
                    return playwright.chromium.launch(
                        executable_path=path, args=[*ARGUMENTS, *more], timeout=patience
                    )
                except Error as error:
                    problems.append(f"{path}: {error}")
    raise NoBrowser("\n".join([HOW_TO, *problems]))


def _installed(playwright: Playwright) -> Iterator[str]:
    yield from filter(None, map(shutil.which, NAMES))
    own = playwright.chromium.executable_path
    if Path(own).exists():
        yield own


def _download() -> None:
    _run([sys.executable, "-m", "playwright", "install", "chromium"], seconds=300)


def _install(package: str = "chromium") -> None:
    if os.geteuid() == 0 and shutil.which("apt-get"):
        _update()
        _run(["apt-get", "install", "--yes", "--no-install-recommends", package], seconds=300)


@cache
def _update() -> None:
    _run(["apt-get", "update", "-o", "Acquire::Retries=0"], seconds=60)


def driver_problem() -> str:
    started = subprocess.run(
        [sys.executable, "-m", "playwright", "--version"], capture_output=True, text=True
    )
    if started.returncode == 0:
        return ""
    return started.stderr.strip().rpartition("\n")[2] or f"it ended with {started.returncode}"


def _prefer_the_light_one() -> None:
    if shutil.which(LIGHT) is None:
        _install(LIGHT)


def _run(command: list[str], seconds: int) -> None:
    """Ignore a failure: the launch afterwards reports what is missing."""
    with suppress(OSError, subprocess.TimeoutExpired):
        subprocess.run(command, capture_output=True, timeout=seconds)


def main() -> int:
    if driver_problem():
        _install(DRIVER_NEEDS)
    problem = driver_problem()
    if problem:
        sys.stderr.write(f"install the package {DRIVER_NEEDS}, for Playwright: {problem}\n")
        return 1
    _prefer_the_light_one()
    with sync_playwright() as playwright:
        try:
            browser = launch(playwright)
        except NoBrowser as problems:
            sys.stderr.write(f"{problems}\n")
            return 1
        light = "without windows" if shutil.which(LIGHT) else "with windows, which is slower"
        sys.stdout.write(f"the browser of the tests: Chromium {browser.version}, {light}\n")
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
