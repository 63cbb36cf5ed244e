"""Whoever listens while the database or Redis is away is hung up in a way that they come again."""

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable
from typing import Any

import psycopg
import pytest
import redis
from asgiref.sync import async_to_sync, sync_to_async
from channels.exceptions import ChannelFull
from channels.layers import get_channel_layer
from django.contrib.auth.models import User
from django.db import OperationalError

from game import services
from game.models import Duel, Trial
from game.views.sockets import away
from game.views.sockets.away import TryAgainLater
from game.web.live import publish, publish_duel, publish_trial
from game.web.troubles import what_is_away
from tests.game.conftest import Browser
from tests.game.duels import new_duel
from tests.game.sockets import Viewer
from tests.game.trials import new_trial, researcher_user
from tests.loops import in_a_loop

LAYER = type(get_channel_layer())
LATER, BROKEN = 1013, 1011
CONNECT, LEAVE = {"type": "websocket.connect"}, {"type": "websocket.disconnect", "code": 1001}
ACCEPT, CLOSE = {"type": "websocket.accept"}, {"type": "websocket.close", "code": LATER}
BOARD = {"type": "websocket.send", "text": "a board"}


def gone(*_: object) -> Any:
    """As Django says that PostgreSQL is away, in two lines."""
    raise OperationalError("nobody\n\tanswers") from psycopg.OperationalError("nobody answers")


def silent(*_: object, **__: object) -> Any:
    raise redis.exceptions.ConnectionError("Redis has gone")


def broken(*_: object) -> Any:
    raise ValueError("a fault of ours")


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(away, "PAUSE", 0)


def locked() -> OperationalError:
    driver = sqlite3.OperationalError("database is locked")
    driver.sqlite_errorcode = sqlite3.SQLITE_BUSY
    error = OperationalError("database is locked")
    error.__cause__ = driver
    return error


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (locked(), "the database is locked by somebody else"),
        (redis.exceptions.ConnectionError("refused"), "Redis does not answer"),
        (redis.exceptions.TimeoutError("hangs"), "Redis does not answer"),
        (redis.exceptions.ResponseError("no such command"), ""),
        (OperationalError("no such table: game_player"), ""),
        (ConnectionError("somebody else"), ""),
        (None, ""),
    ],
)
def test_what_is_away_is_told_from_a_fault_of_ours(error: Exception | None, words: str) -> None:
    assert what_is_away(error) == words


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

    def talk(self, app: Callable[[Any, Any, Any], Awaitable[None]]) -> list[Any]:
        in_a_loop(asyncio.wait_for(TryAgainLater(app)({}, self.receive, self.send), 5))
        return self.heard


def test_who_is_not_even_looked_up_is_told_to_come_later() -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        gone()

    assert Client(CONNECT).talk(app) == [ACCEPT, CLOSE]


def test_who_was_shown_a_board_is_hung_up_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(away, "PAUSE", 60)

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await receive()
        await send(ACCEPT)
        await send(BOARD)
        silent()

    assert Client(CONNECT).talk(app) == [ACCEPT, BOARD, CLOSE]


