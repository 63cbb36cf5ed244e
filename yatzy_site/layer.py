"""A channel layer over Redis that loses no message when a listener leaves.

One socket of each process waits in Redis for all sockets. When its listener leaves, channels_redis
cancels that wait and starts another; a message that Redis hands out at that moment was lost, so a
viewer missed a push whenever another viewer left at the wrong time.
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
        # A finished wait with a message is kept; a failed one has raised its error already.
        if wait is None or (wait.done() and (wait.cancelled() or wait.exception())):
            wait = asyncio.ensure_future(super().receive_single(channel))
            self._waits[channel] = wait
        received = await asyncio.shield(wait)  # a cancelled listener leaves the wait
        del self._waits[channel]
        return received
