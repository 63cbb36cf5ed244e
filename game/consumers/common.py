"""What every socket needs: how it says no, and what a template asks of a request."""

import asyncio
from collections.abc import Awaitable, Callable, Hashable
from typing import Any

from channels.consumer import get_handler_name
from channels.generic.websocket import AsyncWebsocketConsumer
from django.http import HttpRequest

# Codes after which a browser does not try again, unlike a refused handshake.
UNKNOWN, FORBIDDEN = 4404, 4403


class NotShown(Exception):
    def __init__(self, code: int) -> None:
        self.code = code


class Listener(AsyncWebsocketConsumer):
    """Whoever listens, and is told something."""

    async def dispatch(self, message: dict[str, Any]) -> None:
        """Without going to a thread for nothing, as Channels does before every message.

        It has old connections to the database closed there; whoever asks the database does that
        before and after anyway, and most messages ask nothing of it.
        """
        await getattr(self, get_handler_name(message))(message)


_pictures: dict[Hashable, asyncio.Future[str]] = {}
REMEMBERED = 64


async def rendered_once(key: Hashable, render: Callable[[], Awaitable[str]]) -> str:
    """However many ask for it at the same time or shortly after."""
    loop = asyncio.get_running_loop()
    key = (id(loop), key)
    if key not in _pictures:
        while len(_pictures) >= REMEMBERED:
            del _pictures[next(iter(_pictures))]
        _pictures[key] = asyncio.ensure_future(render())
    return await asyncio.shield(_pictures[key])


def page_request(scope: dict[str, Any]) -> HttpRequest:
    """What a template needs of the page's request: its language and its token against forgery."""
    request = HttpRequest()
    request.COOKIES = scope["cookies"]
    headers = dict(scope["headers"])
    request.META["HTTP_ACCEPT_LANGUAGE"] = headers.get(b"accept-language", b"").decode("latin-1")
    if secret := request.COOKIES.get("csrftoken"):
        request.META["CSRF_COOKIE"] = secret
    return request
