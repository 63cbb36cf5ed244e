"""A Python of its own, with an environment of its own: settings are read once a process."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import quote
from urllib.request import urlopen

from django.db import connection

from solver.tables import find_tables_dir
from tests.services import free_port

ROOT = Path(__file__).resolve().parents[2]


def python(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if name in {"PATH", "HOME"}}
    folders = {"YATZY_VAR": str(folder), "YATZY_TABLES": str(find_tables_dir())}
    told = {**kept, "MAKE_TABLES": "off", **environment, **folders}
    command = [sys.executable, *arguments]
    return subprocess.run(
        command, cwd=ROOT, env=told, capture_output=True, text=True, timeout=120, check=False
    )


@contextmanager
def served(var: Path, listener: socket.socket | None = None) -> Iterator[None]:
    """Serve the site of the tests by a server of its own, which is killed in the end.

    A listener is handed to it as systemd does.
    """
    where = connection.settings_dict
    port = listener.getsockname()[1] if listener else free_port()
    address = f"sqlite:///{where['NAME']}"
    if connection.vendor == "postgresql":
        login = f"{where['USER']}:{quote(where['PASSWORD'])}@{where['HOST']}:{where['PORT']}"
        address = f"postgres://{login}/{where['NAME']}"
    facts = {"DATABASE_URL": address, "YATZY_VAR": str(var), "YATZY_TABLES": str(find_tables_dir())}
    facts |= {"MAKE_TABLES": "off", "SECRET_KEY": "0123456789abcdefghij" * 3}
    command = "import sys; from yatzy_site.command import main; sys.exit(main())"
    arguments = [sys.executable, "-c", command, "serve", "--port", str(port)]
    if listener:
        handed = f'exec 3<&{listener.fileno()}; LISTEN_FDS=1 LISTEN_PID=$$ exec "$@"'
        arguments = ["/bin/bash", "-c", handed, "bash", *arguments]
    process = subprocess.Popen(
        arguments,
        cwd=ROOT,
        env={**os.environ, **facts},
        pass_fds=[listener.fileno()] if listener else [],
    )
    try:
        while process.poll() is None:
            with suppress(OSError), urlopen(f"http://127.0.0.1:{port}/readyz", timeout=30):
                break
            time.sleep(0.05)
        assert process.poll() is None
        yield
    finally:
        process.kill()
        process.wait()
