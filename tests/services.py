"""Runs a command with its own PostgreSQL and Redis: `python -m tests.services COMMAND...`

The module installs missing programs if it is allowed to. It starts both servers on free ports and
in a temporary folder, as a user without rights. It sets DATABASE_URL and REDIS_URL for the command.
"""

import json
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
from typing import Self
from urllib.error import HTTPError
from urllib.request import urlopen

PACKAGES = ("postgresql", "redis-server")
PATIENCE = 60  # seconds until a server answers
HERE = "127.0.0.1"
# The tests' cluster need not survive a crash, so it does not wait for the disk.
CARELESS = ("fsync=off", "synchronous_commit=off", "full_page_writes=off", "max_connections=200")


class Missing(Exception):
    """The error if a program is not installed and cannot be; this is no fault of the tests."""


class NotStarted(Exception):
    """The error if an installed program does not start."""


def found(name: str) -> str | None:
    """Return the path of a program. On Debian, PostgreSQL has a folder for each of its versions."""
    own = [*Path("/usr/lib/postgresql").glob(f"[0-9][0-9]/bin/{name}")]
    return str(max(own, key=lambda path: int(path.parts[4]))) if own else shutil.which(name)


def programs() -> dict[str, str]:
    names = ("initdb", "postgres", "redis-server")
    if not all(map(found, names)):
        apt = shutil.which("apt-get")
        if apt is None or os.geteuid() != 0:
            raise Missing(
                f"install the packages {' and '.join(PACKAGES)}; only root can, with apt-get"
            )
        _fetch(apt, "update")
        _fetch(apt, "install", "--yes", "--no-install-recommends", *PACKAGES)
    where = {name: found(name) for name in names}
    lacking = [name for name, path in where.items() if path is None]
    if lacking:
        raise Missing(f"{', '.join(lacking)} cannot be found")
    return {name: path for name, path in where.items() if path}


def _fetch(*command: str) -> None:
    quiet = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    try:
        subprocess.run(command, env=quiet, capture_output=True, text=True, timeout=300, check=True)
    except subprocess.TimeoutExpired as slow:
        raise Missing(f"{slow}") from slow
    except subprocess.CalledProcessError as failed:
        raise Missing(f"{' '.join(command)}: {failed.stderr.strip()[-1000:]}") from failed


def _servant() -> str | None:
    """Return the user who runs the programs if we are root, because PostgreSQL refuses root."""
    if os.geteuid() != 0:
        return None
    known = {entry.pw_name for entry in pwd.getpwall()}
    return "postgres" if "postgres" in known else "nobody"


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as one:
        return int(one.getsockname()[1])


@contextmanager
def folder() -> Iterator[Path]:
    """Make a folder in which only root and the user who runs the programs can write."""
    with tempfile.TemporaryDirectory(prefix="yatzy-services-", ignore_cleanup_errors=True) as name:
        servant = _servant()
        if servant is not None:
            shutil.chown(name, servant)
        yield Path(name)


class Service:
    def __init__(
        self, url: str, log: Path, command: Sequence[str], answers: Callable[[str], bool]
    ) -> None:
        self.url, self.log, self.command, self.answers = url, log, command, answers
        self.user = None if "setpriv" in command else _servant()  # setpriv changes the user itself

    def start(self) -> None:
        with self.log.open("wb") as said:
            self.process = subprocess.Popen(
                self.command,
                stdout=said,
                stderr=said,
                cwd=self.log.parent,
                user=self.user,
                process_group=0,
            )
        deadline = time.monotonic() + PATIENCE
        while not self.answers(self.url):
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise NotStarted(f"{self.command!r}\n{self.log.read_text(errors='replace')}")
            time.sleep(0.05)

    def send(self, number: signal.Signals) -> None:
        first = self.process.pid
        with suppress(FileNotFoundError):
            children = Path(f"/proc/{first}/task/{first}/children").read_text().split()
            for one in (first, *map(int, children)):
                with suppress(ProcessLookupError):
                    os.kill(one, number)

    def stop(self, number: signal.Signals = signal.SIGINT) -> None:
        with suppress(ProcessLookupError):
            self.process.send_signal(number)  # a "fast" end: PostgreSQL does not wait for clients
        self.process.wait(timeout=PATIENCE)

    def __enter__(self) -> Self:
        try:
            self.start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


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


def postgres(
    where: dict[str, str], home: Path, *, host: str = HERE, within: Sequence[str] = ()
) -> Service:
    """Start PostgreSQL at this address; the command ``within`` enters the address's network."""
    data, port = home / "data", free_port()
    make = [where["initdb"], "-D", str(data), "-U", "yatzy", "--auth=trust", "--no-sync"]
    make += ["--encoding=UTF8", "--locale=C.UTF-8"]
    made = subprocess.run(
        make, cwd=home, user=_servant(), capture_output=True, text=True, check=False
    )
    if made.returncode:
        raise NotStarted(made.stdout + made.stderr)
    with (data / "pg_hba.conf").open("a") as trusted:
        trusted.write("host all all samenet trust\n")
    command = [where["postgres"], "-D", str(data), "-p", str(port), "-k", str(home)]
    if within:
        servant = _servant()
        become = ["setpriv", f"--reuid={servant}", f"--regid={servant}", "--clear-groups"]
        command = [*within, *become, *command]
    for setting in (f"listen_addresses={host}", *CARELESS):
        command += ["-c", setting]
    url = f"postgres://yatzy@{host}:{port}/postgres"
    return Service(url, home / "postgres.log", command, postgres_answers)


