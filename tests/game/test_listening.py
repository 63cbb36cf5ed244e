"""A socket is closed while the database or Redis is away, so that its browser comes again."""

import asyncio
import sqlite3
from collections.abc import Callable
from resource import RLIM_INFINITY
from time import monotonic
from typing import Any

import psycopg
import pytest
import redis
from asgiref.sync import async_to_sync, sync_to_async
from channels.exceptions import ChannelFull
from channels.layers import get_channel_layer
from django.db import OperationalError

from game.core.accounts import create_player
from game.models import Duel, Game
from game.pages.requests.live import publish, publish_duel
from game.pages.requests.troubles import explain_outage
from game.pages.sockets import common
from game.pages.sockets.common import TryAgainLater
from tests.loops import by_loop, in_a_loop
from tests.play import Browser, Viewer, new_duel, run
from yatzy_site import sockets
from yatzy_site.sockets import LATER, POLICY, Bounded

LAYER = type(get_channel_layer())
BROKEN = 1011
CONNECT, LEAVE = {"type": "websocket.connect"}, {"type": "websocket.disconnect", "code": 1001}
ACCEPT, CLOSE = {"type": "websocket.accept"}, {"type": "websocket.close", "code": LATER}
BOARD = {"type": "websocket.send", "text": "a board"}
RECEIVE = {"type": "the next message"}


def gone(*_: object) -> Any:
    raise OperationalError("nobody\n\tanswers") from psycopg.OperationalError("nobody answers")


def silent(*_: object, **__: object) -> Any:
    raise redis.exceptions.ConnectionError("Redis has gone")


def broken(*_: object) -> Any:
    raise ValueError("a fault of ours")


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(common, "PAUSE", 0)


def locked() -> OperationalError:
    driver = sqlite3.OperationalError("database is locked")
    driver.sqlite_errorcode = sqlite3.SQLITE_BUSY
    error = OperationalError("database is locked")
    error.__cause__ = driver
    return error


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (locked(), "the database is locked by another process"),
        (redis.exceptions.ConnectionError("refused"), "Redis does not answer"),
        (redis.exceptions.TimeoutError("hangs"), "Redis does not answer"),
        (redis.exceptions.ResponseError("no such command"), ""),
        (OperationalError("no such table: game_player"), ""),
        (ConnectionError("somebody else"), ""),
        (None, ""),
    ],
)
def test_what_is_away_is_told_from_a_fault_of_ours(error: Exception | None, words: str) -> None:
    assert explain_outage(error) == words


# One talk, without a consumer


class Client:
    def __init__(self, *said: Any) -> None:
        self.said, self.heard = [*said], list[Any]()

    async def receive(self) -> Any:
        if not self.said:
            await asyncio.Event().wait()
        return self.said.pop(0)

    async def send(self, message: Any) -> None:
        self.heard.append(message)

    def talk(self, *steps: Any) -> list[Any]:
        async def app(scope: Any, receive: Any, send: Any) -> None:
            for step in steps:
                if callable(step):
                    step()
                elif step is RECEIVE:
                    await receive()
                else:
                    await send(step)

        in_a_loop(asyncio.wait_for(TryAgainLater(app)({}, self.receive, self.send), 5))
        return self.heard


