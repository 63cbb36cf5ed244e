"""How late everybody is shown a move where hundreds watch one game: ``--watchers 600``."""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from statistics import quantiles
from time import perf_counter
from typing import Any

import aiohttp

from solver.rules import Action, State
from tests.load.person import SEQ, Person, Record, first
from tests.load.servers import Servers

WATCH = re.compile(r'href="(/watch/[\w-]+/)"')
MOVES = 20
BETWEEN = 0.5  # seconds after all watchers have seen a move
AT_ONCE = 20  # sockets that are opened at the same time
PATIENCE = 120.0  # seconds


@dataclass
class Crowd:
    site: str
    many: int
    shown: dict[int, list[float]] = field(default_factory=dict)  # by the number of the decision

    async def wait_until_shown(self, seq: int) -> None:
        async with asyncio.timeout(PATIENCE):
            while len(self.shown.get(seq, ())) < self.many:
                await asyncio.sleep(0.02)

    @asynccontextmanager
    async def watching(self, address: str) -> AsyncIterator[None]:
        client = aiohttp.ClientSession(self.site, connector=aiohttp.TCPConnector(limit=0))
        places = asyncio.Semaphore(AT_ONCE)
        async with client, asyncio.TaskGroup() as group:
            tasks = [
                group.create_task(self._watch(client, address, places)) for _ in range(self.many)
            ]
            await self.wait_until_shown(1)
            yield
            for task in tasks:
                task.cancel()

    async def _watch(
        self, client: aiohttp.ClientSession, address: str, places: asyncio.Semaphore
    ) -> None:
        await places.acquire()
        async with client.ws_connect(f"/ws{address}", headers={"Origin": self.site}) as socket:
            self._see(await socket.receive_str())
            places.release()
            async for message in socket:
                self._see(message.data)

    def _see(self, board: str) -> None:
        self.shown.setdefault(int(first(SEQ, board)), []).append(perf_counter())


@dataclass
class Mover(Person):
    crowd: Crowd = field(kw_only=True)
    begun: dict[int, float] = field(default_factory=dict)  # when a move was sent, by its number

    @asynccontextmanager
    async def _listening(self, page: str) -> AsyncIterator[None]:
        async with super()._listening(page), self.crowd.watching(first(WATCH, page)):
            yield

    async def _act(self, game: str, state: State, action: Action, done: list[Action]) -> State:
        seq = len(done) + 1
        self.begun[seq] = perf_counter()
        after = await super()._act(game, state, action, done)
        await self.crowd.wait_until_shown(seq)
        await asyncio.sleep(BETWEEN)
        return after


async def lateness(servers: Servers, many: int) -> tuple[Record, dict[str, Any]]:
    """In milliseconds after a move was sent, of all pushes of all moves."""
    record, crowd = Record(), Crowd(servers.address, many)
    mover = Mover(servers.address, 1, record, 0, 0, lambda: len(mover.begun) >= MOVES, crowd=crowd)
    cpu = servers.cpu_seconds
    await mover.play()
    late = [1000 * (at - mover.begun[seq]) for seq in mover.begun for at in crowd.shown[seq]]
    last = [1000 * (max(crowd.shown[seq]) - sent) for seq, sent in mover.begun.items()]
    cut = quantiles(late, n=100, method="inclusive")
    return record, {
        "watchers": many,
        "moves": len(mover.begun),
        "push_p50_ms": round(cut[49]),
        "push_p99_ms": round(cut[98]),
        "last_push_ms": round(sorted(last)[len(last) // 2]),
        "cpu_seconds": round(servers.cpu_seconds - cpu, 2),
        "megabytes": round(servers.megabytes),
    }
