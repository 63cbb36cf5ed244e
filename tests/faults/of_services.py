"""PostgreSQL and Redis are restarted, killed, hang, are away for a while, and are copied."""

import asyncio
import atexit
import shutil
import signal
import tempfile
from contextlib import ExitStack
from functools import cache
from pathlib import Path

from tests.faults.kept import written
from tests.faults.outcome import Outcome
from tests.faults.registry import Fault, Script, nothing, on_stage
from tests.faults.services import PostgreSQL, postgresql, postgresql_programs, redis
from tests.faults.stage import PEOPLE, Stage, looked_up

AWAY = 12.0  # seconds, more than a request waits for a connection
HANGS = 6.0
AT_MOST = 5.0  # seconds that a move may take while Redis hangs, on a machine that does other things


@cache
def database() -> PostgreSQL:
    """One for all faults, for it takes long to make."""
    closing = ExitStack()
    atexit.register(closing.close)
    folder = closing.enter_context(tempfile.TemporaryDirectory(prefix="yatzy-postgresql-"))
    return closing.enter_context(postgresql(Path(folder) / "cluster"))


async def on_postgresql(folder: Path, script: Script, many: int = PEOPLE) -> Outcome:
    found = await asyncio.to_thread(database)
    return await on_stage(Stage(folder, many=many, DATABASE_URL=found.url()), script)


async def restarted(folder: Path) -> Outcome:
    async def script(stage: Stage) -> str:
        await asyncio.to_thread(database().stop)
        await asyncio.to_thread(database().start)
        return "by itself, over new connections"

    return await on_postgresql(folder, script)


async def away(folder: Path) -> Outcome:
    async def script(stage: Stage) -> str:
        await asyncio.to_thread(database().stop, "immediate")
        await asyncio.sleep(AWAY)
        await asyncio.to_thread(database().start)
        return "PostgreSQL replays its log; the site goes on by itself"

    return await on_postgresql(folder, script)


async def round_trip_of_postgresql(folder: Path) -> Outcome:
    await asyncio.to_thread(database().create, folder.name.replace("-", "_"))
    other = {"DATABASE_URL": database().url(folder.name.replace("-", "_"))}
    return await on_postgresql(folder, lambda stage: copied(stage, other))


async def round_trip_of_sqlite(folder: Path) -> Outcome:
    (folder / "other").mkdir()
    return await on_stage(
        Stage(folder), lambda stage: copied(stage, {"YATZY_VAR": str(folder / "other")})
    )


async def copied(stage: Stage, other: dict[str, str]) -> str:
    """While they play; all that was acknowledged before is in the copy, and every game replays."""
    file, before = stage.folder / "copy", stage.folder / "before.json"
    written(stage.record.acknowledged, {}, before)
    await asyncio.to_thread(stage.site.manage, "backup", str(file))
    await stage.goes_on(1)
    said = await asyncio.to_thread(lambda: stage.site.manage("restore", str(file), **other))
    found = await asyncio.to_thread(looked_up, stage.site.environment | other, before)
    stage.expect(not found["lost"], f"{found['lost']} decisions are not in the copy")
    stage.wrong += [text for text in found["wrong"] if "replay" in text]
    return f"restored beside the site that went on. {said.strip()}"


async def redis_killed(folder: Path) -> Outcome:
    with redis(folder / "redis") as server:

        async def script(stage: Stage) -> str:
            server.kill()
            await stage.goes_on()
            await asyncio.to_thread(server.start)
            return "moves go on without; pages connect again by themselves"

        return await on_stage(Stage(folder, REDIS_URL=server.url), script)


async def redis_hanging(folder: Path) -> Outcome:
    with redis(folder / "redis") as server:

        async def script(stage: Stage) -> str:
            stage.seen.slowest = 0.0
            server.signal(signal.SIGSTOP)
            await asyncio.sleep(HANGS)
            took = stage.seen.slowest
            server.signal(signal.SIGCONT)
            stage.expect(took < AT_MOST, f"an answer took {took:.1f} s")
            return f"no move waits for it: the slowest answer took {took:.1f} s"

        return await on_stage(Stage(folder, REDIS_URL=server.url), script)


def no_postgresql() -> str:
    return "" if postgresql_programs() else "PostgreSQL is not installed"


def no_copies() -> str:
    tools = all(map(shutil.which, ("pg_dump", "pg_restore")))
    return no_postgresql() or ("" if tools else "pg_dump is not installed")


def no_redis() -> str:
    return "" if shutil.which("redis-server") else "Redis is not installed"


FAULTS = [
    Fault("copied and restored (SQLite)", round_trip_of_sqlite, nothing),
    Fault("PostgreSQL restarted", restarted, no_postgresql),
    Fault("PostgreSQL crashed and away for 12 s", away, no_postgresql),
    Fault("copied and restored (PostgreSQL)", round_trip_of_postgresql, no_copies),
    Fault("Redis killed, and back", redis_killed, no_redis),
    Fault("Redis hanging for 6 s", redis_hanging, no_redis),
]
