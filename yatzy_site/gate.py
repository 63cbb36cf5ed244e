"""In front of everything: how large a request may be, how long it may take to arrive, and how many
are worked on at once.

A body is read here, whole and in memory, before anything else is done: nothing reaches a disk, and
who sends slowly takes nobody's place. More threads than a database serves at once only get in each
other's way, so the others wait here, where that costs nothing.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any
from weakref import WeakKeyDictionary

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

BODY = 2_500_000  # bytes; the largest is a page with a million faces of dice typed in
BODIES = 64_000_000  # bytes of all that wait or are worked on
ARRIVE = 30.0  # seconds until a body is there
LEAVE = 60.0  # seconds until a piece of an answer is taken
WAITING = 1000  # requests before the gate; more would wait for longer than anybody does

TOO_LARGE = (413, f"A request holds at most {BODY:,} bytes.")
TOO_SLOW = (408, "The request came too slowly.")
FULL = (503, "Too much is asked at once just now. Please try again.")


class NotLetIn(Exception):
    """With a status and a sentence."""


class Gone(Exception):
    """Nobody waits for an answer."""


class Gate:
    def __init__(self, app: App, at_once: int) -> None:
        self.app = app
        self.at_once = at_once
        self.held = 0  # bytes
        self.waiting = 0  # requests
        self._places: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore] = (
            WeakKeyDictionary()
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        exchange = Exchange(self, receive, send)
        try:
            await exchange.read(_announced(scope))
            await exchange.enter()
        except NotLetIn as refusal:
            await _refuse(scope, send, *refusal.args)
        except Gone:
            pass
        else:
            await self.app(scope, exchange.receive, exchange.send)
        finally:
            exchange.end()

    @property
    def places(self) -> asyncio.Semaphore:
        """A loop has its own: a test has many."""
        loop = asyncio.get_running_loop()
        return self._places.setdefault(loop, asyncio.Semaphore(self.at_once))


class Exchange:
    """One request and its answer.

    That the client has gone is told only once the answer has begun: a view that is broken off goes
    on in its thread all the same, and would do so without a place.
    """

    def __init__(self, gate: Gate, receive: Receive, send: Send) -> None:
        self.gate, self.client, self.out = gate, receive, send
        self.body = bytearray()
        self.unread = True
        self.place: asyncio.Semaphore | None = None
        self.begun, self.lost = asyncio.Event(), asyncio.Event()

    async def read(self, announced: int) -> None:
        self._check(announced)
        try:
            async with asyncio.timeout(ARRIVE):
                while await self._read_piece():
                    self._check(0)
        except TimeoutError:
            raise NotLetIn(*TOO_SLOW) from None
        self._check(0)

    async def _read_piece(self) -> bool:
        message = await self.client()
        if message["type"] == "http.disconnect":
            raise Gone
        piece = message.get("body", b"")
        self.gate.held += len(piece)
        self.body += piece
        return bool(message.get("more_body"))

    async def enter(self) -> None:
        places = self.gate.places
        if self.gate.waiting >= WAITING:
            raise NotLetIn(*FULL)
        self.gate.waiting += 1
        try:
            await places.acquire()
        finally:
            self.gate.waiting -= 1
        self.place = places

    async def receive(self) -> Message:
        if self.unread:
            self.unread = False
            return {"type": "http.request", "body": bytes(self.body), "more_body": False}
        await self.begun.wait()
        if self.lost.is_set():
            return {"type": "http.disconnect"}
        return await self.client()

    async def send(self, message: Message) -> None:
        """The place is free as soon as the answer is worked out: who reads slowly keeps none."""
        if message["type"] == "http.response.start":
            self._leave()
        if not self.lost.is_set():
            try:
                async with asyncio.timeout(LEAVE):
                    await self.out(message)
            except TimeoutError:
                self.lost.set()
        self.begun.set()

    def end(self) -> None:
        self.gate.held -= len(self.body)
        self._leave()

    def _leave(self) -> None:
        if self.place is not None:
            self.place.release()
            self.place = None

    def _check(self, announced: int) -> None:
        if max(announced, len(self.body)) > BODY:
            raise NotLetIn(*TOO_LARGE)
        if self.gate.held + announced > BODIES:
            raise NotLetIn(*FULL)


def _announced(scope: Scope) -> int:
    value = dict(scope["headers"]).get(b"content-length", b"0")
    return int(value[:20]) if value[:20].isdigit() else 0


async def _refuse(scope: Scope, send: Send, status: int, text: str) -> None:
    """The rest of what is sent is not read: the connection ends with this."""
    is_api = scope["path"].startswith("/api/")
    answer = json.dumps({"error": text, "status": status, "problems": []}) if is_api else text
    kind = b"application/json" if is_api else b"text/plain; charset=utf-8"
    headers = [(b"content-type", kind), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": answer.encode()})
