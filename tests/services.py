"""Runs a command beside a PostgreSQL and a Redis of its own: `python -m tests.services COMMAND...`

Both are installed where they are missing and this may be done, started on free ports as nobody in
particular, in a folder that goes away again, and told to the command by DATABASE_URL and REDIS_URL.
"""

import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

PACKAGES = ("postgresql", "redis-server")
PATIENCE = 60  # seconds until a server answers
# A cluster of tests survives nothing, so it need not wait for any disk.
CARELESS = ("fsync=off", "synchronous_commit=off", "full_page_writes=off", "max_connections=200")


class Missing(Exception):
    """Neither installed nor to be installed: nothing of this machine is at fault."""


class NotStarted(Exception):
    """Installed, and does not run."""


def found(name: str) -> str | None:
    """Debian keeps PostgreSQL's programs in a folder for each version."""
    own = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"), key=_version)
    return str(own[-1]) if own else shutil.which(name)


def _version(program: Path) -> int:
    return int(program.parts[4]) if program.parts[4].isdigit() else 0


def programs() -> dict[str, str]:
    """Where they are, installed if need be."""
    names = ("initdb", "postgres", "redis-server")
    if not all(map(found, names)):
        _install()
    where = {name: found(name) for name in names}
    lacking = [name for name, path in where.items() if path is None]
    if lacking:
        raise Missing(f"{', '.join(lacking)} cannot be found")
    return {name: path for name, path in where.items() if path}


def _install() -> None:
    apt = shutil.which("apt-get")
    if apt is None or os.geteuid() != 0:
        raise Missing(f"install the packages {' and '.join(PACKAGES)}; only root can, with apt-get")
    _fetch(apt, "update")
    _fetch(apt, "install", "--yes", "--no-install-recommends", *PACKAGES)


def _fetch(*command: str) -> None:
    quiet = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    try:
        subprocess.run(command, env=quiet, capture_output=True, text=True, timeout=300, check=True)
    except subprocess.TimeoutExpired as slow:
        raise Missing(f"{slow}") from slow
    except subprocess.CalledProcessError as failed:
        raise Missing(f"{' '.join(command)}: {failed.stderr.strip()[-1000:]}") from failed


def _servant() -> str | None:
    """Who runs them where this is root: PostgreSQL refuses to be run by somebody so powerful."""
    if os.geteuid() != 0:
        return None
    known = {entry.pw_name for entry in pwd.getpwall()}
    return "postgres" if "postgres" in known else "nobody"


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as one:
        return int(one.getsockname()[1])


@contextmanager
def folder() -> Iterator[Path]:
    """One in which the servant may write, and nobody else but root."""
    with tempfile.TemporaryDirectory(prefix="yatzy-services-", ignore_cleanup_errors=True) as name:
        servant = _servant()
        if servant is not None:
            shutil.chown(name, servant)
        yield Path(name)


@contextmanager
def serving(log: Path, command: Sequence[str], answers: Callable[[], bool]) -> Iterator[None]:
    """A server, from when it answers; the log is its reader's, not the servant's."""
    with log.open("wb") as said:
        server = subprocess.Popen(
            command, stdout=said, stderr=said, cwd=log.parent, user=_servant(), process_group=0
        )
    try:
        _wait(server, answers, log)
        yield
    finally:
        with suppress(ProcessLookupError):
            server.send_signal(signal.SIGINT)  # PostgreSQL's "fast": nobody is waited for
        server.wait(timeout=PATIENCE)


def _wait(server: "subprocess.Popen[bytes]", answers: Callable[[], bool], log: Path) -> None:
    deadline = time.monotonic() + PATIENCE
    while not answers():
        if server.poll() is not None or time.monotonic() > deadline:
            raise NotStarted(f"{server.args!r}\n{log.read_text(errors='replace')}")
        time.sleep(0.05)


def postgres_answers(url: str) -> bool:
    import psycopg

    with suppress(psycopg.OperationalError), psycopg.connect(url, connect_timeout=2):
        return True
    return False


def redis_answers(url: str) -> bool:
    import redis

    with suppress(redis.RedisError), redis.Redis.from_url(url, socket_timeout=2) as client:
        return bool(client.ping())
    return False


@contextmanager
def postgres(where: dict[str, str], home: Path) -> Iterator[str]:
    """Its address."""
    data, port = home / "data", free_port()
    make = [where["initdb"], "-D", str(data), "-U", "yatzy", "--auth=trust", "--no-sync"]
    make += ["--encoding=UTF8", "--locale=C.UTF-8"]
    made = subprocess.run(
        make, cwd=home, user=_servant(), capture_output=True, text=True, check=False
    )
    if made.returncode:
        raise NotStarted(made.stdout + made.stderr)
    command = [where["postgres"], "-D", str(data), "-p", str(port), "-k", str(home)]
    for setting in ("listen_addresses=127.0.0.1", *CARELESS):
        command += ["-c", setting]
    url = f"postgres://yatzy@127.0.0.1:{port}/postgres"
    with serving(home / "postgres.log", command, lambda: postgres_answers(url)):
        yield url


@contextmanager
def redis_server(where: dict[str, str], home: Path) -> Iterator[str]:
    """Its address, without a database: every process of the tests takes one of its own."""
    port = free_port()
    command = [where["redis-server"], "--bind", "127.0.0.1", "--port", str(port), "--save", ""]
    command += ["--appendonly", "no", "--databases", "256", "--dir", str(home)]
    url = f"redis://127.0.0.1:{port}"
    with serving(home / "redis.log", command, lambda: redis_answers(url)):
        yield url


def beside_both(command: Sequence[str]) -> int:
    with ExitStack() as open_:
        where = programs()
        home = open_.enter_context(folder())
        environment = os.environ | {
            "DATABASE_URL": open_.enter_context(postgres(where, home)),
            "REDIS_URL": open_.enter_context(redis_server(where, home)),
        }
        return subprocess.run(command, env=environment, check=False).returncode


def main(command: Sequence[str]) -> int:
    try:
        return beside_both(command)
    except Missing as reason:
        # No fault of what is tested, and a machine without them still tests everything else.
        sys.stderr.write(f"\nNOT RUN on PostgreSQL and Redis: {reason}\n\n")
        return 0
    except NotStarted as problem:
        sys.stderr.write(f"\nPostgreSQL or Redis does not start: {problem}\n")
        return 1


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # and the servers with it
    sys.exit(main(sys.argv[1:]))
