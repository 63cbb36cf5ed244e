"""What everybody would have to wait for: PostgreSQL that says nothing, a table that somebody has
locked, bodies that never end."""

import asyncio
import signal
import tempfile
from itertools import cycle, islice, product
from pathlib import Path
from time import perf_counter
from urllib.parse import urlsplit

import aiohttp
import psycopg

from tests.faults.cable import cable, may_lay_one
from tests.faults.of_services import database, no_postgresql, on_postgresql
from tests.faults.outcome import Outcome
from tests.faults.registry import Fault, nothing, on_stage
from tests.faults.services import postgresql
from tests.faults.stage import Stage

CROWD = 40
LONG = 60.0  # seconds
AT_MOST = 12.0  # seconds to an answer, of which ten are the request's own
SOON = 6.0  # seconds to what needs no database
OPEN = ("/livez", "/rules/", "/account/login/", "/static/css/site.css")
SHUT = ("/healthz", "/readyz")
# Bytes of bodies that never end: large ones fill a pot, smaller ones what is left of it.
SIZES = (2_490_000, 100_000, 10_000, 1_000, 100, 10)
MANY = 25  # of each size
SETTLE = 3.0  # seconds until they are there


async def frozen(folder: Path) -> Outcome:
    async def script(stage: Stage) -> str:
        await asyncio.to_thread(database().signal, signal.SIGSTOP)
        try:
            return await meanwhile(stage)
        finally:
            await asyncio.to_thread(database().signal, signal.SIGCONT)

    return await on_postgresql(folder, script, many=CROWD)


async def table_locked(folder: Path) -> Outcome:
    async def script(stage: Stage) -> str:
        with psycopg.connect(database().url()) as migration:
            migration.execute("LOCK TABLE game_player, game_decision IN ACCESS EXCLUSIVE MODE")
            return await meanwhile(stage)

    return await on_postgresql(folder, script, many=CROWD)


async def dropped(folder: Path) -> Outcome:
    """Whatever goes to PostgreSQL, and whatever comes of it, is lost on the way."""
    place = tempfile.TemporaryDirectory(prefix="yatzy-far-")
    with place, cable() as line, postgresql(Path(place.name) / "cluster", line) as far:

        async def script(stage: Stage) -> str:
            line.cut()
            try:
                return await meanwhile(stage)
            finally:
                line.mend()

        return await on_stage(Stage(folder, many=CROWD, DATABASE_URL=far.url()), script)


def no_cable() -> str:
    return no_postgresql() or ("" if may_lay_one() else "this program may not lay a cable")


async def meanwhile(stage: Stage) -> str:
    """Everybody is told in time, and what needs no database answers."""
    stage.seen.slowest = stage.behind.slowest = 0.0
    for person in stage.people:
        person.told = 0
    asking = asyncio.create_task(others(stage))
    await asyncio.sleep(LONG)
    slowest = await asking
    took = max(stage.seen.slowest, stage.behind.slowest)
    untold = sum(not person.told for person in stage.people)
    stage.expect(not untold, f"{untold} people were told nothing")
    stage.expect(took < AT_MOST, f"an answer took {took:.1f} s")
    return f"by itself; the slowest answer took {took:.1f} s, {slowest:.1f} s without the database"


async def others(stage: Stage) -> float:
    """The slowest answer of what needs no database, asked for by somebody who plays."""
    slowest, until = 0.0, perf_counter() + LONG / 2
    cookies = stage.people[0].client.cookie_jar
    async with aiohttp.ClientSession(cookie_jar=cookies) as client:
        while perf_counter() < until:
            for address, path in product(stage.addresses, (*OPEN, *SHUT)):
                began = perf_counter()
                async with client.get(address + path) as response:
                    await response.read()
                slowest = max(slowest, perf_counter() - began)
                wanted = {200, 503} if path in SHUT else {200}
                stage.expect(response.status in wanted, f"{path} answered {response.status}")
            await asyncio.sleep(1)
    stage.expect(slowest < SOON, f"without the database an answer took {slowest:.1f} s")
    return slowest


async def full_of_bodies(folder: Path) -> Outcome:
    async def script(stage: Stage) -> str:
        before = (stage.seen.told + stage.behind.told).total()
        sending = []
        for size in SIZES:
            ways = islice(cycle(stage.addresses), MANY)
            sending += [asyncio.create_task(unfinished(way, size)) for way in ways]
            await asyncio.sleep(SETTLE)
        await stage.goes_on()
        for task in sending:
            task.cancel()
        told = (stage.seen.told + stage.behind.told).total() - before
        stage.expect(not told, f"{told} requests of others were refused")
        return "nobody but the sender is refused anything"

    return await on_stage(Stage(folder), script)


async def unfinished(address: str, size: int) -> None:
    """All but the last byte, of one client that begins again where it is refused."""
    port = urlsplit(address).port
    head = f"POST /dice-test/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: {size + 1}\r\n\r\n"
    while True:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        try:
            writer.write(head.encode() + b"x" * size)
            await reader.read()  # nothing, until it is hung up
        except OSError:
            pass
        finally:
            writer.close()
        await asyncio.sleep(0.5)


FAULTS = [
    Fault("PostgreSQL frozen for 60 s", frozen, no_postgresql),
    Fault("packets to PostgreSQL dropped for 60 s", dropped, no_cable),
    Fault("a table locked for 60 s", table_locked, no_postgresql),
    Fault("bodies that never end", full_of_bodies, nothing),
]
