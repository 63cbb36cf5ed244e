"""The gate: every request waits here in a queue, and its size and duration are limited.

A request may run only when it has a slot. There are as many slots as requests that the database can
serve at once; more requests would slow each other. All other requests wait in the queue, which
costs nothing. The gate reads each body into memory first: nothing is written to disk, and a slow
sender occupies no slot. A request that has waited too long continues without a slot, and gets an
error page. Requests that need no database have separate slots.
"""

import asyncio
import json
import re
from collections import Counter, deque
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from django.http.cookie import parse_cookie

from game.pages.requests.known import COOKIE, find_known_account, identify_client
from yatzy_site.deadlines import WHOLE, Budget

WAITING = 1000  # most waiting requests; with more, browsers would give up first
OF_ONE = 250  # most waiting requests per client; a school class behind one address sends fewer
Turn = asyncio.Future[None]
Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]
LEAVE = 60.0  # seconds within which the client must accept a part of the answer
PROMPT_SLOTS = 4  # slots for requests that need no database
PROMPT_WAIT = 2.0  # seconds that such a request may wait for the database to read the session
# The thread pools: for pages, for requests without a database, for late requests, for health
# checks.
PAGES, PROMPT, LATE, HEALTH = "pages", "prompt", "late", "health"
BODY = 2_500_000  # bytes of the largest body: a page with the faces of a million dice
USUAL = 64_000  # bytes of a body for pages without long inputs
FREE = 10_000  # the first bytes of each body; no limit counts them, so a move is always accepted
SHARE = 8_000_000  # bytes per client, without the free bytes of each body
BODIES = 64_000_000  # bytes of all clients together, without the free bytes of each body
ARRIVE = 10.0  # seconds until a body must be complete, plus 1 s per RATE bytes
RATE = 16_000  # bytes per second that even a slow sender must reach
# These pages read only the session from the database, so they need not wait for slower pages.
NEED_NO_DATABASE = re.compile(
    r"/(static/.*|rules/.*|fair/|account/login/|offline/"
    r"|service-worker\.js|manifest\.webmanifest|privacy/|robots\.txt|\.well-known/security\.txt)"
)
ARCHIVE = "/history/archive"  # accepts bodies of up to SHARE bytes: a player's whole history
# A proxy and a supervisor request these addresses, for which separate slots are reserved.
ARE_HEALTH = re.compile(r"/(healthz|livez|readyz)")
# These pages accept long bodies: millions of dice; the screens that design a trial, and the
# answers of participants; thousands of positions; a trial's form in the administration.
TAKE_LONG_BODIES = re.compile(
    r"/(dice-test/"
    r"|trials/(?!new/)[^/]+/(question|people|games|consent|plan|publish|questions)/"
    r"|take-part/(answers|asked)|api/v1/(advise|ledger)|admin/.+/(add|change)/)"
)
TOO_LARGE = (413, "A request to this address can have up to {:,} bytes.")
TOO_SLOW = (408, "The request arrived too slowly. Please try again.")
FULL = (503, "The server has too many requests just now. Please try again.")


class Crowded(Exception):
    """The error for a request that comes when too many requests are waiting already."""


class Turnstile:
    """A queue for a limited number of slots. A request waits for a slot until its time is up."""

    def __init__(self, at_once: int) -> None:
        self.free = at_once  # number of free slots
        self.waiting = 0  # number of waiting requests
        self.held: Counter[str] = Counter()  # number of occupied slots, by client
        self.turns: dict[str, deque[Turn]] = {}  # waiting requests by client, longest first

    async def take(self, client: str, budget: Budget) -> bool:
        """Wait for a slot; return False if none became free in time."""
        if self.free:
            self.enter(client)
            return True
        if self.waiting >= WAITING or len(self.turns.get(client, ())) >= OF_ONE:
            raise Crowded
        turn: Turn = asyncio.get_running_loop().create_future()
        self.turns.setdefault(client, deque()).append(turn)
        self.waiting += 1
        try:
            with budget.waiting() as left:
                async with asyncio.timeout(left):
                    await turn
        except TimeoutError:
            return turn.done() and not turn.cancelled()
        except BaseException:
            if turn.done() and not turn.cancelled():
                self.give(client)
            raise
        finally:
            self.waiting -= 1
            if turn in (turns := self.turns.get(client, deque())):
                turns.remove(turn)
                if not turns:
                    del self.turns[client]
        return True

    def give(self, client: str) -> None:
        """Take a client's slot, and give it to the waiting client that has the fewest slots."""
        self.free += 1
        self.held[client] -= 1
        if not self.held[client]:
            del self.held[client]
        while self.free and self.turns:
            client = min(self.turns, key=lambda name: self.held[name])
            turns = self.turns.pop(client)
            turn = turns.popleft()
            if turns:
                # Insert the client behind the clients that occupy the same number of slots.
                self.turns[client] = turns
            if not turn.done():  # if the turn is done, its wait has timed out
                self.enter(client)
                turn.set_result(None)

    def enter(self, client: str) -> None:
        self.free -= 1
        self.held[client] += 1


class NotLetIn(Exception):
    """The error for a refused request. Its arguments are the HTTP status and a sentence."""


class ClientLeft(Exception):
    """The error for a client that closes its connection before its request is complete."""


