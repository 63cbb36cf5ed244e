"""Limits WebSockets: their origin, their number, and the size and rate of their messages."""

from collections import Counter
from collections.abc import Awaitable, Callable
from resource import RLIM_INFINITY, RLIMIT_NOFILE, getrlimit
from time import monotonic
from typing import Any

from channels.security.websocket import WebsocketDenier
from django.conf import settings
from django.http.request import split_domain_port, validate_host

from game.pages.requests.known import identify_client
from yatzy_site.gate import App, Message, Receive, Scope, Send

WORDS = 60  # messages per window
LENGTH = 4096  # characters per message
WINDOW = 60.0  # seconds in a window
POLICY, LATER = 1008, 1013  # the close codes for "against the rules" and "try again later"


class Bounded:
    """A wrapper that limits how many sockets are open in this process, in total and per address."""

    def __init__(self, app: App, most: int, in_all: int) -> None:
        self.app = app
        self.most = most
        files = getrlimit(RLIMIT_NOFILE)[0]  # a quarter of the file handles stays free for pages
        self.in_all = in_all if files == RLIM_INFINITY else min(in_all, files * 3 // 4)
        self.of_client: Counter[str] = Counter()

    @property
    def open(self) -> int:
        return self.of_client.total()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        client = identify_client(str((scope.get("client") or [""])[0]))
        if self.open >= self.in_all or self.of_client[client] >= self.most:
            await receive()
            await send({"type": "websocket.close", "code": LATER})
            return
        self.of_client[client] += 1
        try:
            await self.app(scope, Listened(receive, send), send)
        finally:
            self.of_client[client] -= 1
            if not self.of_client[client]:
                del self.of_client[client]


class Listened:
    """Reads a WebSocket, and closes the connection when the client sends too much."""

    def __init__(self, receive: Receive, send: Send) -> None:
        self.receive, self.send = receive, send
        self.since, self.count = monotonic(), 0

    async def __call__(self) -> Message:
        message = await self.receive()
        if message["type"] != "websocket.receive":
            return message
        if monotonic() - self.since > WINDOW:
            self.since, self.count = monotonic(), 0
        self.count += 1
        length = len(message.get("text") or message.get("bytes") or "")
        if self.count > WORDS or length > LENGTH:
            await self.send({"type": "websocket.close", "code": POLICY})
            return {"type": "websocket.disconnect", "code": POLICY}
        return message


PORTS = {"http": "80", "https": "443"}


class SameOrigin:
    """A wrapper that accepts sockets only from this site's pages or from a trusted origin."""

    def __init__(self, app: Callable[..., Awaitable[None]]) -> None:
        self.app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        headers = dict(scope["headers"])
        origin, host = (headers.get(n, b"").decode("latin-1") for n in (b"origin", b"host"))
        passed = self.app if is_own(origin, host, scope) else WebsocketDenier()
        await passed(scope, receive, send)


def is_own(origin: str, host: str, scope: Any) -> bool:
    if origin in settings.CSRF_TRUSTED_ORIGINS:
        return True
    domain, _port = split_domain_port(host)
    if not domain or not validate_host(domain, settings.ALLOWED_HOSTS):
        return False
    scheme = "https" if settings.HTTPS or scope.get("scheme") in {"wss", "https"} else "http"
    usual = f"{scheme}://{host.lower()}".removesuffix(f":{PORTS[scheme]}")
    return origin.lower().removesuffix(f":{PORTS[scheme]}") == usual
