"""A channel layer over Redis that loses no message when a listener leaves.

In each process, one socket waits in Redis on behalf of all sockets. When it leaves, channels_redis
cancels the wait and starts another. A message that Redis sent at that moment was lost, so a viewer
missed a push if another viewer left at the wrong time.
"""

import asyncio
from typing import Any

from channels_redis.core import RedisChannelLayer
from redis.asyncio import BlockingConnectionPool

CONNECTIONS = 32  # connections to Redis; one of them waits for the messages to this process
WAIT = 5.0  # seconds for a free connection


class KeepingLayer(RedisChannelLayer):
    """A channel layer that keeps the wait in Redis, and its message, for the next listener."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._waits: dict[str, asyncio.Task[Any]] = {}

    def create_pool(self, index: int) -> BlockingConnectionPool:
        """Return a pool whose callers wait for a connection; redis-py's own pool refuses them."""
        host = dict(self.hosts[index])
        address = host.pop("address")
        return BlockingConnectionPool.from_url(
            address, max_connections=CONNECTIONS, timeout=WAIT, **host
        )

    async def receive_single(self, channel: str) -> Any:
        wait = self._waits.get(channel)
        # Keep a wait that received a message. Replace a failed wait: it has raised its error.
        if wait is None or (wait.done() and (wait.cancelled() or wait.exception())):
            wait = asyncio.ensure_future(super().receive_single(channel))
            self._waits[channel] = wait
        received = await asyncio.shield(wait)  # if the listener is cancelled, the wait goes on
        del self._waits[channel]
        return received
