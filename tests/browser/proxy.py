"""A line between a browser and a site that can be cut, or hold what is sent over it."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from urllib.parse import urlsplit

PIECE = 65536


class Line:
    """Cut, it ends every connection and takes none; frozen, it takes all and passes nothing on.

    Mended, it passes on what it held; renewed, it forgets that, and old connections stay dead.
    """

    def __init__(self, site: str) -> None:
        self.site = site
        self.near = ""
        self.open = threading.Event()
        self.writers: set[asyncio.StreamWriter] = set()
        self.connections: set[asyncio.Task[None]] = set()
        self.valves: list[asyncio.Event] = []  # the last is that of new connections
        self.is_cut = False

    async def run(self) -> None:
        self.loop = asyncio.get_running_loop()
        self.over = asyncio.Event()
        self._renew()
        server = await asyncio.start_server(self._begin, "127.0.0.1", 0)
        self.near = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        self.open.set()
        await self.over.wait()
        server.close()
        for valve in self.valves:
            valve.set()
        self._abort()
        await asyncio.gather(*self.connections)

    def _begin(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.ensure_future(self._connected(reader, writer))
        self.connections.add(task)
        task.add_done_callback(self.connections.discard)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self.is_cut:
            writer.transport.abort()
            return
        to, valve = urlsplit(self.site), self.valves[-1]
        beyond = await asyncio.open_connection(to.hostname, to.port)
        self.writers |= {writer, beyond[1]}
        ways = ((reader, beyond[1]), (beyond[0], writer))
        await asyncio.gather(*(self._pass_on(*way, valve) for way in ways))

    async def _pass_on(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, valve: asyncio.Event
    ) -> None:
        with suppress(OSError):
            while piece := await reader.read(PIECE):
                await valve.wait()
                writer.write(piece)
                await writer.drain()
        await valve.wait()  # the proxy does not report a client that has gone
        self.writers.discard(writer)
        writer.close()

    def _abort(self) -> None:
        for writer in self.writers:
            writer.transport.abort()
        self.writers.clear()

    def _renew(self) -> None:
        self.valves.append(asyncio.Event())
        self.valves[-1].set()

    def _do(self, deed: Callable[[], object]) -> None:
        self.loop.call_soon_threadsafe(deed)

    def cut(self) -> None:
        self.is_cut = True
        self._do(self._abort)

    def freeze(self) -> None:
        self._do(self.valves[-1].clear)

    def mend(self) -> None:
        self.is_cut = False
        self._do(self.valves[-1].set)

    def renew(self) -> None:
        self._do(self._renew)

    def end(self) -> None:
        self.mend()
        self._do(self.over.set)


@contextmanager
def line_to(site: str) -> Iterator[Line]:
    line = Line(site)
    thread = threading.Thread(target=lambda: asyncio.run(line.run()))
    thread.start()
    assert line.open.wait(10)
    try:
        yield line
    finally:
        line.end()
        thread.join(10)
