"""The things that processes share: the layer, PostgreSQL and Redis."""

import asyncio
import json
import os
import re
import subprocess
import sys
from collections import deque
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from channels.layers import InMemoryChannelLayer

from game.core import coach_lock
from game.core.studies import get_studies
from game.models import Game
from game.pages.requests import live
from game.trials.models import Trial
from tests.game.processes import ROOT
from tests.loops import by_loop, in_a_loop
from tests.play import Browser, Viewer
from yatzy_site.layer import CONNECTIONS, KeepingLayer
from yatzy_site.shared import configure_channel_layer, configure_pool


class OnPaper(KeepingLayer):
    """Hands out as Redis does: once, to the client that asked, whether or not it still listens."""

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
def test_a_listener_who_leaves_while_a_message_comes_takes_it_from_nobody(moment: int) -> None:
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


def test_a_request_waits_when_all_connections_are_in_use(
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


class Hanging(InMemoryChannelLayer):
    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []

    async def group_send(self, group: str, message: dict[str, Any]) -> None:
        self.asked.append(group)
        await asyncio.Event().wait()


def test_a_socket_may_wait_for_as_long_as_nobody_moves() -> None:
    facts = configure_channel_layer("redis://127.0.0.1:1/0")
    assert facts["BACKEND"].endswith("KeepingLayer")
    assert facts["BACKEND"] == "yatzy_site.layer.KeepingLayer"
    layer = KeepingLayer(**facts["CONFIG"])
    connection = layer.create_pool(0).make_connection()
    assert connection.socket_timeout is None
    assert connection.socket_connect_timeout > 0


def test_one_process_needs_no_redis() -> None:
    assert configure_channel_layer("") == {"BACKEND": "game.pages.requests.live.ProcessLayer"}


def test_old_messages_are_looked_for_once_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    layer, now = live.ProcessLayer(expiry=-1), 5.0
    monkeypatch.setattr(live, "monotonic", lambda: now)
    layer._clean_expired()
    in_a_loop(layer.send("page", {}))
    layer._clean_expired()
    assert layer.channels
    now = 6.0
    layer._clean_expired()
    assert not layer.channels


@pytest.mark.django_db(transaction=True)
def test_a_move_does_not_wait_for_a_redis_that_hangs(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is sent by the server's loop, where it may hang for as long as it likes."""
    hanging = Hanging()
    owner = Browser()
    game = owner.start()

    async def test() -> None:
        watcher = Viewer(f"/ws/watch/{game.share_token}/")
        assert await watcher.connect()
        await watcher.board()
        hanging.groups = {f"game.{game.pk}": {"somebody": 0.0}}
        monkeypatch.setattr("game.pages.requests.live.get_channel_layer", lambda: hanging)
        move = sync_to_async(lambda: owner.act(game, "hold", seq=1))
        response = await asyncio.wait_for(move(), 30)
        assert response.status_code == 200
        assert hanging.asked == [f"game.{game.pk}"]
        await watcher.leave()

    in_a_loop(test())
    assert Game.objects.get().decisions.count() == 2


@by_loop
async def test_where_redis_hangs_messages_do_not_pile_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "MOST", 3)
    hanging = Hanging()
    hanging.groups = {"game.x": {"somebody": 0.0}}
    live.serve_here()
    for _ in range(5):
        await sync_to_async(live.send_event)(hanging, "game.x", {"type": "game.changed"})
    await asyncio.sleep(0)
    assert len(hanging.asked) == 3


def test_what_nobody_looks_at_is_not_sent() -> None:
    hanging = Hanging()
    live.send_event(hanging, "game.x", {"type": "game.changed"})
    assert hanging.asked == []


def test_a_message_that_is_lost_is_named_in_the_log(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(live, "PATIENCE", 0.01)
    monkeypatch.setattr(live, "_server", None)
    hanging = Hanging()
    hanging.groups = {"game.x": {"somebody": 0.0}}
    with ThreadPoolExecutor(1) as pool:  # a browser of other tests has a loop running in this one
        pool.submit(live.send_event, hanging, "game.x", {"type": "game.changed"}).result()
    assert "a push is lost" in caplog.text


def test_a_process_has_a_bounded_number_of_connections_and_more_than_the_gate_lets_in() -> None:
    facts = configure_pool(16)
    assert (facts["max_size"], facts["min_size"]) == (20, 2)
    assert facts["timeout"] > 0
    assert facts["reconnect_timeout"] < facts["timeout"]  # psycopg's own is five minutes


def test_who_asks_for_something_waits_for_nobody_else_who_does(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The waiting request has a database connection, and the other one may want one."""
    asked, answer = Event(), Event()

    def running() -> list[Trial]:
        if not asked.is_set():
            asked.set()
            assert answer.wait(30)
        return []

    monkeypatch.setattr(get_studies(), "list_running", running)
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(lambda: coach_lock.CurrentBrowser("").running)
        assert asked.wait(30)
        assert pool.submit(lambda: coach_lock.CurrentBrowser("").running).result(30) == []
        answer.set()
        assert first.result(30) == []


@pytest.mark.skipif("sys.version_info >= (3, 12)", reason="Python's own has no lock any more")
def test_nothing_of_the_site_is_remembered_behind_a_lock_of_all_requests() -> None:
    with_a_lock = re.compile(r"from functools import .*cached_property")
    sources = [*(ROOT / "game").rglob("*.py"), *(ROOT / "yatzy_site").rglob("*.py")]
    assert [path for path in sources if with_a_lock.search(path.read_text("utf-8"))] == []


def settings_with(tmp_path: Path, **environment: str) -> dict[str, Any]:
    code = (
        "import json; from yatzy_site import settings as s;"
        "print(json.dumps([s.DATABASES, s.REQUESTS_AT_ONCE], default=str))"
    )
    plain = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
    variables = {**plain, "YATZY_VAR": str(tmp_path), **environment}
    run = subprocess.run(
        [sys.executable, "-c", code], env=variables, capture_output=True, text=True, check=True
    )
    databases, at_once = json.loads(run.stdout)
    return {**databases["default"], "at_once": at_once}


def test_the_settings_know_what_each_database_bears(tmp_path: Path) -> None:
    url = "postgres://somebody@127.0.0.1:1/yatzy"
    found = settings_with(tmp_path, DATABASE_URL=url)
    assert found["at_once"] == 16
    assert found["OPTIONS"]["pool"]["max_size"] == 20
    more = settings_with(tmp_path, DATABASE_URL=url, REQUESTS_AT_ONCE="30")["OPTIONS"]["pool"]
    assert more == json.loads(json.dumps(configure_pool(30), default=str))
    assert found["ENGINE"] == "yatzy_site.postgresql"
    assert found["CONN_HEALTH_CHECKS"] is True
    assert found["CONN_MAX_AGE"] == 0  # given back to the pool
    usual = settings_with(tmp_path)
    assert usual["CONN_MAX_AGE"] is None
    assert (usual["ENGINE"], usual["at_once"]) == ("yatzy_site.sqlite", 2)
