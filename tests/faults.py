"""make faults [ONLY=word,word]: cause every possible fault while real servers run.

Before, during and after each fault, simulated people play by pages and sockets, newcomers begin
games, and a program uses the API. The command fails (status 1) if the database lacks a decision
that the server had acknowledged, if an answer was no proper page, or if a player could not play on.
The report lists faults that this machine cannot cause.
"""

import argparse
import asyncio
import json
import os
import pickle
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager, suppress
from functools import cached_property, partial
from itertools import cycle, islice, product
from pathlib import Path
from statistics import median
from threading import Event
from time import monotonic
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

import psycopg

from solver.cli.solve import solve_where_missing
from solver.rules import YATZY
from solver.tables import OUTLOOK, VALUES, find_table_path
from tests import services
from tests.browser.managers import ROOT
from tests.browser.server import prepare, surroundings
from tests.load.person import Record
from tests.load.servers import PROTOCOL, UVICORN
from tests.load.stubborn import Beginner, Program, Seen, Stubborn

RECOVER = 120.0  # seconds, on a busy machine, until the server starts or all play on
HELD, TOLD, REQUEST = 1.0, 3.0, 10.0  # seconds: a fault lasts; pages show it; a request gives up
SHUT, SLOWEST, SOON = 60.0, 12.0, 6.0  # seconds: without database; slowest, prompt answer
KINDS = (Stubborn, Beginner, Program)
DEAR = {"positions": [{"dice": [1, 2, 3, 4, 5], "rolls_left": 2}] * 1000, "top": 999}
FREE = {
    "API_REQUESTS_A_MINUTE": "100000",
    "DISK_RESERVE_MB": "0",
}  # limits that would refuse requests before the fault does
HEAD = "| fault | what a person saw | behind the proxy | acknowledged | stored | lost | noted | s |"


class Stage:
    """A server for a fault. It keeps its address while people play, directly or through a proxy."""

    def __init__(self, folder: Path, service: Any = None, many: int = 4, **more: str) -> None:
        self.folder, self.service, self.many, self.more = folder, service, many, more
        self.port, self.log = services.free_port(), folder / "server.log"
        self.addresses = [f"http://127.0.0.1:{self.port}"]
        self.environment = surroundings(folder) | FREE | more
        self.record, self.seen, self.people = Record(), [Seen()], list[Stubborn]()
        self.wrong, self.noted, self.over = list[str](), "", False
        self.seconds, self.closing = 0.0, ExitStack()  # seconds until all players played on
        self.playing = list[asyncio.Task[None]]()

    async def begin_to_play(self) -> None:
        if "DATABASE_URL" in self.more:
            await asyncio.to_thread(self.run, "manage.py", "migrate", "--no-input")
        await asyncio.to_thread(prepare, self.folder)
        self.begin()
        if services.found("caddy"):
            proxy = services.proxy(self.port, self.closing.enter_context(services.folder()))
            await asyncio.to_thread(self.closing.enter_context, proxy)
            self.addresses.append(proxy.url)
            self.seen.append(Seen())
        for address, seen in zip(self.addresses, self.seen, strict=True):
            many = self.many if address == self.addresses[-1] else 4  # most people use the proxy
            for kind in [*[Stubborn] * many, Beginner, Program]:
                given = (address, len(self.people), self.record, 0.1, 0.5, lambda: self.over)
                self.people.append(kind(*given, seen=seen))
        self.playing = [asyncio.create_task(one.play()) for one in self.people]
        await self.goes_on()
        for seen in self.seen:  # while the server had not started, nobody got an answer
            vars(seen).update(vars(Seen()))

    async def play_on(self) -> None:
        mended = monotonic()
        await self.goes_on()
        self.seconds, self.over = monotonic() - mended, True
        await asyncio.wait_for(asyncio.gather(*self.playing), RECOVER)

    async def end(self) -> None:
        for task in self.playing:
            task.cancel()
        if self.process.poll() is None:
            await asyncio.to_thread(self.stop)
        self.closing.close()

    def judge(self) -> None:
        self.kept: dict[str, Any] = self.look()
        self.wrong += tracebacks(self.log.read_text()) + self.record.errors + self.kept["wrong"]
        self.wrong += [text for seen in self.seen for text in seen.wrong]

    async def goes_on(self, moves: int = 5, kinds: tuple[type[Stubborn], ...] = KINDS) -> None:
        asked, until = [one for one in self.people if type(one) in kinds], monotonic() + RECOVER
        wanted = [one.done + moves for one in asked]
        while any(one.done < most for one, most in zip(asked, wanted, strict=True)):
            if monotonic() > until:
                raise TimeoutError(f"somebody waits for {RECOVER:.0f} s: {self.seen}")
            await asyncio.sleep(0.02)

    def begin(self) -> None:
        where = ["--port", str(self.port)]
        if self.keeps_socket:
            where = ["--fd", str(self.listener.fileno())]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", *UVICORN, PROTOCOL, *where],
                cwd=ROOT,
                env=self.environment,
                pass_fds=[self.listener.fileno()] if self.keeps_socket else [],
                stdout=log,
                stderr=log,
            )

    @property
    def keeps_socket(self) -> bool:
        """Return whether the port stays open while no server runs, as with yatzy.socket."""
        return "KEEPS_SOCKET" in self.more

    @cached_property
    def listener(self) -> socket.socket:
        return self.closing.enter_context(
            socket.create_server(("127.0.0.1", self.port), backlog=1024)
        )

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        return self.process.wait(timeout=40)

    def run(self, *command: str) -> bytes:
        here = self.environment | {"DJANGO_SETTINGS_MODULE": "yatzy_site.settings"}
        run = [sys.executable, *command]
        return subprocess.run(run, cwd=ROOT, env=here, stdout=subprocess.PIPE, check=True).stdout

    def look(self) -> dict[str, Any]:
        told = self.record.acknowledged, self.record.totals
        (file := self.folder / "told").write_bytes(pickle.dumps(told))
        kept: dict[str, Any] = json.loads(self.run("-m", "tests.load.stored", str(file)))
        return kept

    def expect(self, holds: object, otherwise: str) -> None:
        if not holds:
            self.wrong.append(otherwise)

    def expect_told(self, status: int) -> None:
        for form in ("in place", "as a page"):
            told = self.seen[0].told[f"{status} {form}"]
            self.expect(told, f"nobody was told {form}: {self.seen}")


