"""A channel layer over Redis that loses no message when a socket closes.

In each process, one socket waits for Redis on behalf of all sockets. When this socket closes,
channels_redis cancels the wait and starts another. A message that Redis had just sent was then
lost, so one viewer missed a push because another viewer left.
"""

import asyncio
from typing import Any

from channels_redis.core import RedisChannelLayer
from redis.asyncio import BlockingConnectionPool

CONNECTIONS = 32  # connections to Redis; one of them waits for all messages to this process
WAIT = 5.0  # seconds for a free connection


class KeepingLayer(RedisChannelLayer):
    """A channel layer that keeps the wait for Redis, and its message, for the next socket."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._waits: dict[str, asyncio.Task[Any]] = {}

    def create_pool(self, index: int) -> BlockingConnectionPool:
        """Return a pool whose callers wait for a free connection; redis-py's pool would fail."""
        host = dict(self.hosts[index])
        address = host.pop("address")
        return BlockingConnectionPool.from_url(
            address, max_connections=CONNECTIONS, timeout=WAIT, **host
        )

    async def receive_single(self, channel: str) -> Any:
        wait = self._waits.get(channel)
        # Keep a wait that has received a message. Replace a failed wait, which has raised its
        # error.
        if wait is None or (wait.done() and (wait.cancelled() or wait.exception())):
            wait = asyncio.ensure_future(super().receive_single(channel))
            self._waits[channel] = wait
        received = await asyncio.shield(wait)  # if the listener is cancelled, the wait goes on
        del self._waits[channel]
        return received