class Room:
    """The memory for request bodies. The first FREE bytes of each body are free; beyond them, the
    memory is limited per client and in all."""

    def __init__(self) -> None:
        self.held = 0  # bytes of all bodies, without the free ones
        self.of_client: Counter[str] = Counter()  # bytes by client, without the free ones

    def has(self, client: str, size: int, more: int) -> bool:
        """Return whether a body of ``size`` bytes may grow by ``more`` bytes within all limits."""
        added = _subtract_free(size + more) - _subtract_free(size)
        if not added:
            return True
        return self.of_client[client] + added <= SHARE and self.of_client.total() + added <= BODIES

    def take(self, client: str, size: int, more: int) -> None:
        self.held += more
        self.of_client[client] += _subtract_free(size + more) - _subtract_free(size)

    def give(self, client: str, size: int) -> None:
        self.held -= size
        self.of_client[client] -= _subtract_free(size)
        if not self.of_client[client]:
            del self.of_client[client]


class Gate:
    def __init__(self, app: App, at_once: int) -> None:
        self.app = app
        self.room = Room()
        self.places, self.prompt = Turnstile(at_once), Turnstile(PROMPT_SLOTS)
        self.health = Turnstile(PROMPT_SLOTS)
        self.programs = Turnstile(max(1, at_once // 2))  # for API requests, which moves overtake

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        exchange = Exchange(self, scope, receive, send)
        try:
            size = dict(scope["headers"]).get(b"content-length", b"0")[:20]
            await exchange.read(int(size) if size.isdigit() else 0)
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
    """A request and its answer. The view learns only after the answer has begun that the client is
    gone: an aborted view would keep running in its thread, while another request gets its slot."""

    def __init__(self, gate: Gate, scope: Scope, receive: Receive, send: Send) -> None:
        self.gate, self.scope, self.client, self.out = gate, scope, receive, send
        # The account that the cookie names, or else the IP address, which a class may share.
        sent = b"; ".join(value for name, value in scope["headers"] if name == b"cookie")
        known = COOKIE.encode() in sent and parse_cookie(sent.decode("latin-1")).get(COOKIE)
        account = find_known_account(known) if known else ""
        self.sender = account or identify_client(str((scope.get("client") or [""])[0]))
        self.body = bytearray()
        self.unread = True
        self.taken: list[Turnstile] = []
        self.begun, self.lost = asyncio.Event(), asyncio.Event()

    async def read(self, announced: int) -> None:
        self._check(announced)
        began = asyncio.get_running_loop().time()
        try:
            async with asyncio.timeout_at(began + ARRIVE) as patience:
                more = True
                while more:
                    message = await self.client()
                    if message["type"] == "http.disconnect":
                        raise ClientLeft
                    piece = message.get("body", b"")
                    self._check(len(piece))
                    self.gate.room.take(self.sender, len(self.body), len(piece))
                    self.body += piece
                    if more := bool(message.get("more_body")):
                        patience.reschedule(began + ARRIVE + len(self.body) / RATE)
        except TimeoutError:
            raise NotLetIn(*TOO_SLOW) from None

    async def enter(self) -> None:
        """Wait for a slot. Set the request's thread pool, and the seconds for its other waits."""
        budget, prompt, health = Budget(WHOLE), needs_no_database(self.scope), is_health(self.scope)
        aside = self.gate.health if health else self.gate.prompt
        lines = [aside if prompt else self.gate.places]
        # A request to the API about many positions takes as long as fifty moves.
        if self.scope.get("method") == "POST" and _find_path(self.scope).startswith("/api/"):
            lines.insert(0, self.gate.programs)
        taken = True
        for line in lines:
            if not (taken := await line.take(self.sender, budget)):
                break
            self.taken.append(line)
        in_time = HEALTH if health else PROMPT if prompt else PAGES
        self.scope["threads"] = in_time if taken else LATE
        self.scope["budget"] = Budget(PROMPT_WAIT) if prompt and taken else budget

    async def receive(self) -> Message:
        if self.unread:
            self.unread = False
            return {"type": "http.request", "body": bytes(self.body), "more_body": False}
        await self.begun.wait()
        if self.lost.is_set():
            return {"type": "http.disconnect"}
        return await self.client()

    async def send(self, message: Message) -> None:
        """Send a part of the answer. The first part frees the slot, so slow readers occupy none."""
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
        longest = find_body_limit(self.scope)
        if len(self.body) + more > longest:
            status, text = TOO_LARGE
            raise NotLetIn(status, text.format(longest))
        if not self.gate.room.has(self.sender, len(self.body), more):
            raise NotLetIn(*FULL)


def needs_no_database(scope: Scope) -> bool:
    matched = NEED_NO_DATABASE.fullmatch(_find_path(scope)) and scope.get("method") in {
        "GET",
        "HEAD",
    }
    return bool(matched) or is_health(scope)


def is_health(scope: Scope) -> bool:
    return scope.get("method") in {"GET", "HEAD"} and bool(ARE_HEALTH.fullmatch(_find_path(scope)))


def find_body_limit(scope: Scope) -> int:
    if _find_path(scope) == ARCHIVE:
        return SHARE
    return BODY if TAKE_LONG_BODIES.fullmatch(_find_path(scope)) else USUAL


def _subtract_free(size: int) -> int:
    return max(0, size - FREE)


def _find_path(scope: Scope) -> str:
    """Return the path of a request without the prefix that a proxy may have added."""
    return str(scope["path"]).removeprefix(scope.get("root_path", ""))


async def _refuse(scope: Scope, send: Send, status: int, text: str) -> None:
    """Send the reason why the request is refused. Close the connection without reading the rest."""
    is_api = scope["path"].startswith("/api/")
    answer = json.dumps({"error": text, "status": status, "problems": []}) if is_api else text
    kind = b"application/json" if is_api else b"text/plain; charset=utf-8"
    headers = [(b"content-type", kind), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": answer.encode()})
