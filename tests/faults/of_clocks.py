"""The clock of the machine is put forwards and back, by libfaketime, while people play."""

import asyncio
from pathlib import Path

from tests.faults.outcome import Outcome
from tests.faults.registry import Fault, on_stage
from tests.faults.stage import Stage

PLACES = "/usr/lib/*/faketime/libfaketimeMT.so.1", "/usr/lib64/faketime/libfaketimeMT.so.1"
FAR = 26  # hours: another day, and later than a page is good for
SOON = 3.0  # seconds, until libfaketime has noticed


def library() -> Path | None:
    found = [path for place in PLACES for path in Path("/").glob(place[1:])]
    return found[0] if found else None


async def moved(folder: Path, hours: int) -> Outcome:
    clock = folder / "clock"
    clock.write_text("+0\n")
    stage = Stage(
        folder,
        LD_PRELOAD=str(library()),
        FAKETIME_TIMESTAMP_FILE=str(clock),
        FAKETIME_CACHE_DURATION="1",  # seconds until it looks again
        FAKETIME_DONT_FAKE_MONOTONIC="1",
        FAKETIME_FORCE_MONOTONIC_FIX="0",  # with it a thread that waits for Python's lock spins
    )

    async def script(stage: Stage) -> str:
        clock.write_text(f"{hours:+d}h\n")
        await asyncio.sleep(SOON)
        await stage.goes_on(20)
        clock.write_text("+0\n")
        return "games, cookies and sockets go on, and do when it is put right again"

    return await on_stage(stage, script)


async def forwards(folder: Path) -> Outcome:
    return await moved(folder, FAR)


async def backwards(folder: Path) -> Outcome:
    return await moved(folder, -FAR)


def no_library() -> str:
    return "" if library() else "libfaketime is not installed"


FAULTS = [
    Fault("clock put forwards by 26 h", forwards, no_library),
    Fault("clock put back by 26 h", backwards, no_library),
]