def status_of(address: str | Request) -> int:
    try:
        with urlopen(address, timeout=RECOVER) as answer:
            answer.read()
            return int(answer.status)
    except HTTPError as refused:
        with refused:
            return refused.code
    except OSError:
        return 0  # no server answers


def tracebacks(log: str) -> list[str]:
    """Return the last line of each traceback. A traceback is a bug; outages log only one line."""
    entries = re.split(r"(?m)^(?=\d{4}-\d\d-\d\d )", log)
    found = [one.strip().splitlines()[-1] for one in entries if "Traceback" in one]
    return [f"a traceback in the log: {last}" for last in found]


# A thread runs the steps of a fault. If a step yields a float, wait for this number of seconds; if
# it yields an int, wait until every person has made this number of moves.
Steps = Generator[float | int]
POSTGRESQL, REDIS = "ls /usr/lib/postgresql/*/bin/initdb", "command -v redis-server"
BASE: dict[str, Any] = {"can": POSTGRESQL, "service": "postgres"}
LOOP = "mount -o loop {folder}.img {folder}"
IMAGE = f"truncate -s 64M {{folder}}.img && mkfs.ext4 -q {{folder}}.img && {LOOP}"
MOUNT = "unshare --mount mount -t tmpfs none /mnt"
FREEZE = "f=$(mktemp) && chattr +i $f && chattr -i $f && rm $f"
CABLE = f"{POSTGRESQL} && command -v setpriv && ip netns add yatzy && ip netns del yatzy"
FAR: dict[str, Any] = {"can": CABLE, "service": "far_postgres"}
OWN_TABLES: dict[str, Any] = {
    "prepare": f"mkdir {{folder}}/tables && cp {find_table_path(YATZY, VALUES)} {{folder}}/tables",
    "env": {"YATZY_TABLES": "{folder}/tables"},
}
CLOCK: dict[str, Any] = {
    "can": "ls /usr/lib/*/faketime/libfaketimeMT.so.1",
    "prepare": "echo +0 > {folder}/clock",
    "env": {
        "LD_PRELOAD": "libfaketimeMT.so.1",
        "FAKETIME_TIMESTAMP_FILE": "{folder}/clock",
        "FAKETIME_CACHE_DURATION": "1",  # seconds until the program reads the time again
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        "FAKETIME_FORCE_MONOTONIC_FIX": "0",  # 1 makes threads that wait for the GIL spin
    },
}


