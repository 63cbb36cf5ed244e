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
    refusals: Callable[[], list[str]],
) -> None:
    """What cannot serve does not start: it would answer every request with an error."""
    await receive()
    if wrong := await asyncio.to_thread(refusals):
        told = "\n  ".join(("Not served:", *wrong))
        await send({"type": "lifespan.startup.failed", "message": told})
        return
    task = asyncio.create_task(work())
    await send({"type": "lifespan.startup.complete"})
    await receive()
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task
    await send({"type": "lifespan.shutdown.complete"})
