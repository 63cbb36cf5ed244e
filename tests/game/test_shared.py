"""What several processes share: a Redis that is quiet, away or hanging stops nobody."""

import asyncio
import json
import os
import re
import subprocess
import sys
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
from tests.loops import in_a_loop
from tests.play import Browser, Viewer
from yatzy_site.layer import KeepingLayer
from yatzy_site.shared import configure_channel_layer, configure_pool


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


def test_where_redis_hangs_messages_do_not_pile_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "MOST", 3)
    hanging = Hanging()
    hanging.groups = {"game.x": {"somebody": 0.0}}

    async def test() -> None:
        live.serve_here()
        for _ in range(5):
            await sync_to_async(live.send_event)(hanging, "game.x", {"type": "game.changed"})
        await asyncio.sleep(0)
        assert len(hanging.asked) == 3

    in_a_loop(test())


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
        first = pool.submit(lambda: coach_lock.Asking("").running)
        assert asked.wait(30)
        assert pool.submit(lambda: coach_lock.Asking("").running).result(30) == []
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