FAULTS: list[tuple[str, str, Callable[..., Steps], dict[str, Any]]] = []


def fault(name: str, can: str = "true", **more: Any) -> Callable[[Callable[..., Steps]], Any]:
    """Register a fault. The shell command ``can`` succeeds if this machine can cause the fault."""

    def register(do: Callable[..., Steps]) -> Any:
        FAULTS.append((name, can, do, more))
        return do

    return register


def shell(command: str) -> None:
    subprocess.run(command, shell=True, check=True, capture_output=True)


@fault("server killed (kill -9)")
def kill(stage: Stage) -> Steps:
    stage.stop(signal.SIGKILL)
    yield HELD
    stage.begin()


@fault("server replaced, socket stays open", many=20, env={"KEEPS_SOCKET": "1"})
def exchange(stage: Stage) -> Steps:
    for _ in range(3):
        stage.stop()
        stage.begin()
        yield 10
    unanswered = sum(seen.unanswered for seen in stage.seen)
    stage.expect(not unanswered, f"{unanswered} requests were not answered")
    stage.noted = f"the slowest answer took {max(seen.slowest for seen in stage.seen):.1f} s"


@contextmanager
def locked(stage: Stage) -> Iterator[None]:
    with closing(sqlite3.connect(stage.folder / "yatzy.sqlite3", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield


@fault("server ended (SIGTERM)")
def end(stage: Stage) -> Steps:
    with locked(stage):  # so that requests are running at this moment
        yield HELD
        stage.process.terminate()
        yield HELD
    status = stage.process.wait(timeout=40)
    stage.expect(status in {0, -signal.SIGTERM}, f"it ended with {status}")
    broken, sockets = stage.seen[0].broken_off, set(stage.seen[0].sockets)
    stage.expect(not broken, f"{broken} requests that had begun were not answered")
    stage.expect(sockets == {1012}, f"sockets: {sockets}")
    stage.begin()


@fault("database locked by another program")
def lock(stage: Stage) -> Steps:
    with locked(stage):
        yield REQUEST + TOLD
    stage.expect_told(503)


@fault("disk full", MOUNT, prepare="mount -t tmpfs -o size=24m tmpfs {folder}")
def fill(stage: Stage) -> Steps:
    with suppress(OSError), (stage.folder / "rubbish").open("wb", buffering=0) as rubbish:
        while True:
            rubbish.write(bytes(4096))
    yield TOLD
    (stage.folder / "rubbish").unlink()
    stage.expect_told(507)


@fault("database file read-only", FREEZE, path="yatzy.sqlite3")
@fault("folder read-only", FREEZE, path=".")
def forbid(stage: Stage, path: str) -> Steps:
    """Make a file read-only before a start; a running server has its files open already."""
    stage.stop()
    with closing(sqlite3.connect(stage.folder / "yatzy.sqlite3")) as own:
        own.execute("VACUUM")  # this deletes SQLite's log
    shell(f"chattr +i {stage.folder / path}")
    try:
        stage.begin()
        while not any(seen.told for seen in stage.seen):
            yield HELD
        yield TOLD
    finally:
        shell(f"chattr -i {stage.folder / path}")
    stage.expect_told(503)


@fault("power cut", f"{MOUNT} && losetup --find && command -v mkfs.ext4", prepare=IMAGE)
def cut_power(stage: Stage) -> Steps:
    folder = stage.folder
    shell(f"sync --file-system {folder}")  # write earlier files to the disk
    yield 20
    stage.process.send_signal(signal.SIGSTOP)
    shell(f"cp --sparse=always {folder}.img {folder}.then")
    stage.stop(signal.SIGKILL)
    shell(f"umount {folder} && mv {folder}.then {folder}.img && {LOOP.format(folder=folder)}")
    stage.begin()


def damage_every_row(table: Path) -> None:
    with table.open("r+b") as file:
        for place in range(64, table.stat().st_size, 256):
            file.seek(place)
            file.write(b"\xa5")


def replace(table: Path, by: str) -> None:
    shutil.copy(find_table_path(YATZY, by), f"{table}.new")
    os.replace(f"{table}.new", table)


@fault("table missing", **OWN_TABLES, harm=Path.unlink)
@fault("table cut short while it is read", **OWN_TABLES, harm=partial(os.truncate, length=200_000))
@fault("table damaged in every row", **OWN_TABLES, harm=damage_every_row)
@fault("table replaced by another", **OWN_TABLES, harm=partial(replace, by=OUTLOOK))
def harm_table(stage: Stage, harm: Callable[[Path], object]) -> Steps:
    table = stage.folder / "tables" / find_table_path(YATZY, VALUES).name
    harm(table)
    yield 20
    if not table.exists():  # a running server that has the file open reads on
        stage.stop()
        stage.begin()
        yield 20
    replace(table, by=VALUES)


@fault("clock moved forward by 26 h", **CLOCK, hours=26)
@fault("clock moved back by 26 h", **CLOCK, hours=-26)
def move_clock(stage: Stage, hours: int) -> Steps:
    (stage.folder / "clock").write_text(f"{hours:+d}h\n")
    yield TOLD
    yield 20
    (stage.folder / "clock").write_text("+0\n")


@fault("PostgreSQL restarted", **BASE, how=signal.SIGINT, away=0.0)
@fault("PostgreSQL crashed and away for 12 s", **BASE, how=signal.SIGQUIT, away=12.0)
@fault("Redis killed, and back", REDIS, service="redis_server", how=signal.SIGKILL, away=5)
def restart(stage: Stage, how: signal.Signals, away: float) -> Steps:
    stage.service.stop(how)
    yield away
    stage.service.start()


@contextmanager
def frozen(service: Any) -> Iterator[None]:
    service.send(signal.SIGSTOP)
    try:
        yield
    finally:
        service.send(signal.SIGCONT)


@contextmanager
def table_locked(service: Any) -> Iterator[None]:
    with psycopg.connect(service.url) as other:
        other.execute("LOCK TABLE game_player, game_decision IN ACCESS EXCLUSIVE MODE")
        yield


@fault("Redis hanging for 6 s", REDIS, service="redis_server")
def hang(stage: Stage) -> Steps:
    with frozen(stage.service):
        yield 6.0
        took = max(seen.slowest for seen in stage.seen)
    stage.expect(took < SOON, f"an answer took {took:.1f} s")
    stage.noted = f"no move waits for it: the slowest answer took {took:.1f} s"


@fault("PostgreSQL frozen for 60 s", **BASE, many=40, how=frozen)
@fault("packets to PostgreSQL dropped for 60 s", **FAR, many=40, how=services.dropped)
@fault("a table locked for 60 s", **BASE, many=40, how=table_locked)
def shut(stage: Stage, how: Callable[[Any], AbstractContextManager[None]]) -> Steps:
    slowest = 0.0
    for seen, person in zip(cycle(stage.seen), stage.people, strict=False):
        seen.slowest, person.told = 0.0, 0
    with how(stage.service):
        until = monotonic() + SHUT
        while monotonic() < until:
            paths = "/livez", "/rules/", "/account/login/", "/static/css/site.css", "/readyz"
            for address, path in product(stage.addresses, paths):
                began = monotonic()
                status = status_of(address + path)
                slowest = max(slowest, monotonic() - began)
                stage.expect(status in {200, 503 * (path == "/readyz")}, f"{path}: {status}")
            yield HELD
        took = max(seen.slowest for seen in stage.seen)
    untold = sum(not person.told for person in stage.people)
    stage.expect(not untold, f"{untold} people were told nothing")
    stage.expect(took < SLOWEST, f"an answer took {took:.1f} s")
    stage.expect(slowest < SOON, f"without the database an answer took {slowest:.1f} s")
    stage.noted = f"by itself; the slowest answer took {took:.1f} s, {slowest:.1f} s without"


@fault("endless request bodies")
def flood(stage: Stage) -> Steps:
    """Send requests without their last byte: first large ones, which fill the memory."""
    before = sum((seen.told for seen in stage.seen), Counter[str]()).total()
    with ExitStack() as open_:
        for size in (2_490_000, 100_000, 10_000, 1_000, 100, 10):
            for address in islice(cycle(stage.addresses), 25):
                where = ("127.0.0.1", urlsplit(address).port)
                sender = open_.enter_context(socket.create_connection(where, timeout=1))
                head = f"POST /dice-test/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: {size + 1}"
                with suppress(OSError):  # the server refuses the request
                    sender.sendall(f"{head}\r\n\r\n".encode() + b"x" * size)
            yield HELD
        yield 5
    told = sum((seen.told for seen in stage.seen), Counter[str]()).total() - before
    stage.expect(not told, f"{told} requests of others were refused")


@fault("API program at its limit", env={"API_REQUESTS_A_MINUTE": "120"})
def ask_much(stage: Stage) -> Steps:
    ends = Event()

    def ask(address: str) -> None:
        head = {"Content-Type": "application/json"}
        dear = Request(f"{address}/api/v1/advise", json.dumps(DEAR).encode(), head)
        while not ends.is_set():
            if status_of(dear) != 200:
                ends.wait(1)

    times = stage.record.seconds
    before = len(times)
    yield REQUEST
    alone, before = median(times[before:]), len(times)
    with ThreadPoolExecutor(4) as asking:
        for address in islice(cycle(stage.addresses), 4):
            asking.submit(ask, address)
        try:
            yield REQUEST
        finally:
            ends.set()
    beside = median(times[before:])
    stage.expect(beside < max(0.2, 4 * alone), f"a median of {beside:.2f} s")
    stage.noted = f"a move took {alone * 1000:.0f} ms alone, {beside * 1000:.0f} ms beside it"


async def done(
    do: Callable[..., Steps],
    prepare: str = "",
    env: dict[str, str] = {},  # noqa: B006
    service: str = "",
    many: int = 4,
    **given: Any,
) -> Stage:
    with ExitStack() as open_:
        folder = Path(open_.enter_context(tempfile.TemporaryDirectory(prefix="yatzy-fault-")))
        if prepare:
            shell(prepare.format(folder=folder))
            open_.callback(shell, f"umount --lazy {folder}; rm -f {folder}.*")
        here, beside = {name: value.format(folder=folder) for name, value in env.items()}, None
        if service:
            names = ("initdb", "postgres", "redis-server")
            where = {name: services.found(name) or "" for name in names}
            made = getattr(services, service)(where, open_.enter_context(services.folder()))
            beside = await asyncio.to_thread(open_.enter_context, made)
            here["REDIS_URL" if service == "redis_server" else "DATABASE_URL"] = beside.url
        stage = Stage(folder, beside, many, **here)
        steps = do(stage, **given)
        try:
            await stage.begin_to_play()
            while (step := await asyncio.to_thread(next, steps, None)) is not None:
                moves = stage.goes_on(step, (Stubborn,)) if isinstance(step, int) else None
                await (moves or asyncio.sleep(step))
            await stage.play_on()
        finally:
            await asyncio.to_thread(steps.close)
            await stage.end()
        stage.judge()
        if "YATZY_TABLES" in here:
            stage.run("manage.py", "judge")
            left = stage.look()["unjudged"]
            stage.expect(not left, f"{left} decisions of finished games are not judged")
        return stage


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    parser.add_argument("--only", default="", help="words of the names of faults, by commas")
    options = parser.parse_args()
    solve_where_missing(YATZY, quiet=False)  # a program asks the coach during each fault
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # SystemExit also stops the services
    words, status = [one.strip() for one in options.only.split(",") if one.strip()], 0
    sys.stdout.write(HEAD + "\n" + "| --- " * 8 + "|\n")
    for name, can, do, more in FAULTS:
        if words and not any(word in name for word in words):
            continue
        if subprocess.run(can, shell=True, capture_output=True).returncode:
            sys.stdout.write(f"| {name} | not tried: `{can}` fails |\n")
            continue
        try:
            stage = asyncio.run(done(do, **more))
            wrong = sorted(set(stage.wrong)) + ["decisions are lost"] * bool(stage.kept["lost"])
            seen = [str(one) for one in stage.seen] + ["not tried: Caddy is not installed"]
            made = sum(map(len, stage.record.acknowledged.values()))
            cells = (name, *seen[:2], made, stage.kept["stored"], stage.kept["lost"], stage.noted)
            sys.stdout.write(f"| {' | '.join(map(str, cells))} | {stage.seconds:.1f} |\n")
        except Exception as error:  # try the other faults nevertheless
            wrong = [f"{type(error).__name__}: {error}"]
        sys.stdout.writelines(f"WRONG {name}: {text}\n" for text in wrong)
        sys.stdout.flush()
        status |= bool(wrong)
    return status


if __name__ == "__main__":
    sys.exit(main())
