"""One person before a browser: whole games over pages and a socket, every answer looked at."""

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from html import unescape
from random import Random
from time import perf_counter
from typing import Any

import aiohttp

from solver.rules import (
    YATZY,
    Action,
    Hold,
    Score,
    State,
    apply_action,
    apply_roll,
    list_legal_actions,
    start_state,
)

NONCE = re.compile(r'name="nonce" value="([^"]+)"')
SEQ = re.compile(r'data-seq="(\d+)"')
PHASE = re.compile(r'data-phase="(\w+)"')
DIE = re.compile(r'id="die-\d".*?href="#p(\d)"', re.DOTALL)
TAB = re.compile(r'"X-Tab": "([\w-]+)"')
SOCKET = re.compile(r'ws-connect="([^"]+)"')
TOTAL = re.compile(r'class="total__points">(\d+)<')
PATIENCE = aiohttp.ClientTimeout(total=60)


class WrongAnswer(Exception):
    """The site said something else than the rules do."""


@dataclass
class Record:
    seconds: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    acknowledged: dict[str, list[Action]] = field(default_factory=dict)
    totals: dict[str, int] = field(default_factory=dict)
    pushes: int = 0
    repeated: int = 0


@dataclass
class Person:
    site: str
    number: int
    record: Record
    think: float
    arrive: float
    over: Callable[[], bool]
    random: Random = field(init=False)
    client: aiohttp.ClientSession = field(init=False)
    tab: str = ""
    scripts = True  # whether the browser runs any

    def __post_init__(self) -> None:
        self.random = Random(self.number)

    async def play(self) -> None:
        async with self._browser() as self.client:
            await asyncio.sleep(self.arrive * self.random.random())
            while not self.over():
                try:
                    await self._game()
                except (WrongAnswer, aiohttp.ClientError, TimeoutError) as error:
                    self.record.errors.append(f"{type(error).__name__}: {error}")
                    # The game's address is lost: go on as another player.
                    self.client.cookie_jar.clear()
                    await asyncio.sleep(1)

    def _browser(self, **more: Any) -> aiohttp.ClientSession:
        jar = aiohttp.CookieJar(unsafe=True)  # from an address that has no name, too
        return aiohttp.ClientSession(
            self.site, headers=self._headers(), cookie_jar=jar, timeout=PATIENCE, **more
        )

    def _headers(self) -> dict[str, str]:
        """Everybody comes from somewhere else, as a proxy would say."""
        from_where = f"10.{self.number >> 16 & 255}.{self.number >> 8 & 255}.{self.number & 255}"
        return {"X-Forwarded-For": from_where, "Accept-Language": "en"}

    async def _game(self) -> None:
        table = await self._get("/")
        self.tab = first(TAB, table)
        page = await self._post("/games/", mode=["solo"], nonce=[first(NONCE, table)])
        found = re.search(r'data-game="(\w+)"', page)
        if found is None:
            raise WrongAnswer("no game was begun")
        actions: list[Action] = [Hold(0)]
        self.record.acknowledged[found[1]] = actions
        state = apply_roll(apply_action(start_state(YATZY), Hold(0)), _seen(page, 1))
        async with self._listening(page):
            while not state.finished and not self.over():
                await self._pause()
                state = await self._act(found[1], state, self._choice(state), actions)
        if state.finished:
            self.record.totals[found[1]] = state.total

    def _choice(self, state: State) -> Action:
        if not state.dice:
            return Hold(0)
        if state.throws_left:
            return Hold(self.random.randrange(32))
        return self.random.choice(list_legal_actions(state))

    async def _act(self, game: str, state: State, action: Action, done: list[Action]) -> State:
        after, seq = apply_action(state, action), len(done)
        if isinstance(action, Score):
            box = {"category": [action.category], "confirmed": ["1"]}
            page = await self._post(f"/games/{game}/score", seq=[seq], **box)
        else:
            page = await self._post(f"/games/{game}/hold", seq=[seq], slot=action.places)
        done.append(action)
        if isinstance(action, Hold):
            return apply_roll(after, _seen(page, len(done)))
        _seen(page, len(done), dice=False)
        shown = TOTAL.search(page)
        if shown is None or int(shown[1]) != after.total:
            raise WrongAnswer(f"a total of {shown and shown[1]} where it is {after.total}")
        if after.finished != (first(PHASE, page) == "over"):
            raise WrongAnswer("over too early, or too late")
        return after

    @asynccontextmanager
    async def _listening(self, page: str) -> AsyncIterator[None]:
        """The socket of an open page. What this tab does itself is not told to it."""
        address, headers = unescape(first(SOCKET, page)), {"Origin": self.site}
        async with self.client.ws_connect(address, headers=headers) as socket:
            listening = asyncio.create_task(self._listen(socket))
            try:
                yield
            finally:
                listening.cancel()

    async def _listen(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        async for _ in socket:
            self.record.pushes += 1
        if not self.over():
            self.record.errors.append(f"a socket was closed: {socket.close_code}")

    async def _get(self, path: str) -> str:
        return await self._timed(path, "GET")

    async def _post(self, path: str, **fields: Iterable[object]) -> str:
        """Send a form as htmx does: with the page's token, and the name of its tab."""
        tokens = [one.value for one in self.client.cookie_jar if one.key == "csrftoken"]
        headers = {"X-CSRFToken": tokens[0] if tokens else "", "Origin": self.site}
        if self.scripts:
            headers |= {"X-Tab": self.tab, "HX-Request": "true"}
        data = [(name, str(value)) for name, values in fields.items() for value in values]
        return await self._timed(path, "POST", data=data, headers=headers)

    async def _timed(self, path: str, method: str, **more: Any) -> str:
        began = perf_counter()
        try:
            status, text = await self._asked(method, path, **more)
        except (aiohttp.ClientOSError, aiohttp.ServerDisconnectedError):
            # A kept connection was closed while this went out: a browser sends it once more.
            self.record.repeated += 1
            status, text = await self._asked(method, path, **more)
        self.record.seconds.append(perf_counter() - began)
        if status != 200:
            raise WrongAnswer(f"{method} {path} answered {status}")
        return text

    async def _asked(self, method: str, path: str, **more: Any) -> tuple[int, str]:
        async with self.client.request(method, path, **more) as response:
            return response.status, await response.text()

    async def _pause(self) -> None:
        if self.think:
            await asyncio.sleep(self.think * self.random.uniform(0.5, 1.5))


def _seen(page: str, seq: int, *, dice: bool = True) -> tuple[int, ...]:
    if first(SEQ, page) != str(seq):
        raise WrongAnswer(f"the page is at decision {first(SEQ, page)}, not {seq}")
    return tuple(map(int, DIE.findall(page))) if dice else ()


def first(pattern: re.Pattern[str], page: str) -> str:
    found = pattern.search(page)
    return found[1] if found else ""
