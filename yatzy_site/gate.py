"""In front of everything: how large a request may be, how long it may take to arrive and may wait,
and how many are worked on at once.

A body is read here, whole and in memory, before anything else is done: nothing reaches a disk, and
who sends slowly takes nobody's place. More threads than a database serves at once only get in each
other's way, so the others wait here, where that costs nothing. Who has waited for too long goes on
without a place, to be told so; what needs no database has places of its own.
"""

import asyncio
import json
import re
from collections import Counter
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from django.http.cookie import parse_cookie

from game.pages.requests.known import COOKIE, account_known, client_at
from yatzy_site.deadlines import WHOLE, Budget
from yatzy_site.turnstile import Crowded, Turnstile

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

LEAVE = 60.0  # seconds until a piece of an answer is taken
BESIDE = 4  # places for what needs no database
BESIDE_WAITS = 2.0  # seconds for the database, if it is asked who reads such a page
# In whose threads a request is worked out: the pages', those beside them, or that of the late.
PAGES, PROMPT, LATE, HEALTH = "pages", "prompt", "late", "health"

BODY = 2_500_000  # bytes; the largest is a page with a million faces of dice typed in
USUAL = 64_000  # bytes, where nothing long is sent
FREE = 10_000  # bytes of each body, so that a move has room, no matter what others send
SHARE = 8_000_000  # bytes of one client, beyond the free ones
BODIES = 64_000_000  # bytes of all clients, beyond the free ones
ARRIVE = 10.0  # seconds until a body is there, and more for what has arrived of it
RATE = 16_000  # bytes a second: anyone who is slower is not waited for

# Answered while every place is taken: of these pages nothing is in the database but who reads them.
ARE_BESIDE = re.compile(
    r"/(static/.*|rules/.*|fair/|account/login/|offline/"
    r"|service-worker\.js|manifest\.webmanifest|privacy/|robots\.txt|\.well-known/security\.txt)"
)
# A proxy and a supervisor ask these, in places and threads that no other request can hold.
ARE_HEALTH = re.compile(r"/(healthz|livez|readyz)")
# Dice by the million; trials as they are designed, with their questions and texts, and what people
# answer; positions by the thousand; what stands of a trial in the administration.
TAKE_LONG_BODIES = re.compile(
    r"/(dice-test/|history/archive|trials/new/|trials/[^/]+/(settings|questions|texts|preregistration|links)/"
    r"|take-part/(answers|asked)|api/v1/(advise|ledger)|admin/.+/(add|change)/)"
)

TOO_LARGE = (413, "A request to this address holds at most {:,} bytes.")
TOO_SLOW = (408, "The request came too slowly.")
FULL = (503, "Too much is asked at once just now. Please try again.")


class NotLetIn(Exception):
    """With a status and a sentence."""


class ClientLeft(Exception):
    """Nobody waits for an answer."""


class Room:
    """The bodies that a process holds: the first bytes of each are free, the rest is a share."""

    def __init__(self) -> None:
        self.held = 0  # bytes
        self.of_client: Counter[str] = Counter()  # bytes beyond the free ones

    def has(self, client: str, size: int, more: int) -> bool:
        """Return whether a body of this size may grow by so much."""
        added = _beyond_free(size + more) - _beyond_free(size)
        if not added:
            return True
        return self.of_client[client] + added <= SHARE and self.of_client.total() + added <= BODIES

    def take(self, client: str, size: int, more: int) -> None:
        self.held += more
        self.of_client[client] += _beyond_free(size + more) - _beyond_free(size)

    def give(self, client: str, size: int) -> None:
        self.held -= size
        self.of_client[client] -= _beyond_free(size)
        if not self.of_client[client]:
            del self.of_client[client]


