"""SQLite's file is locked, may not be written, has no room left, or loses its power."""

import asyncio
import os
import signal
import sqlite3
from pathlib import Path

from tests.faults.disks import disk, fill, may_be_unwritable, may_loop, may_mount, small, unwritable
from tests.faults.of_the_server import locked
from tests.faults.outcome import Outcome
from tests.faults.registry import Fault, nothing, on_stage
from tests.faults.stage import Stage

PATIENCE = 10.0  # seconds of a request
LONG_ENOUGH = 3.0  # seconds for everybody to be told


async def locked_by_another(folder: Path) -> Outcome:
    async def script(stage: Stage) -> str:
        other = locked(folder)
        await asyncio.sleep(PATIENCE + LONG_ENOUGH)
        other.close()
        told_of(stage, 503)
        return "by itself, once the lock is free; moves wait for it for 10 s at most"

    return await on_stage(Stage(folder), script)


def told_of(stage: Stage, status: int) -> None:
    """By pages, in place, and to whoever began a game."""
    for how in ("in place", "as a page"):
        told = stage.seen.told[f"{status} {how}"]
        stage.expect(told, f"nobody was told {how}: {stage.seen}")


async def full(folder: Path) -> Outcome:
    with small(folder / "small", megabytes=24):
        stage = Stage(folder / "small")

        async def script(stage: Stage) -> str:
            fill(stage.folder / "rubbish")
            await asyncio.sleep(LONG_ENOUGH)
            (stage.folder / "rubbish").unlink()
            told_of(stage, 507)
            return "by itself, once there is room"

        return await on_stage(stage, script)


async def read_only(folder: Path, path: Path) -> Outcome:
    """Found at a start: a server that runs has its files open, and goes on writing into them."""

    async def script(stage: Stage) -> str:
        stage.site.stop()
        sqlite3.connect(folder / "yatzy.sqlite3").execute(
            "VACUUM"
        ).connection.close()  # its log, too
        with unwritable(path):
            await stage.started()
            await asyncio.sleep(LONG_ENOUGH)
        told_of(stage, 503)
        return "by itself, once it may be written"

    return await on_stage(Stage(folder), script)


async def database_read_only(folder: Path) -> Outcome:
    return await read_only(folder, folder / "yatzy.sqlite3")


async def folder_read_only(folder: Path) -> Outcome:
    return await read_only(folder, folder)


async def power_cut(folder: Path) -> Outcome:
    """What the file behind the mounted disk holds then is all that the server is left with."""
    with disk(folder / "disk", megabytes=64) as mounted:
        stage = Stage(mounted.folder)

        async def script(stage: Stage) -> str:
            mounted.sync()  # what was installed long before, not what is played from now on
            await stage.goes_on(20)
            stage.site.signal(signal.SIGSTOP)
            left = await asyncio.to_thread(mounted.cut)
            stage.site.kill()
            mounted.unmount()
            os.replace(left, mounted.image)
            mounted.mount()
            await stage.started()
            return "started again, from what was on the disk"

        return await on_stage(stage, script)


def no_mounts() -> str:
    return "" if may_mount() else "this program may not mount a disk"


def no_loops() -> str:
    return "" if may_loop() else "this program may not mount a file as a disk"


def no_rights() -> str:
    return "" if may_be_unwritable() else "this program may write everything"


FAULTS = [
    Fault("database locked by somebody else", locked_by_another, nothing),
    Fault("disk full", full, no_mounts),
    Fault("database file read-only", database_read_only, no_rights),
    Fault("folder read-only", folder_read_only, no_rights),
    Fault("power cut", power_cut, no_loops),
]
