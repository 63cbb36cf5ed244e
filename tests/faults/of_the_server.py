"""The server itself is killed, ended, or started twice."""

import asyncio
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import urlopen

from tests.browser.managers import ROOT
from tests.browser.server import surroundings
from tests.faults.far import long_line
from tests.faults.outcome import Outcome
from tests.faults.people import Keeping
from tests.faults.registry import Fault, nothing, on_stage
from tests.faults.site import START, free_port
from tests.faults.stage import Stage

HELD = 1.0  # seconds
ENDS = 4


async def killed(folder: Path) -> Outcome:
    async def script(stage: Stage) -> str:
        stage.site.kill()
        await asyncio.sleep(HELD)
        await stage.started()
        return "started again; pages connect again by themselves"

    return await on_stage(Stage(folder), script)


async def drained(folder: Path) -> Outcome:
    """Requests are under way for certain: they wait for a lock that this program holds."""

    async def script(stage: Stage) -> str:
        other = locked(folder)
        await asyncio.sleep(HELD)
        stage.site.signal(signal.SIGTERM)
        await asyncio.sleep(HELD)
        other.close()
        status = await asyncio.to_thread(stage.site.ended)
        stage.expect(status in {0, -signal.SIGTERM}, f"it ended with {status}")
        broken = stage.seen.broken_off
        stage.expect(not broken, f"{broken} requests that had begun were not answered")
        stage.expect(set(stage.seen.sockets) == {1012}, f"sockets: {stage.seen.sockets}")
        await stage.started()
        return "what was begun was answered; started again, pages connect again by themselves"

    return await on_stage(Stage(folder), script)


async def drained_of_kept_connections(folder: Path) -> Outcome:
    """Those who think have a connection that says nothing, and moves cross the end of it."""
    stage = Stage(folder, player=Keeping)

    async def script(stage: Stage) -> str:
        for _ in range(ENDS):
            stage.site.signal(signal.SIGTERM)
            await asyncio.to_thread(stage.site.ended)
            await stage.started()
            await stage.goes_on(3, players=True)
        stage.expect(line.crossed, "no move crossed the end of its connection")
        return f"started again, {ENDS} times; the {line.crossed} moves that crossed were sent again"

    async with long_line(stage.site.port) as (stage.address, line):
        return await on_stage(stage, script)


def locked(folder: Path) -> sqlite3.Connection:
    """As by a program of somebody else, until it is closed."""
    other = sqlite3.connect(folder / "yatzy.sqlite3", isolation_level=None, timeout=60)
    other.execute("BEGIN IMMEDIATE")
    return other


async def started_twice(folder: Path) -> Outcome:
    """Two first starts in an empty folder, tables and all."""
    stage = Stage(folder)
    tables = {"YATZY_TABLES": str(folder / "tables")}
    environment = surroundings(folder) | tables
    ports = [stage.site.port, free_port()]
    starts = [
        subprocess.Popen(
            [sys.executable, "manage.py", "play", "--port", str(port)],
            cwd=ROOT,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        for port in ports
    ]
    try:
        for port, process in zip(ports, starts, strict=True):
            stage.expect(await asyncio.to_thread(serves, port, process), f"one died: {port}")
    finally:
        for process in starts:
            process.terminate()
        said = [process.communicate(timeout=60)[0].decode() for process in starts]
    stage.wrong += [text for text in said if "Traceback" in text]
    stage.wrong += [f"no table: {text}" for text in said if not (folder / "tables").exists()]

    async def script(stage: Stage) -> str:
        return "both serve; one solves the table, the other waits for it or goes on without"

    return await on_stage(stage, script)


async def of_another_version(folder: Path) -> Outcome:
    """What is collected is not what the pages of this version name: nobody has run the update."""
    stage = Stage(folder)
    style = folder / "static" / "css" / "play.css"

    async def script(stage: Stage) -> str:
        style.write_text("of another version")
        await stage.goes_on()
        ready = await asyncio.to_thread(status_of, f"{stage.site.address}/readyz")
        stage.expect(ready == 503, f"/readyz of the one that runs answered {ready}")
        stage.site.stop()
        stage.site.start()
        status = await asyncio.to_thread(stage.site.ended)
        said = stage.site.log.read_text()
        stage.expect(status and "run `yatzy update`" in said, f"it ended with {status}: {said}")
        await asyncio.to_thread(stage.site.manage, "update", "--no-copy")
        await stage.started()
        return "one that runs goes on; it does not start again before `yatzy update`"

    return await on_stage(stage, script)


def status_of(address: str) -> int:
    try:
        with urlopen(address, timeout=START) as answer:
            return int(answer.status)
    except HTTPError as refused:
        with refused:
            return refused.code


def serves(port: int, process: "subprocess.Popen[bytes]") -> bool:
    for _ in range(10 * START):
        if process.poll() is not None:
            return False
        try:
            with urlopen(f"http://127.0.0.1:{port}/", timeout=START) as answer:
                return bool(answer.status == 200)
        except OSError:
            time.sleep(0.2)
    return False


FAULTS = [
    Fault("killed in mid-play (kill -9)", killed, nothing),
    Fault("ended in mid-play (SIGTERM)", drained, nothing),
    Fault("ended while connections are kept (SIGTERM)", drained_of_kept_connections, nothing),
    Fault("two first starts in one folder", started_twice, nothing),
    Fault("static files of another version", of_another_version, nothing),
]