class Gate:
    def __init__(self, app: App, at_once: int) -> None:
        self.app = app
        self.room = Room()
        self.places, self.beside = Turnstile(at_once), Turnstile(BESIDE)
        self.health = Turnstile(BESIDE)
        self.programs = Turnstile(max(1, at_once // 2))  # before a place: a move passes the others

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        exchange = Exchange(self, scope, receive, send)
        try:
            await exchange.read(_announced(scope))
            await exchange.enter()
        except NotLetIn as refusal:
            await _refuse(scope, send, *refusal.args)
        except Crowded:
            await _refuse(scope, send, *FULL)
        except ClientLeft:
            pass
        else:
            await self.app(scope, exchange.receive, exchange.send)
        finally:
            exchange.end()


class Exchange:
    """A request and its answer. The view learns that the client has gone only when the answer
    has begun: an aborted view would go on in its thread without a place."""

    def __init__(self, gate: Gate, scope: Scope, receive: Receive, send: Send) -> None:
        self.gate, self.scope, self.client, self.out = gate, scope, receive, send
        self.sender = _sender(scope)
        self.body = bytearray()
        self.unread = True
        self.taken: list[Turnstile] = []
        self.begun, self.lost = asyncio.Event(), asyncio.Event()

    async def read(self, announced: int) -> None:
        self._check(announced)
        began = asyncio.get_running_loop().time()
        try:
            async with asyncio.timeout_at(began + ARRIVE) as patience:
                while await self._read_piece():
                    patience.reschedule(began + ARRIVE + len(self.body) / RATE)
        except TimeoutError:
            raise NotLetIn(*TOO_SLOW) from None

    async def _read_piece(self) -> bool:
        message = await self.client()
        if message["type"] == "http.disconnect":
            raise ClientLeft
        piece = message.get("body", b"")
        self._check(len(piece))
        self.gate.room.take(self.sender, len(self.body), len(piece))
        self.body += piece
        return bool(message.get("more_body"))

    async def enter(self) -> None:
        """Wait for a place, and tell the pages their thread and how long they may wait."""
        budget, beside, health = Budget(WHOLE), is_beside(self.scope), is_health(self.scope)
        aside = self.gate.health if health else self.gate.beside
        lines = [aside if beside else self.gate.places]
        # What is worked out for many positions takes as long as fifty moves.
        if self.scope.get("method") == "POST" and _path(self.scope).startswith("/api/"):
            lines.insert(0, self.gate.programs)
        taken = await self._take(lines, budget)
        in_time = HEALTH if health else PROMPT if beside else PAGES
        self.scope["threads"] = in_time if taken else LATE
        self.scope["budget"] = Budget(BESIDE_WAITS) if beside and taken else budget

    async def _take(self, lines: list[Turnstile], budget: Budget) -> bool:
        for line in lines:
            if not await line.take(self.sender, budget):
                return False
            self.taken.append(line)
        return True

    async def receive(self) -> Message:
        if self.unread:
            self.unread = False
            return {"type": "http.request", "body": bytes(self.body), "more_body": False}
        await self.begun.wait()
        if self.lost.is_set():
            return {"type": "http.disconnect"}
        return await self.client()

    async def send(self, message: Message) -> None:
        """Send a part of the answer. The place is free with its first part: a slow reader keeps
        none."""
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
        self.gate.room.give(self.sender, len(self.body))
        self._leave()

    def _leave(self) -> None:
        while self.taken:
            self.taken.pop().give(self.sender)

    def _check(self, more: int) -> None:
        longest = longest_body(self.scope)
        if len(self.body) + more > longest:
            status, text = TOO_LARGE
            raise NotLetIn(status, text.format(longest))
        if not self.gate.room.has(self.sender, len(self.body), more):
            raise NotLetIn(*FULL)


def is_beside(scope: Scope) -> bool:
    """Return whether a request has places beside those of the pages."""
    matched = ARE_BESIDE.fullmatch(_path(scope)) and scope.get("method") in {"GET", "HEAD"}
    return bool(matched) or is_health(scope)


def is_health(scope: Scope) -> bool:
    return scope.get("method") in {"GET", "HEAD"} and bool(ARE_HEALTH.fullmatch(_path(scope)))


def longest_body(scope: Scope) -> int:
    return BODY if TAKE_LONG_BODIES.fullmatch(_path(scope)) else USUAL


def _beyond_free(size: int) -> int:
    return max(0, size - FREE)


def _path(scope: Scope) -> str:
    """Return the address below what the site lies under."""
    return str(scope["path"]).removeprefix(scope.get("root_path", ""))


def _sender(scope: Scope) -> str:
    """Return the client: an account if its browser names one, since a class at one address is
    many."""
    sent = b"; ".join(value for name, value in scope["headers"] if name == b"cookie")
    known = COOKIE.encode() in sent and parse_cookie(sent.decode("latin-1")).get(COOKIE)
    account = account_known(known) if known else ""
    return account or client_at(str((scope.get("client") or [""])[0]))


def _announced(scope: Scope) -> int:
    value = dict(scope["headers"]).get(b"content-length", b"0")
    return int(value[:20]) if value[:20].isdigit() else 0


async def _refuse(scope: Scope, send: Send, status: int, text: str) -> None:
    """Answer without reading the rest of what is sent; the connection ends with this."""
    is_api = scope["path"].startswith("/api/")
    answer = json.dumps({"error": text, "status": status, "problems": []}) if is_api else text
    kind = b"application/json" if is_api else b"text/plain; charset=utf-8"
    headers = [(b"content-type", kind), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": answer.encode()})
