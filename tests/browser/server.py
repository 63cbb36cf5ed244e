"""The site as it runs for people: its own process, a fresh database, collected static files.

A process of its own, because a socket needs the real server, Playwright's event loop forbids the
ORM in this one, and pytest-django's database may be in memory. Beside a PostgreSQL and a Redis
(`tests.services`) the site is two processes, and what happens in one is seen in the other.
"""

import atexit
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from hashlib import sha256
from pathlib import Path
from tempfile import mkdtemp
from urllib.parse import urlsplit

import psycopg

from solver.tables import find_tables_dir
from tests.browser.managers import ROOT, Managers
from tests.database import make_empty_database

# The port is open before the server runs, so no test waits for the server. The server's part of the
# dice is the same for all games: dice follow from the page's addition (`new_page`), in every run.
SERVE = """
import socket, sys, uvicorn
from game.core.fair import blocks
blocks.derive_key = lambda nonce: "5e" * 32
server = uvicorn.Server(uvicorn.Config("yatzy_site.asgi:application", log_level="warning"))
server.run(sockets=[socket.socket(fileno=int(sys.argv[1]))])
"""
DATABASE = "yatzy.sqlite3"
folders: dict[str, Path] = {}  # folders of the sites that ran, by address
SHARED = bool(os.environ.get("DATABASE_URL") and os.environ.get("REDIS_URL"))


@contextmanager
def running(folder: Path) -> Iterator[str]:
    """The address of a site that has nothing to complain of when it stops."""
    prepare(folder)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        servers = [_serve(folder, listener) for _ in range(1 + SHARED)]
        folders[address := _address(listener)] = folder
    try:
        yield address
    finally:
        managers.close(folder)
        for server in servers:
            server.terminate()
        for server in servers:
            server.wait(timeout=20)
    said = (folder / "server.log").read_text()
    assert "Warning" not in said, said
    assert "Traceback" not in said, said


def prepare(folder: Path, **more: str) -> None:
    """An empty site; those that differ in nothing are copies of one, made once."""
    if more:
        _prepare(folder, **more)
        return
    shutil.copytree(_pristine() / "static", folder / "static", dirs_exist_ok=True)
    if SHARED:
        _make_database(folder, like=_pristine())
    else:
        shutil.copyfile(_pristine() / DATABASE, folder / DATABASE)


@cache
def _pristine() -> Path:
    folder = Path(mkdtemp(prefix="yatzy-pristine-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    if SHARED:
        _make_database(folder)
    _prepare(folder)
    managers.close(folder)  # a copied database must not be open
    return folder


def _prepare(folder: Path, **more: str) -> None:
    if not SHARED and not (folder / DATABASE).exists():
        shutil.copyfile(make_empty_database(), folder / DATABASE)
    manage(folder, "migrate", "--no-input", **more)
    manage(folder, "collectstatic", "--no-input", **more)


def start(folder: Path, **more: str) -> tuple[subprocess.Popen[bytes], str]:
    """A server process, and the address that it listens at; ``more`` is for its environment."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        folders[_address(listener)] = folder
        return _serve(folder, listener, **more), _address(listener)


def _serve(folder: Path, listener: socket.socket, **more: str) -> subprocess.Popen[bytes]:
    with (folder / "server.log").open("ab") as output:
        return subprocess.Popen(
            [sys.executable, "-c", SERVE, str(listener.fileno())],
            cwd=ROOT,
            env=surroundings(folder) | more,
            pass_fds=[listener.fileno()],
            stdout=output,
            stderr=subprocess.STDOUT,
        )


def _address(listener: socket.socket) -> str:
    return f"http://127.0.0.1:{listener.getsockname()[1]}"


def manage(folder: Path, *command: str, **more: str) -> str:
    return managers.of(folder, more).run(*command, "--verbosity=0")


def surroundings(folder: Path) -> dict[str, str]:
    inherited = {name: value for name, value in os.environ.items() if name in {"PATH", "HOME"}}
    return {
        **inherited,
        **(_shared(folder) if SHARED else {}),
        "YATZY_VAR": str(folder),
        "YATZY_TABLES": str(find_tables_dir()),
        "MAKE_TABLES": "off",
        "DUEL_PACE": "0",  # bots do not pretend to think
        "SECRET_KEY": "only for these tests",
    }


def _shared(folder: Path) -> dict[str, str]:
    url = urlsplit(os.environ["DATABASE_URL"])
    own = url._replace(path=f"/{_name(folder)}").geturl()
    return {"DATABASE_URL": own, "REDIS_URL": os.environ["REDIS_URL"]}


def _make_database(folder: Path, like: Path | None = None) -> None:
    template = f" TEMPLATE {_name(like)}" if like else ""
    with psycopg.connect(os.environ["DATABASE_URL"], autocommit=True) as server:
        server.execute(f"CREATE DATABASE {_name(folder)}{template}".encode())


def _name(folder: Path) -> str:
    return f"site_{sha256(bytes(folder)).hexdigest()[:16]}"


managers = Managers(surroundings)
