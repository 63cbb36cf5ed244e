"""Notifies the open pages of a game or a duel about a change.

The server's event loop sends the messages, so no move waits for sockets or for Redis.
"""

import asyncio
import logging
import re
import secrets
from contextvars import ContextVar
from time import monotonic
from typing import Any

from asgiref.sync import async_to_sync
from channels.layers import BaseChannelLayer, InMemoryChannelLayer, get_channel_layer
from django.http import HttpRequest

from game.core.events import duel_changed, game_changed

logger = logging.getLogger(__name__)
PATIENCE = 5.0  # seconds to send a message; a page without it gets the state when it reconnects
MOST = 1000  # most messages that are being sent at once; more can wait only while Redis hangs

_server: asyncio.AbstractEventLoop | None = None
_under_way: set[asyncio.Task[None]] = set()


class ProcessLayer(InMemoryChannelLayer):
    """A channel layer that deletes old messages only once per second, not for every message."""

    _looked = 0.0

    def _clean_expired(self) -> None:
        if monotonic() - self._looked >= 1:
            self._looked = monotonic()
            super()._clean_expired()  # type: ignore[misc]


def serve_here() -> None:
    """Make the running event loop the sender of all messages of this process."""
    global _server
    _server = asyncio.get_running_loop()


def send_event(layer: BaseChannelLayer, group: str, event: dict[str, Any]) -> None:
    """Send an event from the server's event loop. If no loop runs, send the event at once."""
    if isinstance(layer, InMemoryChannelLayer) and not layer.groups.get(group):
        return
    if _server is not None and _server.is_running():
        _server.call_soon_threadsafe(_begin, layer, group, event)
    else:
        async_to_sync(_send)(layer, group, event)


def _begin(layer: BaseChannelLayer, group: str, event: dict[str, Any]) -> None:
    if len(_under_way) >= MOST:
        return
    task = asyncio.ensure_future(_send(layer, group, event))
    _under_way.add(task)
    task.add_done_callback(_under_way.discard)


async def _send(layer: BaseChannelLayer, group: str, event: dict[str, Any]) -> None:
    try:
        await asyncio.wait_for(layer.group_send(group, event), PATIENCE)
    except Exception as error:
        logger.warning("a push is lost; pages show the change when they reconnect: %r", error)


TAB = re.compile(r"[\w-]{1,32}")

# The browser tab that made the request. Its response has the new board, so it needs no push.
moving: ContextVar[str] = ContextVar("moving", default="")


def parse_tab(text: str) -> str:
    """Return the text if it is a valid name of a tab, else ""."""
    return text if TAB.fullmatch(text) else ""


def find_tab(request: HttpRequest) -> str:
    """Return the name of the tab that sent the request, or a new random name."""
    return parse_tab(request.headers.get("X-Tab", "")) or secrets.token_urlsafe(6)


def name_game_group(game_id: str) -> str:
    return f"game.{game_id}"


def name_duel_group(token: str) -> str:
    return f"duel.{token}"


def listen() -> None:
    game_changed.connect(publish, dispatch_uid="game.pages.requests.live")
    duel_changed.connect(publish_duel, dispatch_uid="game.pages.requests.live.duel")


def publish(*, game_id: str, **_: object) -> None:
    """Notify the open pages of a game. Each page renders its own board, in its own language."""
    layer = get_channel_layer()
    if layer is not None:
        # Watchers with the same language share one rendering, which is cached under "news".
        event = {"type": "game.changed", "tab": moving.get(), "news": secrets.token_hex(8)}
        send_event(layer, name_game_group(game_id), event)


def publish_duel(*, token: str, **_: object) -> None:
    layer = get_channel_layer()
    if layer is not None:
        send_event(layer, name_duel_group(token), {"type": "duel.changed"})
