"""Helpers of all sockets: how they refuse viewers, and the request that a template needs."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, Hashable, Iterator, MutableMapping
from contextlib import contextmanager, suppress
from typing import Any, cast
from urllib.parse import parse_qs

from channels.consumer import get_handler_name
from channels.db import database_sync_to_async
from channels.generic.websocket import AsyncWebsocketConsumer
from django.core.exceptions import PermissionDenied
from django.core.signing import BadSignature
from django.http import Http404, HttpRequest
from django.template.loader import render_to_string
from django.utils import translation

from game.core.duel_awaited_queries import list_awaiting_duels, list_duels_with_people
from game.core.studies import get_studies
from game.models import Player
from game.pages.requests import live
from game.pages.requests.audiences import is_closed_within
from game.pages.requests.troubles import explain_outage
from game.pages.requests.visitors import PARTICIPANT_COOKIE

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[MutableMapping[str, Any], Receive, Send], Awaitable[None]]
LATER = 1013  # the code for "try again later"
PAUSE = 2.0  # seconds before closing; a page that got no content reconnects within a second
logger = logging.getLogger(__name__)
# After these codes a browser does not reconnect. A refused handshake would not stop it.
UNKNOWN, FORBIDDEN = 4404, 4403
BROKEN = 1011  # an error of the program; the browser tries again
GONE = 2.0  # seconds to wait for Redis when a socket closes; Redis may be down
SIGN = 1.0  # seconds between two heartbeats; a page waits 1.8 s for one (static/js/connection.js)


def log_in_one_line(error: BaseException) -> bool:
    """Log an outage in one line. Return False for a bug, whose traceback the caller must log."""
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
        """Send a message, or do nothing if the client is gone."""
        if self.over:
            return
        self.accepted |= message["type"] == "websocket.accept"
        self.shown |= message["type"] == "websocket.send"
        self.over |= message["type"] == "websocket.close"
        with suppress(
            OSError
        ):  # ASGI's error for a client that is gone; the caller notices this in other ways
            await self.send(message)

    async def hang_up(self) -> None:
        """Close the socket. Accept it first, because otherwise the browser gets no code."""
        if not self.accepted:
            await self.say({"type": "websocket.accept"})
        with suppress(TimeoutError):
            async with asyncio.timeout(0 if self.shown else PAUSE):
                while not self.over:
                    await self.hear()
        await self.say({"type": "websocket.close", "code": LATER})


class NotShown(Exception):
    def __init__(self, code: int) -> None:
        self.code = code


@contextmanager
def turn_into_code() -> Iterator[None]:
    """Turn a 404 or 403 that is raised in this block into the code that closes the socket."""
    try:
        yield
    except Http404:
        raise NotShown(UNKNOWN) from None
    except PermissionDenied:
        raise NotShown(FORBIDDEN) from None


class Listener(AsyncWebsocketConsumer):
    """The base class of a page's socket. A browser that may not see the page gets no socket."""

    page = ""  # the URL name of the page

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.group = ""
        self.tasks: set[asyncio.Task[None]] = set()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        try:
            await super().__call__(scope, receive, send)
        except Exception:
            with suppress(Exception):  # the first error is the one to report
                async with asyncio.timeout(GONE):
                    await self.unlisten()
            raise
        finally:
            self.stop()

    async def websocket_connect(self, message: Any) -> None:
        """Open the socket. Send the content, and then heartbeats if the page wants them."""
        if is_closed_within(self.page) and await database_sync_to_async(self._takes_part)():
            await self.accept()
            await self.close(code=FORBIDDEN)
            return
        await super().websocket_connect(message)
        if self.read_parameter("signs"):
            self.run_in_background(self.send_heartbeats())

    def _takes_part(self) -> bool:
        cookie, studies = self.scope["cookies"].get(PARTICIPANT_COOKIE, ""), get_studies()
        try:
            return studies.find_frame(studies.find_participant(cookie)) is not None
        except BadSignature:
            return False

    async def send_heartbeats(self) -> None:
        """Send empty messages as heartbeats, because scripts cannot see WebSocket pings."""
        while True:
            await self.send(text_data="")
            await asyncio.sleep(SIGN)

    def read_parameter(self, name: str) -> str:
        return parse_qs(self.scope["query_string"].decode("latin-1")).get(name, [""])[0]

    async def websocket_disconnect(self, message: Any) -> None:
        self.stop()  # stop before waiting for Redis, which may hang
        await super().websocket_disconnect(message)

    def stop(self) -> None:
        for task in self.tasks:
            task.cancel()

    async def listen(self, group: str) -> None:
        self.group = group
        await self.channel_layer.group_add(group, self.channel_name)

    async def unlisten(self) -> None:
        if self.group:
            await self.channel_layer.group_discard(self.group, self.channel_name)

    def run_in_background(self, work: Coroutine[Any, Any, None]) -> "asyncio.Task[None]":
        """Run a task until the socket ends. If the task fails, close the socket."""
        task = asyncio.create_task(self._run_or_close(work))
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)
        return task

    async def _run_or_close(self, work: Coroutine[Any, Any, None]) -> None:
        try:
            await work
        except Exception as error:
            away = log_in_one_line(error)
            if not away:
                logger.exception("a socket is closed")
            await self.close(code=LATER if away else BROKEN)

    async def dispatch(self, message: dict[str, Any]) -> None:
        """Handle a message without first starting a thread. Channels would start one before every
        message to close old database connections, but code here closes its own connections."""
        await getattr(self, get_handler_name(message))(message)


