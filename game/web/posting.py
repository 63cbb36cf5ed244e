"""Messages to sockets leave by the loop of the server: no move waits for them, nor for Redis."""

import asyncio
import logging
from typing import Any

from asgiref.sync import async_to_sync
from channels.layers import BaseChannelLayer, InMemoryChannelLayer

logger = logging.getLogger(__name__)
PATIENCE = 5.0  # seconds; whoever connects again is shown the truth anyway
MOST = 1000  # messages under way; with a Redis that hangs more would only pile up

_server: asyncio.AbstractEventLoop | None = None
_under_way: set[asyncio.Task[None]] = set()


def serve_here() -> None:
    """Messages of this process leave by the loop that runs now."""
    global _server
    _server = asyncio.get_running_loop()


def post(layer: BaseChannelLayer, group: str, event: dict[str, Any]) -> None:
    """Sent soon, from the loop of the server; at once, where a command has none."""
    if _nobody_listens(layer, group):
        return
    if _server is not None and _server.is_running():
        _server.call_soon_threadsafe(_begin, layer, group, event)
    else:
        async_to_sync(_sent)(layer, group, event)


def _nobody_listens(layer: BaseChannelLayer, group: str) -> bool:
    return isinstance(layer, InMemoryChannelLayer) and not layer.groups.get(group)


def _begin(layer: BaseChannelLayer, group: str, event: dict[str, Any]) -> None:
    if len(_under_way) >= MOST:
        return
    task = asyncio.ensure_future(_sent(layer, group, event))
    _under_way.add(task)
    task.add_done_callback(_under_way.discard)


async def _sent(layer: BaseChannelLayer, group: str, event: dict[str, Any]) -> None:
    try:
        await asyncio.wait_for(layer.group_send(group, event), PATIENCE)
    except Exception as error:
        logger.warning("a push is lost, pages show it when they connect again: %r", error)
