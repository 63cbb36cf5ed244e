"""uvicorn's connections, changed: every wait has a limit, and answers are sent without delay.

uvicorn waits for the first request without a limit, so 800 silent connections would stay open. It
closes a connection after 5 s without a request, about as long as a player thinks; a request that
arrives at this moment is lost. If uvicorn has workers or an inherited socket, it leaves Nagle's
algorithm on, which delays the body of an answer by 40 ms.
"""

import asyncio
from contextlib import suppress
from socket import IPPROTO_TCP, TCP_NODELAY
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD = 15.0  # seconds in which the first request must begin
IDLE = 75  # seconds between two requests; a proxy closes idle connections sooner


class PatientProtocol(H11Protocol):
    """The protocol for ``uvicorn --http yatzy_site.connections:PatientProtocol``."""

    _hurry: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        with suppress(OSError):  # a socket file has no such option
            transport.get_extra_info("socket").setsockopt(IPPROTO_TCP, TCP_NODELAY, 1)
        self.timeout_keep_alive = IDLE
        self._hurry = self.loop.call_later(HEAD, self.transport.close)

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_timer()
        super().connection_lost(exc)

    def handle_events(self) -> None:
        super().handle_events()
        if self.cycle is not None:  # a request has begun: gate and uvicorn limit its time
            self._stop_timer()

    def handle_websocket_upgrade(self, event: Any) -> None:
        self._stop_timer()  # a WebSocket may be silent for hours
        super().handle_websocket_upgrade(event)

    def _stop_timer(self) -> None:
        if self._hurry is not None:
            self._hurry.cancel()
            self._hurry = None