_pictures: dict[Hashable, asyncio.Future[str]] = {}
REMEMBERED = 64


async def render_once(key: Hashable, render: Callable[[], Awaitable[str]]) -> str:
    """Return the result of ``render``. Simultaneous calls with the same key share one result."""
    loop = asyncio.get_running_loop()
    key = (id(loop), key)
    if key not in _pictures:
        while len(_pictures) >= REMEMBERED:
            del _pictures[next(iter(_pictures))]
        _pictures[key] = asyncio.ensure_future(render())
    return await asyncio.shield(_pictures[key])


def make_page_request(scope: dict[str, Any]) -> HttpRequest:
    request = HttpRequest()
    request.COOKIES = scope["cookies"]
    headers = dict(scope["headers"])
    request.META["HTTP_ACCEPT_LANGUAGE"] = headers.get(b"accept-language", b"").decode("latin-1")
    if secret := request.COOKIES.get("csrftoken"):
        request.META["CSRF_COOKIE"] = secret
    return request


def render_awaited_part(player: Player | None, request: HttpRequest) -> dict[str, str]:
    """Return {name: HTML} for the number of duels that wait for the player; {} without a player."""
    if player is None:
        return {}
    context = {"awaited": list_awaiting_duels(player), "oob": True}
    return {"awaited": render_to_string("_awaited_news.html", context, request=request)}


class AwaitedListener(Listener):
    reader: Player | None = None  # the player whose duels this socket follows
    beside_groups: tuple[str, ...] = ()
    awaited_html = ""

    async def listen_to_duels(self, reader: Player) -> None:
        self.reader = reader
        tokens = await database_sync_to_async(list_duels_with_people)(reader)
        self.beside_groups = tuple(map(live.name_duel_group, tokens))
        for group in self.beside_groups:
            await self.channel_layer.group_add(group, self.channel_name)
        if self.beside_groups:
            await self.send_awaited()

    async def unlisten(self) -> None:
        await super().unlisten()
        for group in self.beside_groups:
            await self.channel_layer.group_discard(group, self.channel_name)

    async def duel_changed(self, event: dict[str, Any]) -> None:
        await self.send_awaited()

    async def send_awaited(self) -> None:
        html = await database_sync_to_async(self.render_awaited)()
        if html != self.awaited_html:
            self.awaited_html = html
            await self.send(text_data=html)

    def render_awaited(self) -> str:
        request = make_page_request(cast(dict[str, Any], self.scope))
        with translation.override(translation.get_language_from_request(request)):
            return render_awaited_part(self.reader, request)["awaited"]
