"""What a server does beside its requests, from its start to its end."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Coroutine, MutableMapping
from typing import Any

Message = MutableMapping[str, Any]


async def beside(
    work: Callable[[], Coroutine[Any, Any, None]],
    receive: Callable[[], Awaitable[Message]],
    send: Callable[[Message], Awaitable[None]],
) -> None:
    await receive()
    task = asyncio.create_task(work())
    await send({"type": "lifespan.startup.complete"})
    await receive()
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task
    await send({"type": "lifespan.shutdown.complete"})
