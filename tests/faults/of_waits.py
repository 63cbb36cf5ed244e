"""What everybody would have to wait for: PostgreSQL that says nothing, a table that somebody has
locked, bodies that never end."""

import asyncio
import signal
from pathlib import Path
from time import perf_counter

import aiohttp
import psycopg

from tests.faults.of_services import database, no_postgresql, on_postgresql
from tests.faults.outcome import Outcome
from tests.faults.registry import Fault, nothing, on_stage
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


async def meanwhile(stage: Stage) -> str:
    """Everybody is told in time, and what needs no database answers."""
    stage.seen.slowest = 0.0
    for person in stage.people:
        person.told = 0
    asking = asyncio.create_task(others(stage))
    await asyncio.sleep(LONG)
    slowest = await asking
    took = stage.seen.slowest
    untold = sum(not person.told for person in stage.people)
    stage.expect(not untold, f"{untold} people were told nothing")
    stage.expect(took < AT_MOST, f"an answer took {took:.1f} s")
    return f"by itself; the slowest answer took {took:.1f} s, {slowest:.1f} s without the database"


async def others(stage: Stage) -> float:
    """The slowest answer of what needs no database, asked for by somebody who plays."""
    slowest, until = 0.0, perf_counter() + LONG / 2
    cookies = stage.people[0].client.cookie_jar
    async with aiohttp.ClientSession(stage.address, cookie_jar=cookies) as client:
        while perf_counter() < until:
            for path in (*OPEN, *SHUT):
                began = perf_counter()
                async with client.get(path) as response:
                    await response.read()
                slowest = max(slowest, perf_counter() - began)
                wanted = {200, 503} if path in SHUT else {200}
                stage.expect(response.status in wanted, f"{path} answered {response.status}")
            await asyncio.sleep(1)
    stage.expect(slowest < SOON, f"without the database an answer took {slowest:.1f} s")
    return slowest


async def full_of_bodies(folder: Path) -> Outcome:
    async def script(stage: Stage) -> str:
        before = sum(stage.seen.told.values())
        sending = []
        for size in SIZES:
            sending += [asyncio.create_task(unfinished(stage, size)) for _ in range(MANY)]
            await asyncio.sleep(SETTLE)
        await stage.goes_on()
        for task in sending:
            task.cancel()
        told = sum(stage.seen.told.values()) - before
        stage.expect(not told, f"{told} requests of others were refused")
        return "nobody but the sender is refused anything"

    return await on_stage(Stage(folder), script)


async def unfinished(stage: Stage, size: int) -> None:
    """All but the last byte, of one client that begins again where it is refused."""
    head = f"POST /dice-test/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: {size + 1}\r\n\r\n"
    while True:
        reader, writer = await asyncio.open_connection("127.0.0.1", stage.site.port)
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
    Fault("a table locked for 60 s", table_locked, no_postgresql),
    Fault("bodies that never end", full_of_bodies, nothing),
]
