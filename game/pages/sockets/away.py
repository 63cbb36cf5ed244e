"""A wrapper that logs one line and closes a socket while Redis or the database is down.

A page whose socket is closed with ``LATER`` connects again and shows the current state. The wrapper
is around the whole app, because the listener is looked up before a consumer exists, and Redis is
awaited outside of the consumer's handlers.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, MutableMapping
from contextlib import suppress
from typing import Any

from game.pages.requests.troubles import explain_outage

logger = logging.getLogger(__name__)
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[MutableMapping[str, Any], Receive, Send], Awaitable[None]]

LATER = 1013  # the code for "try again later"
PAUSE = 2.0  # seconds before closing; a page without content reconnects within a second


def log_in_one_line(error: BaseException) -> bool:
    """Log the error in one line; return False for a bug, which needs its traceback."""
    away = explain_outage(error)
    if away:
        words = " ".join(str(error).split())  # PostgreSQL's messages have several lines
        logger.warning("a socket is closed: %s: %s", away, words)
    return away != ""


class TryAgainLater:
    def __init__(self, app: App) -> None:
        self.app = app

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        talk = Talk(receive, send)
        try:
            await self.app(scope, talk.hear, talk.say)
        except Exception as error:
            if not log_in_one_line(error):
                raise
            await talk.hang_up()


class Talk:
    def __init__(self, receive: Receive, send: Send) -> None:
        self.receive, self.send = receive, send
        self.accepted = self.shown = self.over = False

    async def hear(self) -> Message:
        message = await self.receive()
        self.over |= message["type"] == "websocket.disconnect"
        return message

    async def say(self, message: Message) -> None:
        """Send a message; do nothing if the client is gone."""
        if self.over:
            return
        self.accepted |= message["type"] == "websocket.accept"
        self.shown |= message["type"] == "websocket.send"
        self.over |= message["type"] == "websocket.close"
        with suppress(
            OSError
        ):  # ASGI's error for a client that has gone, which is reported in other ways too
            await self.send(message)

    async def hang_up(self) -> None:
        """Close the socket; accept it first, because otherwise the browser gets no code."""
        if not self.accepted:
            await self.say({"type": "websocket.accept"})
        with suppress(TimeoutError):
            async with asyncio.timeout(0 if self.shown else PAUSE):
                while not self.over:
                    await self.hear()
        await self.say({"type": "websocket.close", "code": LATER})