class Cable:
    """A simulated cable to another network. Its two addresses belong to nobody (RFC 5737)."""

    near, far, name = "198.51.100.1", "198.51.100.2", f"yatzy{os.getpid()}"
    ends = (("", near, far, "n"), (f"-n {name}", far, near, "f"))

    def lay(self) -> None:
        self._ip(f"netns add {self.name}")
        self._ip(f"link add {self.name}n type veth peer name {self.name}f netns {self.name}")
        self._ip(f"-n {self.name} link set lo up")
        for within, own, _, end in self.ends:
            self._ip(f"{within} address add {own}/30 dev {self.name}{end}")
            self._ip(f"{within} link set {self.name}{end} up")

    def cut(self) -> None:
        """Send all packets to a missing network card: they neither arrive nor are refused."""
        for within, _, other, end in self.ends:
            to = f"lladdr 02:00:00:00:00:01 nud permanent dev {self.name}{end}"
            self._ip(f"{within} neighbour replace {other} {to}")

    def mend(self) -> None:
        for within, _, other, end in self.ends:
            self._ip(f"{within} neighbour del {other} dev {self.name}{end}")

    def take_away(self) -> None:
        self._ip(f"link del {self.name}n")
        self._ip(f"netns del {self.name}")

    def _ip(self, words: str) -> None:
        subprocess.run(["ip", *words.split()], check=True, capture_output=True)


class FarService(Service):
    cable = Cable()

    def __exit__(self, *_: object) -> None:
        super().__exit__()
        self.cable.take_away()


def far_postgres(where: dict[str, str], home: Path) -> FarService:
    FarService.cable.lay()
    within = ("ip", "netns", "exec", Cable.name)
    near = postgres(where, home, host=Cable.far, within=within)
    return FarService(near.url, near.log, near.command, near.answers)


@contextmanager
def dropped(far: FarService) -> Iterator[None]:
    far.cable.cut()
    try:
        yield
    finally:
        far.cable.mend()


def redis_server(where: dict[str, str], home: Path) -> Service:
    """Start Redis. The URL names no database, because each test process uses its own."""
    port = free_port()
    command = [where["redis-server"], "--bind", HERE, "--port", str(port), "--save", ""]
    command += ["--appendonly", "no", "--databases", "256", "--dir", str(home)]
    return Service(f"redis://{HERE}:{port}", home / "redis.log", command, redis_answers)


def proxy_answers(url: str) -> bool:
    try:
        urlopen(url, timeout=PATIENCE).close()
    except HTTPError as answer:
        answer.close()
    except OSError:
        return False
    return True


def proxy(upstream: int, home: Path) -> Service:
    """Start the proxy with its configuration from ``deploy/``, without TLS and certificates. It
    starts before the site, and reports that the site is missing."""
    site = {"SITE": f"http://{HERE}:{free_port()}", "UPSTREAMS": f"{HERE}:{upstream}"}
    caddyfile = Path(__file__).resolve().parents[1] / "deploy" / "Caddyfile"
    adapt = ["caddy", "adapt", "--adapter", "caddyfile", "--config", str(caddyfile)]
    adapted = subprocess.run(adapt, env=os.environ | site, capture_output=True, check=True)
    # No other program may change the settings through the usual port.
    facts = json.loads(adapted.stdout) | {"admin": {"disabled": True}}
    (home / "caddy.json").write_text(json.dumps(facts))
    command = ["env", f"XDG_DATA_HOME={home}", "caddy", "run", "--config", f"{home}/caddy.json"]
    return Service(site["SITE"], home / "caddy.log", command, proxy_answers)


def beside_both(command: Sequence[str]) -> int:
    with ExitStack() as open_:
        where = programs()
        home = open_.enter_context(folder())
        environment = os.environ | {
            "DATABASE_URL": open_.enter_context(postgres(where, home)).url,
            "REDIS_URL": open_.enter_context(redis_server(where, home)).url,
        }
        return subprocess.run(command, env=environment, check=False).returncode


def main(command: Sequence[str]) -> int:
    try:
        return beside_both(command)
    except Missing as reason:
        # A missing program is no fault of the tested code, and the other tests can still run.
        sys.stderr.write(f"\nNOT RUN on PostgreSQL and Redis: {reason}\n\n")
        return 0
    except NotStarted as problem:
        sys.stderr.write(f"\nPostgreSQL or Redis does not start: {problem}\n")
        return 1


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # SystemExit also ends the servers
    sys.exit(main(sys.argv[1:]))
