"""A long line between people and a server: what one end does the other learns of later.

On one machine a client sees the end of its connection before it can send anything into it. From
far away a request and the end of its connection cross.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

DELAY = 0.1  # seconds each way


@dataclass
class Line:
    port: int  # of the server
    crossed: int = 0  # moves that came to a connection which the server had ended

    async def take(self, near: asyncio.StreamReader, back: asyncio.StreamWriter) -> None:
        await asyncio.sleep(DELAY)
        try:
            far, on = await asyncio.open_connection("127.0.0.1", self.port)
        except OSError:
            back.transport.abort()
            return
        await asyncio.gather(self._carry(near, on, far), self._carry(far, back, near))

    async def _carry(
        self,
        source: asyncio.StreamReader,
        sink: asyncio.StreamWriter,
        other_way: asyncio.StreamReader,
    ) -> None:
        """Each piece later, in its order; the end of a connection ends both its ways."""

        def hand(piece: bytes) -> None:
            self.crossed += other_way.at_eof() and piece.startswith(b"POST ")
            sink.write(piece)

        loop = asyncio.get_running_loop()
        with suppress(OSError):
            while piece := await source.read(1 << 16):
                loop.call_later(DELAY, hand, piece)
        loop.call_later(DELAY, sink.close)


@asynccontextmanager
async def long_line(port: int) -> AsyncIterator[tuple[str, Line]]:
    """The address of its near end."""
    line = Line(port)
    server = await asyncio.start_server(line.take, "127.0.0.1")
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", line
    finally:
        server.close()
