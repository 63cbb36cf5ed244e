"""PostgreSQL and Redis of their own, for a fault to be done to, and where they are installed."""

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.faults.cable import FAR, NEAR, Cable
from tests.faults.site import free_port

POSTGRES = "postgres"  # who it runs as where this program is root, which it refuses to be
NEEDED = ("initdb", "createdb", "pg_ctl")
HERE = "127.0.0.1"
START = 60  # seconds


def postgresql_programs() -> Path | None:
    """The newest of those that Debian keeps beside each other, or what the path leads to."""
    places = Path("/usr/lib/postgresql").glob("*/bin")
    found = sorted(places, key=lambda one: float(one.parent.name), reverse=True)
    if first := shutil.which("initdb"):
        found.append(Path(first).resolve().parent)
    return next((one for one in found if all((one / name).exists() for name in NEEDED)), None)


class PostgreSQL:
    def __init__(self, folder: Path, programs: Path, cable: Cable | None = None) -> None:
        """At this machine, or at the other end of a cable."""
        self.programs, self.data, self.port = programs, folder / "data", free_port()
        self.folder, self.cable = folder, cable
        self.host = FAR if cable else HERE

    def make(self) -> None:
        self.folder.mkdir(mode=0o700)
        if os.geteuid() == 0:
            shutil.chown(self.folder, POSTGRES, POSTGRES)
        self._run("initdb", "--auth=trust", f"--username={POSTGRES}", f"--pgdata={self.data}")
        with (self.data / "pg_hba.conf").open("a") as trusted:
            trusted.write(f"host all all {NEAR}/32 trust\n")
        self.start()
        self.create("yatzy")

    def create(self, name: str) -> None:
        self._run("createdb", f"--host={HERE}", f"--port={self.port}", "-U", POSTGRES, name)

    def url(self, name: str = "yatzy") -> str:
        return f"postgres://{POSTGRES}@{self.host}:{self.port}/{name}"

    def start(self) -> None:
        where = f"-p {self.port} -c listen_addresses={self.host},{HERE} -c unix_socket_directories="
        self._control("start", "-o", where, "-l", str(self.folder / "log"))

    def stop(self, how: str = "fast") -> None:
        self._control("stop", "-m", how)

    def signal(self, number: signal.Signals) -> None:
        """To the whole of it: to the process that listens, and to those that serve."""
        first = (self.data / "postmaster.pid").read_text().split()[0]
        children = Path(f"/proc/{first}/task/{first}/children").read_text().split()
        for one in (first, *children):
            with suppress(ProcessLookupError):
                os.kill(int(one), number)

    def _as_postgres(self) -> list[str]:
        if os.geteuid() != 0:
            return []
        there = self.cable.within if self.cable else ()
        return [*there, "setpriv", f"--reuid={POSTGRES}", f"--regid={POSTGRES}", "--clear-groups"]

    def _control(self, what: str, *options: str) -> None:
        self._run("pg_ctl", what, "-w", "-t", str(START), "-D", str(self.data), *options)

    def _run(self, program: str, *options: str) -> None:
        done = subprocess.run(
            [*self._as_postgres(), str(self.programs / program), *options],
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,  # a pipe would be kept open by the server
            stderr=subprocess.DEVNULL,
            timeout=2 * START,
        )
        if done.returncode:
            raise RuntimeError(f"{program} failed with {done.returncode}")


@contextmanager
def postgresql(folder: Path, cable: Cable | None = None) -> Iterator[PostgreSQL]:
    programs = postgresql_programs()
    assert programs is not None
    folder.parent.chmod(0o711)
    server = PostgreSQL(folder, programs, cable)
    server.make()
    try:
        yield server
    finally:
        server.stop("immediate")


class Redis:
    def __init__(self, folder: Path) -> None:
        self.folder, self.port = folder, free_port()

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    def start(self) -> None:
        self.folder.mkdir(exist_ok=True)
        options = ["--bind", "127.0.0.1", "--save", "", "--dir", str(self.folder)]
        self.process = subprocess.Popen(
            ["redis-server", "--port", str(self.port), *options], stdout=subprocess.DEVNULL
        )
        until = time.monotonic() + START
        ask = ["redis-cli", "-p", str(self.port), "ping"]
        while subprocess.run(ask, capture_output=True).stdout != b"PONG\n":
            assert time.monotonic() < until, "Redis does not start"
            time.sleep(0.05)

    def signal(self, number: signal.Signals) -> None:
        self.process.send_signal(number)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()


@contextmanager
def redis(folder: Path) -> Iterator[Redis]:
    server = Redis(folder)
    server.start()
    try:
        yield server
    finally:
        server.signal(signal.SIGCONT)
        server.kill()
