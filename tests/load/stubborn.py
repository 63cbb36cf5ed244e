"""People who try again until they are answered, and remember what they were told meanwhile."""

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from html import unescape
from time import monotonic
from typing import Any

import aiohttp

from tests.load.person import SOCKET, Person, first

LANGUAGES = ("en", "sv", "nb", "da", "fi")
AGAIN = 0.2  # seconds until a person tries again
CONNECTS_AGAIN = {1006, 1011, 1012, 1013}  # codes after which the script of a page does


class NewCard(Exception):
    """The card of the page was laid out too long ago, and here is another one."""


@dataclass
class Seen:
    told: Counter[str] = field(default_factory=Counter)
    sockets: Counter[int] = field(default_factory=Counter)
    unanswered: int = 0
    broken_off: int = 0  # of those, begun
    slowest: float = 0.0  # seconds to an answer
    wrong: list[str] = field(default_factory=list)

    def close(self, code: int) -> None:
        self.sockets[code] += 1
        if code not in CONNECTS_AGAIN:
            self.wrong.append(f"a socket was closed with {code}: its page stays as it is")

    def __str__(self) -> str:
        parts = [f"{times} x {words}" for words, times in sorted(self.told.items())]
        parts += [f"{self.unanswered} x no answer"] if self.unanswered else []
        parts += [f"{many} sockets closed ({code})" for code, many in sorted(self.sockets.items())]
        return "; ".join(parts) or "nothing"


def examine(response: aiohttp.ClientResponse, text: str, language: str) -> tuple[str, str]:
    """Return the form of an answer, and why a person could make no sense of it."""
    wrong, path = "", response.url.path
    if response.content_type == "application/json":
        form, sentence = "in JSON", str(json.loads(text).get("error", ""))
    elif response.content_type == "text/plain":
        form, sentence = "in place", text
        wrong = "" if response.headers.get("Content-Language") == language else "plain"
    else:
        form, sentence = "as a page", text.partition('<p class="lead">')[2].partition("<")[0]
        wrong = "" if f'<html lang="{language}"' in text else "no page of this language"
    if path.startswith("/api/") is not (form == "in JSON"):
        wrong = f"{path} answered {form}"
    if not sentence:
        wrong = f"nothing is said at {path}: {text[:200]!r}"
    elif response.status not in {503, 507} or "Retry-After" not in response.headers:
        wrong = wrong or f"{path} does not say when to try again"
    elif form != "in JSON" and language != "en" and "try again" in sentence:
        wrong = f"English, where {language} was asked for"
    return form, wrong


@dataclass
class Stubborn(Person):
    """Ask again until there is an answer; one in three has no script, each reads one language."""

    seen: Seen = field(default_factory=Seen)
    done: int = 0  # acknowledged
    told: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        self.scripts = self.number % 3 != 0
        self.language = LANGUAGES[self.number % len(LANGUAGES)]

    def _headers(self) -> dict[str, str]:
        return super()._headers() | {"Accept-Language": self.language}

    def _browser(self, **more: Any) -> aiohttp.ClientSession:
        """Open a connection for each request, so that one which is refused has not begun.

        It comes from an address of this person, because a proxy believes no header.
        """
        own = f"127.1.{self.number >> 8}.{self.number & 255}", 0
        return super()._browser(connector=aiohttp.TCPConnector(force_close=True, local_addr=own))

    async def _game(self) -> None:
        with suppress(NewCard):
            await super()._game()

    async def _timed(self, path: str, method: str, **more: Any) -> str:
        while True:
            began = monotonic()
            try:
                async with self.client.request(method, path, **more) as response:
                    text = await response.text()
            except (aiohttp.ClientError, TimeoutError) as error:
                self.seen.unanswered += 1
                self.seen.broken_off += not isinstance(error, aiohttp.ClientConnectorError)
            else:
                self.record.seconds.append(took := monotonic() - began)
                self.seen.slowest = max(self.seen.slowest, took)
                if response.status == 200:
                    self.done += 1
                    return text
                if response.status == 409 and path == "/games/":
                    self.seen.told["409, with a new card"] += 1
                    raise NewCard
                form, wrong = examine(response, text, self.language)
                self.told += 1
                self.seen.told[f"{response.status} {form}"] += 1
                self.seen.wrong += [f"{response.status}: {wrong}"] if wrong else []
            await asyncio.sleep(AGAIN)

    @asynccontextmanager
    async def _listening(self, page: str) -> AsyncIterator[None]:
        listening = asyncio.create_task(self._connect_again(unescape(first(SOCKET, page))))
        try:
            yield
        finally:
            listening.cancel()

    async def _connect_again(self, address: str) -> None:
        while self.scripts:
            with suppress(aiohttp.ClientError, TimeoutError):  # counted by what is asked for
                async with self.client.ws_connect(address, headers={"Origin": self.site}) as pushed:
                    async for _ in pushed:
                        self.record.pushes += 1
                    self.seen.close(pushed.close_code or 1006)
            await asyncio.sleep(AGAIN)


class Beginner(Stubborn):
    async def play(self) -> None:
        ends, self.over = self.over, lambda: True
        while not ends():
            async with self._browser() as self.client:
                await self._game()
                await self.stay(ends)

    async def stay(self, ends: Callable[[], bool]) -> None:
        await asyncio.sleep(5 * AGAIN)


class Program(Beginner):
    async def stay(self, ends: Callable[[], bool]) -> None:
        while not ends():
            asked = {"dice": [1, 2, 3, 4, 5], "rolls_left": 1}
            await self._timed("/api/v1/advise", "POST", json=asked)
            await asyncio.sleep(AGAIN)
