"""Messages by way of Redis, none lost because a listener goes.

Of all sockets of a process one waits in Redis, for everybody. Where that one ends, channels_redis
gives its wait up and lets another begin. But what Redis hands out at that very moment is gone from
there and reaches nobody: a viewer's push was lost whenever somebody else left at the wrong time.
"""

import asyncio
from typing import Any

from channels_redis.core import RedisChannelLayer
from redis.asyncio import BlockingConnectionPool

CONNECTIONS = 32  # one of them waits for what is sent to this process
WAIT = 5.0  # seconds for a free one


class KeepingLayer(RedisChannelLayer):
    """Here a wait goes on, with what it is given, for anyone who listens next."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._waits: dict[str, asyncio.Task[Any]] = {}

    def create_pool(self, index: int) -> BlockingConnectionPool:
        """Many sockets that open at once wait for each other; a pool of redis-py's refuses some."""
        host = dict(self.hosts[index])
        address = host.pop("address")
        return BlockingConnectionPool.from_url(
            address, max_connections=CONNECTIONS, timeout=WAIT, **host
        )

    async def receive_single(self, channel: str) -> Any:
        wait = self._waits.get(channel)
        if wait is None or not _goes_on(wait):
            wait = asyncio.ensure_future(super().receive_single(channel))
            self._waits[channel] = wait
        received = await asyncio.shield(wait)  # cut short, the next listener finds it here
        del self._waits[channel]
        return received


def _goes_on(wait: "asyncio.Task[Any]") -> bool:
    """Or has ended well. One that failed has told who listened then, if anybody did."""
    return not wait.done() or not (wait.cancelled() or wait.exception())
