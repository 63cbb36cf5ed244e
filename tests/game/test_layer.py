"""Messages by way of Redis: who leaves takes nobody's with them. (Here without a Redis.)"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from tests.loops import in_a_loop
from yatzy_site.layer import CONNECTIONS, KeepingLayer
from yatzy_site.shared import configure_channel_layer


class OnPaper(KeepingLayer):
    """Hands out as Redis does: once, to whoever asked, whether or not that one still listens."""

    def __init__(self) -> None:
        super().__init__(**configure_channel_layer("redis://127.0.0.1:1/0")["CONFIG"])
        self.kept: deque[bytes | Exception] = deque()
        self.asked: deque[asyncio.Future[bytes | Exception]] = deque()
        self.waits = 0

    def say(self, text: str, *channels: str) -> None:
        self.hand(self.serialize({"text": text, "__asgi_channel__": list(channels)}))

    def hand(self, message: bytes | Exception) -> None:
        if self.asked:
            self.asked.popleft().set_result(message)
        else:
            self.kept.append(message)

    async def _brpop_with_clean(self, index: int, channel: str, timeout: int) -> bytes:
        self.waits += 1
        answer: asyncio.Future[bytes | Exception] = asyncio.get_running_loop().create_future()
        self.asked.append(answer)
        if self.kept:
            self.hand(self.kept.popleft())
        while not answer.done():
            await asyncio.sleep(0)
        await turns(3)  # on its way
        said = answer.result()
        if isinstance(said, Exception):
            raise said
        return said

    async def _clean_receive_backup(self, index: int, channel: str) -> None:
        pass


Test = Callable[[OnPaper, str, str], Awaitable[None]]


def on_paper(test: Test) -> None:
    async def run() -> None:
        layer = OnPaper()
        await test(layer, await layer.new_channel(), await layer.new_channel())

    in_a_loop(run())


async def turns(number: int) -> None:
    for _ in range(number):
        await asyncio.sleep(0)


@pytest.mark.parametrize("moment", range(12))
def test_whoever_leaves_while_a_message_comes_takes_it_from_nobody(moment: int) -> None:
    """This holds at whichever step of the loop that is."""

    async def test(layer: OnPaper, leaving: str, staying: str) -> None:
        waits = asyncio.create_task(layer.receive(leaving))
        await turns(5)
        stays = asyncio.create_task(layer.receive(staying))
        await turns(5)
        layer.say("a move", leaving, staying)
        await turns(moment)
        waits.cancel()
        await asyncio.gather(waits, return_exceptions=True)
        assert (await asyncio.wait_for(stays, 5))["text"] == "a move"

    on_paper(test)


def test_each_message_comes_once() -> None:
    async def test(layer: OnPaper, one: str, other: str) -> None:
        for text in ("a move", "another"):
            layer.say(text, one)
        for text in ("a move", "another"):
            assert (await asyncio.wait_for(layer.receive(one), 5))["text"] == text
        third = asyncio.create_task(layer.receive(one))
        await turns(20)
        assert not third.done()
        third.cancel()
        await asyncio.gather(third, return_exceptions=True)

    on_paper(test)


def test_whoever_finds_all_connections_in_use_waits_for_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Hundreds of sockets open at once after a server was started again."""

    async def test(layer: OnPaper, one: str, other: str) -> None:
        pool = layer.create_pool(0)
        monkeypatch.setattr(pool, "ensure_connection", ready)  # there is no Redis to connect to
        held = [await pool.get_connection() for _ in range(CONNECTIONS)]
        another = asyncio.create_task(pool.get_connection())
        await turns(5)
        assert not another.done()
        await pool.release(held[0])
        assert await asyncio.wait_for(another, 5) is held[0]

    on_paper(test)


async def ready(connection: object) -> None:
    pass


def test_who_comes_later_goes_on_with_the_wait_of_who_left() -> None:
    async def test(layer: OnPaper, leaving: str, coming: str) -> None:
        waits = asyncio.create_task(layer.receive(leaving))
        await turns(5)
        waits.cancel()
        await asyncio.gather(waits, return_exceptions=True)
        comes = asyncio.create_task(layer.receive(coming))
        await turns(5)
        assert layer.waits == 1
        layer.say("a move", coming)
        assert (await asyncio.wait_for(comes, 5))["text"] == "a move"

    on_paper(test)


def test_a_redis_that_fails_is_told_to_who_listens_and_to_nobody_later() -> None:
    async def test(layer: OnPaper, here: str, later: str) -> None:
        waits = asyncio.create_task(layer.receive(here))
        await turns(5)
        layer.hand(ConnectionError("away"))
        with pytest.raises(ConnectionError):
            await asyncio.wait_for(waits, 5)
        left = asyncio.create_task(layer.receive(here))
        await turns(5)
        left.cancel()
        await asyncio.gather(left, return_exceptions=True)
        layer.hand(ConnectionError("away again, and nobody listens"))
        await turns(8)
        comes = asyncio.create_task(layer.receive(later))
        await turns(5)
        layer.say("a move", later)
        assert (await asyncio.wait_for(comes, 5))["text"] == "a move"

    on_paper(test)


def test_another_loop_waits_for_itself() -> None:
    """A test does this after another test, or a command."""
    layer: list[OnPaper] = []

    async def gives_up() -> None:
        layer.append(OnPaper())
        waits = asyncio.create_task(layer[0].receive(await layer[0].new_channel()))
        await turns(5)
        waits.cancel()
        await asyncio.gather(waits, return_exceptions=True)

    async def listens() -> Any:
        layer[0].asked.clear()  # the connection is gone with its loop
        channel = await layer[0].new_channel()
        layer[0].say("a move", channel)
        return await asyncio.wait_for(layer[0].receive(channel), 5)

    in_a_loop(gives_up())  # and what is under way is cancelled
    assert in_a_loop(listens())["text"] == "a move"
