"""ASGI wrappers: IDs of requests, access only from this machine, background work."""

import asyncio
import contextlib
import secrets
from collections.abc import Awaitable, Callable, Coroutine
from contextvars import ContextVar
from ipaddress import ip_address
from typing import Any

from yatzy_site.gate import App, Message, Receive, Scope, Send

HEADER = b"x-request-id"

request_id: ContextVar[str] = ContextVar("request_id", default="")


class Named:
    """A wrapper that gives each request an ID. IDs that clients send are ignored."""

    def __init__(self, app: App) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        name = secrets.token_hex(4)
        request_id.set(name)

        async def send_with_id(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = [*message.get("headers", []), (HEADER, name.encode())]
                message = {**message, "headers": headers}
            await send(message)

        await self.app(scope, receive, send_with_id)


TEXT = b"DEBUG is on, so the server answers only this machine. Set DEBUG=0, or leave it out."


class OnlyHere:
    """A wrapper that serves only this machine, because DEBUG pages show settings and source."""

    def __init__(self, app: App) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        client = scope.get("client")  # None for all clients of a socket file
        try:
            local = not client or ip_address(client[0]).is_loopback
        except ValueError:
            local = False
        if local:
            await self.app(scope, receive, send)
        elif scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 1008})
        else:
            headers = [(b"content-type", b"text/plain"), (b"connection", b"close")]
            await send({"type": "http.response.start", "status": 403, "headers": headers})
            await send({"type": "http.response.body", "body": TEXT})


async def serve_lifespan(
    work: Callable[[], Coroutine[Any, Any, None]],
    receive: Callable[[], Awaitable[Message]],
    send: Callable[[Message], Awaitable[None]],
    refusals: Callable[[], list[str]],
) -> None:
    """Do the work until the server shuts down. If it cannot serve, report the reasons and fail."""
    await receive()
    if wrong := await asyncio.to_thread(refusals):
        text = "\n  ".join(("The server cannot start:", *wrong))
        await send({"type": "lifespan.startup.failed", "message": text})
        return
    task = asyncio.create_task(work())
    await send({"type": "lifespan.startup.complete"})
    await receive()
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task
    await send({"type": "lifespan.shutdown.complete"})
