"""People who try again until they are answered, and remember what they were told meanwhile."""

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from html import unescape
from time import perf_counter
from typing import Any

import aiohttp

from tests.load.person import SOCKET, Person, WrongAnswer, first

LANGUAGES = ("en", "sv", "nb", "da", "fi")
AGAIN = 0.2  # seconds
CONNECTS_AGAIN = {1006, 1011, 1012, 1013}  # codes after which the script of a page does
POSITION = {"dice": [1, 2, 3, 4, 5], "rolls_left": 1}


class Told(WrongAnswer):
    """Another answer than what was asked for."""

    def __init__(self, status: int, sentence: str, wrong: str) -> None:
        super().__init__(f"{status} {sentence}")
        self.status, self.sentence, self.wrong = status, sentence, wrong


class NewCard(Exception):
    """The card of the page was laid out too long ago, and here is another one."""


@dataclass
class Seen:
    """What all of them were told."""

    told: Counter[str] = field(default_factory=Counter)
    sockets: Counter[int] = field(default_factory=Counter)
    refused: int = 0  # nobody listened, so nothing was begun
    broken_off: int = 0  # begun, and not answered
    slowest: float = 0.0  # seconds to an answer
    wrong: list[str] = field(default_factory=list)

    def note(self, told: Told) -> None:
        self.told[f"{told.status} {told.sentence}"] += 1
        if told.wrong:
            self.wrong.append(f"{told.status}: {told.wrong}")

    def closed(self, code: int | None) -> None:
        code = code or 1006
        self.sockets[code] += 1
        if code not in CONNECTS_AGAIN:
            self.wrong.append(f"a socket was closed with {code}: its page stays as it is")

    def __str__(self) -> str:
        return "; ".join(self._parts()) or "nothing"

    def _parts(self) -> Iterator[str]:
        for words, times in sorted(self.told.items()):
            yield f"{times} x {words}"
        if self.refused + self.broken_off:
            yield f"{self.refused + self.broken_off} x no answer"
        for code, times in sorted(self.sockets.items()):
            yield f"{times} sockets closed ({code})"


