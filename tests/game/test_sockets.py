"""Sockets are for listening: who says much in them, or opens very many, is hung up."""

import asyncio
from resource import RLIM_INFINITY
from typing import Any

import pytest

from tests.loops import in_a_loop
from yatzy_site import sockets
from yatzy_site.sockets import LATER, POLICY, Bounded


class Line:
    def __init__(self, *said: str) -> None:
        self.said: list[Any] = [{"type": "websocket.receive", "text": text} for text in said]
        self.sent: list[Any] = []
        self.hung_up = asyncio.Event()

    async def receive(self) -> Any:
        if self.said:
            return self.said.pop(0)
        await self.hung_up.wait()
        return {"type": "websocket.disconnect", "code": 1000}

    async def send(self, message: Any) -> None:
        self.sent.append(message)


async def listener(scope: Any, receive: Any, send: Any) -> None:
    while (message := await receive())["type"] != "websocket.disconnect":
        await send({"type": "websocket.send", "text": message["text"]})


def call(bounded: Bounded, line: Line, address: str = "192.0.2.1") -> asyncio.Task[None]:
    scope = {"type": "websocket", "client": [address, 40_000]}
    return asyncio.ensure_future(bounded(scope, line.receive, line.send))


def closed_with(line: Line) -> list[int]:
    return [message["code"] for message in line.sent if message["type"] == "websocket.close"]


@pytest.mark.parametrize("said", [["x"] * 4, ["x" * 11]])
def test_who_says_too_much_is_hung_up(said: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sockets, "WORDS", 3)
    monkeypatch.setattr(sockets, "LENGTH", 10)

    async def test() -> None:
        line = Line(*said)
        await asyncio.wait_for(call(Bounded(listener, 9, 9), line), 5)
        assert closed_with(line) == [POLICY]
        assert len(line.sent) == len(said)  # what was allowed, and the end

    in_a_loop(test())


def test_bytes_are_no_way_around_the_length(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sockets, "LENGTH", 10)

    async def test() -> None:
        line = Line()
        line.said = [{"type": "websocket.receive", "bytes": b"x" * 11}]
        await asyncio.wait_for(call(Bounded(listener, 9, 9), line), 5)
        assert closed_with(line) == [POLICY]

    in_a_loop(test())


def test_a_word_now_and_then_is_no_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sockets, "WORDS", 1)
    monkeypatch.setattr(sockets, "WINDOW", -1.0)  # over before the next word

    async def test() -> None:
        line = Line("a", "b", "c")
        line.hung_up.set()
        await asyncio.wait_for(call(Bounded(listener, 9, 9), line), 5)
        assert [message["text"] for message in line.sent] == ["a", "b", "c"]

    in_a_loop(test())


def test_one_client_has_so_many_sockets_and_others_have_theirs() -> None:
    async def test() -> None:
        bounded = Bounded(listener, 2, 3)
        lines = [Line(), Line(), Line("x")]
        tasks = [call(bounded, line) for line in lines]
        await tasks[2]
        assert closed_with(lines[2]) == [LATER]
        other = Line()
        stranger = call(bounded, other, "192.0.2.2")
        await asyncio.sleep(0)
        assert bounded.open == 3
        late = Line("x")
        await call(bounded, late, "192.0.2.3")
        assert closed_with(late) == [LATER]  # so many are there for all together
        for line in (*lines, other):
            line.hung_up.set()
        await asyncio.gather(*tasks, stranger)
        assert (bounded.open, dict(bounded.of_client)) == (0, {})
        again = Line()
        again.hung_up.set()
        await call(bounded, again)
        assert closed_with(again) == []

    in_a_loop(test())


@pytest.mark.parametrize(("files", "most"), [(8, 6), (100, 9), (RLIM_INFINITY, 9)])
def test_sockets_leave_pages_a_quarter_of_the_files(
    files: int, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sockets, "getrlimit", lambda _: (files, files))
    assert Bounded(listener, 9, 9).in_all == most


def test_a_network_of_ipv6_is_one_client_to_sockets() -> None:
    async def test() -> None:
        bounded = Bounded(listener, 1, 9)
        first, second = Line(), Line("x")
        open_one = call(bounded, first, "2001:db8::1")
        await call(bounded, second, "2001:db8::2")
        assert closed_with(second) == [LATER]
        first.hung_up.set()
        await open_one

    in_a_loop(test())