@pytest.mark.parametrize("last", [LEAVE, None])
def test_nothing_is_said_to_whoever_has_gone_meanwhile(
    last: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(away, "PAUSE", 60)

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await receive()
        await send(ACCEPT)
        if last is None:
            await send(CLOSE)
        gone()

    heard = Client(CONNECT, LEAVE).talk(app)
    assert heard == ([ACCEPT, CLOSE] if last is None else [ACCEPT])


def test_a_client_that_has_gone_while_it_is_told_something_is_no_fault() -> None:
    class Gone(Client):
        async def send(self, message: Any) -> None:
            await super().send(message)
            raise OSError("gone")

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await receive()
        await send(ACCEPT)
        assert await receive() == LEAVE

    assert Gone(CONNECT, LEAVE).talk(app) == [ACCEPT]


def test_a_fault_of_ours_is_raised_as_ever() -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        broken()

    client = Client(CONNECT)
    with pytest.raises(ValueError, match="ours"):
        client.talk(app)
    assert client.heard == []


# Consumers

stored = pytest.mark.django_db(transaction=True)


def run(test: Callable[[], Awaitable[None]]) -> None:
    async_to_sync(test)()


def said(caplog: pytest.LogCaptureFixture) -> list[str]:
    """A line for each socket, and no traceback."""
    assert not any(one.exc_info for one in caplog.records)
    return [one.getMessage() for one in caplog.records if one.name == away.__name__]


AWAY = "a socket is closed: the database does not answer: nobody answers"
SILENT = "a socket is closed: Redis does not answer: Redis has gone"


def viewers() -> dict[str, Viewer]:
    """Of everything that can be listened to, each allowed to see it."""
    owner, researcher = Browser(), Browser()
    game = owner.start()
    researcher.force_login(researcher_user("researcher"))
    duel = new_duel([services.player_create(), services.player_create()])
    return {
        "owner": Viewer(f"/ws/games/{game.pk}/", owner.cookies),
        "watcher": Viewer(f"/ws/watch/{game.share_token}/"),
        "duel": Viewer(f"/ws/duels/{duel.token}/"),
        "trial": Viewer(f"/ws/trials/{new_trial().slug}/", researcher.cookies),
    }


WHERE = {
    "owner": "game.views.sockets.boards.OwnerConsumer.look",
    "watcher": "game.views.sockets.boards.WatchConsumer.look",
    "duel": "game.views.sockets.duels.DuelConsumer.look",
    "trial": "game.trials.monitor.reading.TrialConsumer.find",
}


@stored
@pytest.mark.parametrize("kind", WHERE)
class TestEverySocket:
    def test_it_is_hung_up_where_the_database_is_away(
        self, kind: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
    ) -> None:
        monkeypatch.setattr(WHERE[kind], gone)

        async def test() -> None:
            viewer = viewer_of[kind]
            assert await viewer.connect()
            assert await viewer.end() == LATER

        viewer_of = viewers()
        run(test)
        assert said(caplog) == [AWAY]

    def test_it_is_hung_up_where_redis_is_away(
        self, kind: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
    ) -> None:
        async def test() -> None:
            viewer = viewer_of[kind]
            assert await viewer.connect()
            assert await viewer.end() == LATER

        viewer_of = viewers()
        monkeypatch.setattr(LAYER, "group_add", silent)
        run(test)
        assert said(caplog) == [SILENT]

    def test_a_fault_of_ours_keeps_its_traceback(
        self, kind: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(WHERE[kind], broken)

        async def test() -> None:
            viewer = viewer_of[kind]
            assert await viewer.connect()
            with pytest.raises(ValueError, match="ours"):
                await viewer.over()

        viewer_of = viewers()
        run(test)


@stored
def test_a_change_that_cannot_be_shown_hangs_up_and_leaves_nothing_behind(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    discarded: list[str] = []

    async def noted(_: object, group: str, channel: str) -> None:
        discarded.append(group)

    monkeypatch.setattr(LAYER, "group_discard", noted)
    owner = Browser()
    game = owner.start()

    async def test() -> None:
        tab = Viewer(f"/ws/games/{game.pk}/", owner.cookies)
        assert await tab.connect()
        await tab.board()
        monkeypatch.setattr("game.views.sockets.boards.OwnerConsumer.look", gone)
        await sync_to_async(publish)(game_id=game.pk)
        assert await tab.end() == LATER

    run(test)
    assert said(caplog) == [AWAY]
    assert discarded == [f"game.{game.pk}"]


@stored
def test_a_redis_that_goes_while_it_is_waited_for_hangs_up(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    owner = Browser()
    game = owner.start()
    monkeypatch.setattr(LAYER, "receive", silent)

    async def test() -> None:
        tab = Viewer(f"/ws/games/{game.pk}/", owner.cookies)
        assert await tab.connect()
        assert await tab.end() == LATER

    run(test)
    assert said(caplog) == [SILENT]


@stored
def test_a_member_who_cannot_be_looked_up_is_told_to_come_later(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    member = Browser()
    member.force_login(User.objects.create_user("anna"))
    monkeypatch.setattr("django.contrib.sessions.backends.db.SessionStore.load", gone)

    async def test() -> None:
        tab = Viewer("/ws/games/any/", member.cookies)
        assert await tab.connect()
        assert await tab.end() == LATER

    run(test)
    assert said(caplog) == [AWAY]


# What is done beside


@stored
def test_nothing_ticks_on_for_a_socket_that_was_hung_up(monkeypatch: pytest.MonkeyPatch) -> None:
    viewer = viewers()["duel"]
    token = Duel.objects.get().token

    def ticking() -> bool:
        return any("_watched" in repr(task) for task in asyncio.all_tasks())

    async def test() -> None:
        assert await viewer.connect()
        await viewer.board()
        async with asyncio.timeout(5):
            while not ticking():
                await asyncio.sleep(0)
            monkeypatch.setattr("game.views.sockets.duels.DuelConsumer.look", gone)
            await sync_to_async(publish_duel)(token=token)
            assert await viewer.end() == LATER
            while ticking():
                await asyncio.sleep(0)

    run(test)


TICKS = {
    "duel": "game.views.sockets.duels.DuelConsumer.pause",
    "trial": "game.trials.monitor.reading.monitor",
}


@stored
@pytest.mark.parametrize("kind", TICKS)
class TestEveryTick:
    @pytest.fixture
    def after(self, kind: str, monkeypatch: pytest.MonkeyPatch) -> Callable[[Any], int]:
        """With which code it is hung up when a tick, and not the first look, meets with that."""
        monkeypatch.setattr("game.trials.monitor.reading.TICK", 0.01)
        monkeypatch.setattr("game.views.sockets.duels.TICK", 0.01)
        viewer = viewers()[kind]

        async def ends(meets_with: Any) -> int:
            assert await viewer.connect()
            await viewer.board()
            monkeypatch.setattr(TICKS[kind], meets_with)
            return await viewer.end()

        return async_to_sync(ends)

    def test_it_hangs_up_where_the_database_is_away(
        self, after: Callable[[Any], int], caplog: pytest.LogCaptureFixture
    ) -> None:
        assert after(gone) == LATER
        assert said(caplog) == [AWAY]

    def test_a_fault_of_ours_is_told_with_its_traceback_and_the_page_comes_again(
        self, after: Callable[[Any], int], caplog: pytest.LogCaptureFixture
    ) -> None:
        assert after(broken) == BROKEN
        assert [one.exc_info[0] for one in caplog.records if one.exc_info] == [ValueError]


@stored
def test_a_change_of_a_trial_that_cannot_be_shown_hangs_up(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    viewer = viewers()["trial"]

    async def test() -> None:
        assert await viewer.connect()
        await viewer.board()
        monkeypatch.setattr("game.trials.monitor.reading.monitor", gone)
        found = await sync_to_async(Trial.objects.get)()
        await sync_to_async(publish_trial)(trial_id=found.pk, participant_id=None)
        assert await viewer.end() == LATER

    run(test)
    assert said(caplog) == [AWAY]


@stored
def test_a_duel_whose_viewer_hears_enough_ticks_on(monkeypatch: pytest.MonkeyPatch) -> None:
    ticks = []

    async def full(*_: object) -> None:
        ticks.append(1)
        raise ChannelFull

    monkeypatch.setattr("game.views.sockets.duels.TICK", 0.01)
    viewer = viewers()["duel"]

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
    ("what", "fails", "line"),
    [("duels.DuelConsumer.go", gone, AWAY), ("duels.DuelConsumer.unlisten", silent, SILENT)],
)
def test_who_leaves_while_something_is_away_leaves_no_traceback(
    what: str,
    fails: Callable[..., Any],
    line: str,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(f"game.views.sockets.{what}", fails)
    viewer = viewers()["duel"]

    async def test() -> None:
        assert await viewer.connect()
        await viewer.board()
        await viewer.leave()

    run(test)
    assert said(caplog) == [line]
