"""uvicorn's connections: how long they wait for a request, and an answer that waits for nothing.

uvicorn waits for ever for the first one: eight hundred connections that say nothing stay open. For
the next one it waits 5 s, as long as somebody thinks: then the move and the end of the connection
cross, and what a proxy has sent on its way is lost. With workers, or a socket that was opened for
it, it leaves Nagle's algorithm on: a body waits 40 ms, until the head before it is acknowledged.
"""

import asyncio
from contextlib import suppress
from socket import IPPROTO_TCP, TCP_NODELAY
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD = 15.0  # seconds
IDLE = 75  # seconds between two requests; a proxy in front hangs up sooner


class PatientProtocol(H11Protocol):
    """``uvicorn --http yatzy_site.connections:PatientProtocol``"""

    _hurry: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        with suppress(OSError):  # a socket of this machine's file system has no such thing
            transport.get_extra_info("socket").setsockopt(IPPROTO_TCP, TCP_NODELAY, 1)
        self.timeout_keep_alive = IDLE
        self._hurry = self.loop.call_later(HEAD, self._give_up)

    def connection_lost(self, exc: Exception | None) -> None:
        self._calm()
        super().connection_lost(exc)

    def handle_events(self) -> None:
        super().handle_events()
        if self.cycle is not None:  # from then on the gate and uvicorn itself keep the time
            self._calm()

    def handle_websocket_upgrade(self, event: Any) -> None:
        self._calm()  # the connection is a socket's now, which may be silent for hours
        super().handle_websocket_upgrade(event)

    def _give_up(self) -> None:
        if not self.transport.is_closing():
            self.transport.close()

    def _calm(self) -> None:
        if self._hurry is not None:
            self._hurry.cancel()
            self._hurry = None