@dataclass
class Stubborn(Person):
    """One person in three has no script, and everybody reads one of five languages."""

    seen: Seen = field(default_factory=Seen)
    done: int = 0  # acknowledged
    told: int = 0  # what is wrong, by a proper page

    def __post_init__(self) -> None:
        super().__post_init__()
        self.scripts = self.number % 3 != 0

    @property
    def language(self) -> str:
        return LANGUAGES[self.number % len(LANGUAGES)]

    def _headers(self) -> dict[str, str]:
        return super()._headers() | {"Accept-Language": self.language}

    def _browser(self, **more: Any) -> aiohttp.ClientSession:
        """With a connection for each request, so that one which is refused has not begun."""
        connector = aiohttp.TCPConnector(force_close=True, local_addr=self._from)
        return super()._browser(connector=connector, **more)

    @property
    def _from(self) -> tuple[str, int]:
        """A proxy believes nobody who says that an address is theirs."""
        return f"127.1.{self.number >> 8}.{self.number & 255}", 0

    async def _game(self) -> None:
        while True:
            try:
                return await super()._game()
            except NewCard:
                continue

    async def _only_begin(self) -> None:
        over, self.over = self.over, lambda: True
        try:
            await self._game()
        finally:
            self.over = over

    async def _get(self, path: str) -> str:
        return await self._answered(partial(super()._get, path))

    async def _post(self, path: str, **fields: Iterable[object]) -> str:
        return await self._answered(partial(super()._post, path, **fields))

    async def _answered(self, ask: Callable[[], Awaitable[str]]) -> str:
        while True:
            try:
                answer = await ask()
            except Told as told:
                self.seen.note(told)
                self.told += 1
            except aiohttp.ClientConnectorError:
                self.seen.refused += 1
            except (aiohttp.ClientError, TimeoutError):
                self.seen.broken_off += 1
            else:
                self.done += 1
                return answer
            await asyncio.sleep(AGAIN)

    async def _timed(self, path: str, method: str, **more: Any) -> str:
        began = perf_counter()
        async with self.client.request(method, path, **more) as response:
            text = await response.text()
        took = perf_counter() - began
        self.record.seconds.append(took)
        self.seen.slowest = max(self.seen.slowest, took)
        if response.status == 409 and path == "/games/":
            self.seen.told["409, with a new card"] += 1
            raise NewCard
        if response.status != 200:
            raise self._told(response, text)
        return text

    def _told(self, response: aiohttp.ClientResponse, text: str) -> Told:
        """Looked at as closely as somebody would who has to make sense of it."""
        kind = response.content_type
        if kind == "application/json":
            sentence = str(json.loads(text).get("error", ""))
            wrong = "" if sentence else "an answer in JSON without a sentence"
        elif kind == "text/plain":
            sentence = text
            wrong = "" if response.headers.get("Content-Language") == self.language else "plain"
        else:
            _, _, rest = text.partition('<p class="lead">')
            sentence = rest.partition("<")[0]
            wrong = "" if f'<html lang="{self.language}"' in text else "no page of this language"
        if not sentence:
            wrong = f"nothing is said at {response.url.path}: {text[:200]!r}"
        if response.status not in {503, 507} or "Retry-After" not in response.headers:
            wrong = wrong or f"{response.url.path} does not say when to try again"
        if kind != "application/json" and self.language != "en" and "try again" in sentence:
            wrong = f"English, where {self.language} was asked for"
        kind_of = {"application/json": "in JSON", "text/plain": "in place"}.get(kind, "as a page")
        return Told(response.status, kind_of, wrong)

    @asynccontextmanager
    async def _listening(self, page: str) -> AsyncIterator[None]:
        listening = asyncio.create_task(self._connect_again(unescape(first(SOCKET, page))))
        try:
            yield
        finally:
            listening.cancel()

    async def _connect_again(self, address: str) -> None:
        while self.scripts:
            try:
                async with self.client.ws_connect(address, headers={"Origin": self.site}) as socket:
                    async for _ in socket:
                        self.record.pushes += 1
                    self.seen.closed(socket.close_code)
            except (aiohttp.ClientError, TimeoutError):
                pass  # counted by what is asked for over the same address
            await asyncio.sleep(AGAIN)


class Keeping(Stubborn):
    """Keeps a connection, as browsers do, and sends once more what met with the end of it."""

    def _browser(self, **more: Any) -> aiohttp.ClientSession:
        connector = aiohttp.TCPConnector(local_addr=self._from)
        return Person._browser(self, connector=connector, **more)

    async def _timed(self, path: str, method: str, **more: Any) -> str:
        try:
            return await super()._timed(path, method, **more)
        except aiohttp.ClientConnectorError:
            raise  # no connection was kept
        except (aiohttp.ClientOSError, aiohttp.ServerDisconnectedError):
            self.record.repeated += 1
            return await super()._timed(path, method, **more)


class Beginner(Stubborn):
    """Somebody new all the time: who begins a game, and goes."""

    async def play(self) -> None:
        while not self.over():
            async with self._browser() as self.client:
                await self._only_begin()
            await asyncio.sleep(5 * AGAIN)


class Program(Stubborn):
    """Asks the API, as the player of a game that it has begun."""

    async def play(self) -> None:
        async with self._browser() as self.client:
            await self._only_begin()
            while not self.over():
                await self._answered(self._ask)
                await asyncio.sleep(AGAIN)

    async def _ask(self) -> str:
        try:
            return await self._timed("/api/v1/advise", "POST", json=POSITION)
        except Told as told:
            if told.sentence != "in JSON":
                self.seen.wrong.append(f"the API answered {told}")
            raise