@pytest.mark.parametrize(
    ("pause", "said", "steps", "heard"),
    [
        pytest.param(0, [CONNECT], [gone], [ACCEPT, CLOSE], id="not even looked up"),
        pytest.param(
            60,
            [CONNECT],
            [RECEIVE, ACCEPT, BOARD, silent],
            [ACCEPT, BOARD, CLOSE],
            id="shown a board, hung up at once",
        ),
        pytest.param(60, [CONNECT, LEAVE], [RECEIVE, ACCEPT, gone], [ACCEPT], id="has gone"),
        pytest.param(
            60,
            [CONNECT, LEAVE],
            [RECEIVE, ACCEPT, CLOSE, gone],
            [ACCEPT, CLOSE],
            id="was sent away",
        ),
    ],
)
def test_who_is_still_there_is_told_to_come_later(
    pause: int, said: list[Any], steps: list[Any], heard: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(common, "PAUSE", pause)
    assert Client(*said).talk(*steps) == heard


# Consumers

stored = pytest.mark.django_db(transaction=True)
AWAY = "a socket is closed: the database does not answer: nobody answers"
SILENT = "a socket is closed: Redis does not answer: Redis has gone"
WHERE = {
    "owner": "game.pages.sockets.board_sockets.OwnerConsumer.read_game",
    "watcher": "game.pages.sockets.board_sockets.WatchConsumer.read_game",
    "duel": "game.duels.duel_sockets.DuelConsumer.render",
}
TICK = "game.duels.duel_sockets.DuelConsumer.find_pause"


def said(caplog: pytest.LogCaptureFixture) -> list[str]:
    """A line for each socket, and no traceback."""
    assert not any(one.exc_info for one in caplog.records)
    return [one.getMessage() for one in caplog.records if one.name == common.__name__]


def viewer_of(kind: str) -> Viewer:
    browser = Browser()
    if kind == "duel":
        duel = new_duel([create_player(), create_player()])
        return Viewer(f"/ws/duels/{duel.token}/")
    game = browser.start()
    own = Viewer(f"/ws/games/{game.pk}/", browser.cookies)
    return own if kind == "owner" else Viewer(f"/ws/watch/{game.share_token}/")


def ends(viewer: Viewer, change: Callable[[], object] | None = None) -> int:
    async def end() -> int:
        assert await viewer.connect()
        if change is not None:
            await viewer.board()
            await sync_to_async(change)()
        return await viewer.end()

    return async_to_sync(end)()


@stored
@pytest.mark.parametrize("kind", WHERE)
def test_every_socket_is_hung_up_where_something_is_away(
    kind: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    viewers = [viewer_of(kind)]
    with monkeypatch.context() as patch:
        patch.setattr(WHERE[kind], gone)
        assert ends(viewers[0]) == LATER
    again = Viewer(viewers[0].scope["path"])
    again.scope["headers"] = viewers[0].scope["headers"]
    with monkeypatch.context() as patch:
        patch.setattr(LAYER, "group_add", silent)
        assert ends(again) == LATER
    assert said(caplog) == [AWAY, SILENT]


@stored
@pytest.mark.parametrize("kind", WHERE)
def test_a_fault_of_ours_keeps_its_traceback(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    viewer = viewer_of(kind)
    monkeypatch.setattr(WHERE[kind], broken)

    async def test() -> None:
        assert await viewer.connect()
        with pytest.raises(ValueError, match="ours"):
            await viewer.over()

    run(test)


@stored
def test_a_change_that_cannot_be_shown_hangs_up_and_leaves_nothing_behind(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    discarded: list[str] = []

    async def noted(_: object, group: str, channel: str) -> None:
        discarded.append(group)

    monkeypatch.setattr(LAYER, "group_discard", noted)
    viewer = viewer_of("owner")
    game = Game.objects.get()

    def change() -> None:
        monkeypatch.setattr(WHERE["owner"], gone)
        publish(game_id=game.pk)

    assert ends(viewer, change) == LATER
    assert said(caplog) == [AWAY]
    assert discarded == [f"game.{game.pk}"]


# What is done beside


@stored
def test_nothing_ticks_on_for_a_socket_that_was_hung_up(monkeypatch: pytest.MonkeyPatch) -> None:
    viewer = viewer_of("duel")
    token = Duel.objects.get().token

    def ticking() -> bool:
        return any("_run_or_close" in repr(task) for task in asyncio.all_tasks())

    async def test() -> None:
        assert await viewer.connect()
        await viewer.board()
        async with asyncio.timeout(5):
            while not ticking():
                await asyncio.sleep(0)
            monkeypatch.setattr(WHERE["duel"], gone)
            await sync_to_async(publish_duel)(token=token)
            assert await viewer.end() == LATER
            while ticking():
                await asyncio.sleep(0)

    run(test)


@stored
@pytest.mark.parametrize(("fails", "code"), [(gone, LATER), (broken, BROKEN)])
def test_a_tick_hangs_up_too_and_a_fault_of_ours_has_its_traceback(
    fails: Callable[..., Any],
    code: int,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr("game.duels.duel_sockets.TICK", 0.01)
    assert ends(viewer_of("duel"), lambda: monkeypatch.setattr(TICK, fails)) == code
    if code == LATER:
        assert said(caplog) == [AWAY]
    else:
        assert [one.exc_info[0] for one in caplog.records if one.exc_info] == [ValueError]


@stored
def test_a_duel_whose_viewer_hears_enough_ticks_on(monkeypatch: pytest.MonkeyPatch) -> None:
    ticks = []

    async def full(*_: object) -> None:
        ticks.append(1)
        raise ChannelFull

    monkeypatch.setattr("game.duels.duel_sockets.TICK", 0.01)
    viewer = viewer_of("duel")

    async def test() -> None:
        assert await viewer.connect()
        monkeypatch.setattr(LAYER, "send", full)
        async with asyncio.timeout(5):
            while len(ticks) < 2:
                await asyncio.sleep(0.01)
        await viewer.leave()

    run(test)


@stored
@pytest.mark.parametrize(
    ("what", "fails", "line"), [("mark_absent", gone, AWAY), ("unlisten", silent, SILENT)]
)
def test_who_leaves_while_something_is_away_leaves_no_traceback(
    what: str,
    fails: Callable[..., Any],
    line: str,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(f"game.duels.duel_sockets.DuelConsumer.{what}", fails)
    viewer = viewer_of("duel")

    async def test() -> None:
        assert await viewer.connect()
        await viewer.board()
        await viewer.leave()

    run(test)
    assert said(caplog) == [line]


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
@by_loop
async def test_who_says_too_much_is_hung_up(
    said: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sockets, "WORDS", 3)
    monkeypatch.setattr(sockets, "LENGTH", 10)
    line = Line(*said)
    await asyncio.wait_for(call(Bounded(listener, 9, 9), line), 5)
    assert closed_with(line) == [POLICY]
    assert len(line.sent) == len(said)  # what was allowed, and the end


@by_loop
async def test_bytes_are_no_way_around_the_length(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sockets, "LENGTH", 10)
    line = Line()
    line.said = [{"type": "websocket.receive", "bytes": b"x" * 11}]
    await asyncio.wait_for(call(Bounded(listener, 9, 9), line), 5)
    assert closed_with(line) == [POLICY]


@by_loop
async def test_a_word_now_and_then_is_no_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sockets, "WORDS", 1)
    monkeypatch.setattr(sockets, "WINDOW", -1.0)  # over before the next word
    line = Line("a", "b", "c")
    line.hung_up.set()
    await asyncio.wait_for(call(Bounded(listener, 9, 9), line), 5)
    assert [message["text"] for message in line.sent] == ["a", "b", "c"]


@by_loop
async def test_one_client_has_so_many_sockets_and_others_have_theirs() -> None:
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


@pytest.mark.parametrize(("files", "most"), [(8, 6), (100, 9), (RLIM_INFINITY, 9)])
def test_sockets_leave_pages_a_quarter_of_the_files(
    files: int, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sockets, "getrlimit", lambda _: (files, files))
    assert Bounded(listener, 9, 9).in_all == most


@by_loop
async def test_a_network_of_ipv6_is_one_client_to_sockets() -> None:
    bounded = Bounded(listener, 1, 9)
    first, second = Line(), Line("x")
    open_one = call(bounded, first, "2001:db8::1")
    await call(bounded, second, "2001:db8::2")
    assert closed_with(second) == [LATER]
    first.hung_up.set()
    await open_one


# A page that asks for signs of life is given them, after what it was shown.


@stored
def test_the_first_comes_after_the_board_and_then_one_each_second(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    owner = Browser()
    game = owner.start()
    assert common.SIGN <= 1.8 / 1.5  # static/js/connection.js waits so long; one may be late
    monkeypatch.setattr(common, "SIGN", 0.1)

    async def listened() -> tuple[list[str], float]:
        viewer = Viewer(f"/ws/games/{game.pk}/?signs=1", owner.cookies)
        await viewer.connect()
        shown = [await viewer.board() for _ in range(2)]
        since = monotonic()
        shown += [await viewer.board() for _ in range(2)]
        took = monotonic() - since
        await viewer.leave()
        return shown, took

    shown, took = in_a_loop(listened())
    assert 'data-seq="1"' in shown[0]
    assert shown[1:] == ["", "", ""]
    assert took >= 0.2


@stored
def test_who_asks_for_none_is_given_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(common, "SIGN", 0.1)
    owner = Browser()
    game = owner.start()

    async def nothing() -> bool:
        viewer = Viewer(f"/ws/games/{game.pk}/", owner.cookies)
        await viewer.connect()
        await viewer.board()
        silent = await viewer.receive_nothing(0.5)
        await viewer.leave()
        return silent

    assert in_a_loop(nothing())


@stored
def test_what_is_not_shown_gives_no_sign() -> None:
    async def code() -> int:
        viewer = Viewer("/ws/games/nowhere/?signs=1", Browser().cookies)
        await viewer.connect()
        return await viewer.code()

    assert in_a_loop(code()) == common.UNKNOWN
