"""The site as it runs for people: its own process, a fresh SQLite file, collected static files.

A process of its own, because a socket needs the real server, Playwright's event loop forbids the
ORM in this one, and pytest-django's database may be in memory.
"""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from solver.tables import tables_dir

ROOT = Path(__file__).resolve().parents[2]
# The port is open before the server runs, so nobody has to ask whether it is up.
SERVE = """
import socket, sys, uvicorn
server = uvicorn.Server(uvicorn.Config("yatzy_site.asgi:application", log_level="warning"))
server.run(sockets=[socket.socket(fileno=int(sys.argv[1]))])
"""


@contextmanager
def running(folder: Path) -> Iterator[str]:
    """The address of a site that has nothing to complain of when it stops."""
    environment = _environment(folder)
    _manage(environment, "migrate")
    # Not what no tested page asks for: compressing it all takes longer than many a test.
    _manage(environment, "collectstatic", "--ignore=admin", "--ignore=*-4*")
    log = folder / "server.log"
    with socket.create_server(("127.0.0.1", 0)) as listener, log.open("wb") as output:
        server = subprocess.Popen(
            [sys.executable, "-c", SERVE, str(listener.fileno())],
            cwd=ROOT,
            env=environment,
            pass_fds=[listener.fileno()],
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        port = listener.getsockname()[1]
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait(timeout=20)
    said = log.read_text()
    assert "Warning" not in said, said
    assert "Traceback" not in said, said


def _environment(folder: Path) -> dict[str, str]:
    inherited = {name: value for name, value in os.environ.items() if name in {"PATH", "HOME"}}
    return {
        **inherited,
        "YATZY_VAR": str(folder),
        "YATZY_TABLES": str(tables_dir()),
        "SECRET_KEY": "only for these tests",
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def _manage(environment: dict[str, str], *command: str) -> None:
    subprocess.run(
        [sys.executable, "manage.py", *command, "--no-input", "--verbosity=0"],
        cwd=ROOT,
        env=environment,
        check=True,
        timeout=120,
    )
