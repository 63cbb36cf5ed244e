"""What somebody else asks for, who has a share and no more: programs that ask for all they may."""

import asyncio
from itertools import cycle, islice
from pathlib import Path
from statistics import median

import aiohttp

from tests.faults.outcome import Outcome
from tests.faults.registry import Fault, nothing, on_stage
from tests.faults.stage import Stage

ELSEWHERE = "127.0.0.2"  # another client than everybody who plays
DEAR = {"positions": [{"dice": [1, 2, 3, 4, 5], "rolls_left": 2}] * 1000, "top": 999}
AT_ONCE = 4  # requests of the neighbour
WATCHED = 10.0  # seconds
# Beside a program that asks for all it may a move takes so much longer at most.
TIMES, AT_LEAST = 4.0, 0.2  # of the median before; seconds, on a machine that does other things


async def api_neighbour(folder: Path) -> Outcome:
    async def script(stage: Stage) -> str:
        alone = await typical(stage)
        asking = [asyncio.create_task(asks(way)) for way in islice(cycle(stage.addresses), AT_ONCE)]
        await asyncio.sleep(1)
        beside = await typical(stage)
        for task in asking:
            task.cancel()
        await asyncio.gather(*asking, return_exceptions=True)
        stage.expect(beside < max(AT_LEAST, TIMES * alone), f"a median of {beside:.2f} s")
        return f"a move took {alone * 1000:.0f} ms alone, {beside * 1000:.0f} ms beside it"

    return await on_stage(Stage(folder, API_REQUESTS_A_MINUTE="120"), script)


async def typical(stage: Stage) -> float:
    """The median of what people wait for an answer."""
    before = len(stage.record.seconds)
    await asyncio.sleep(WATCHED)
    return median(stage.record.seconds[before:])


async def asks(address: str) -> None:
    connector = aiohttp.TCPConnector(local_addr=(ELSEWHERE, 0))
    async with aiohttp.ClientSession(address, connector=connector) as client:
        while True:
            async with client.post("/api/v1/advise", json=DEAR) as answer:
                await answer.read()
            await asyncio.sleep(0 if answer.status == 200 else 1)


FAULTS = [Fault("a program asks for all it may", api_neighbour, nothing)]
