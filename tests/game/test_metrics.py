"""Figures for Prometheus, as they are scraped, and that they are nowhere else."""

import asyncio
import socket
import threading
import urllib.request
from collections.abc import Iterator
from math import isnan
from typing import Any

import pytest
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import DatabaseError
from django.db.models.signals import post_save
from django.test import Client, override_settings

from game.core import judging
from game.core.accounts import create_player
from game.core.judging import count_unjudged_games
from game.models import Decision, Game
from tests.loops import in_a_loop
from tests.play import score_all, start_solo
from yatzy_site import metrics
from yatzy_site.environment import read_address
from yatzy_site.gate import Gate
from yatzy_site.metrics import SeldomCounted, SiteFigures, measure, serve
from yatzy_site.pages import Pages
from yatzy_site.sockets import Bounded


@pytest.fixture
def free() -> int:
    with socket.create_server(("127.0.0.1", 0)) as one:
        return int(one.getsockname()[1])


@pytest.fixture(autouse=True)
def nobody_counts_afterwards() -> Iterator[None]:
    yield
    post_save.disconnect(dispatch_uid="yatzy_site.metrics", sender=Decision)


def scraped(port: int) -> dict[str, float]:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=20) as answer:
        lines = answer.read().decode().splitlines()
    return {
        name: float(value) for name, _, value in (x.rpartition(" ") for x in lines if x[0] != "#")
    }


async def answer(scope: Any, receive: Any, send: Any) -> None:
    if scope["path"] == "/broken":
        raise ZeroDivisionError
    scope["view"] = "play"
    await send({"type": "http.response.start", "status": 429 if scope["path"] == "/much" else 200})
    await send({"type": "http.response.body", "body": b"x"})


async def ask(app: Any, path: str) -> None:
    async def receive() -> Any:
        return {"type": "http.request", "body": b""}

    async def send(message: Any) -> None: ...

    await app({"type": "http", "path": path, "headers": []}, receive, send)


@pytest.mark.django_db(transaction=True)
def test_what_prometheus_reads_is_what_happened(free: int) -> None:
    gate, sockets = Gate(answer, 2), Bounded(answer, 9, 9)
    app = measure(gate, gate, sockets, ("127.0.0.1", free))

    async def test() -> None:
        for path in ("/", "/", "/much"):
            await ask(app, path)
        with pytest.raises(ZeroDivisionError):
            await ask(app, "/broken")

    in_a_loop(test())
    played = start_solo(create_player())
    sockets.of_client["192.0.2.1"] = 3
    gate.places.waiting, gate.room.held = 5, 7
    found = scraped(free)
    assert found['yatzy_requests_total{status="200",view="play"}'] == 2
    assert found['yatzy_requests_total{status="429",view="play"}'] == 1
    assert found['yatzy_requests_total{status="500",view="other"}'] == 1
    assert found['yatzy_request_seconds_count{view="play"}'] == 3
    assert found["yatzy_actions_stored_total"] == played.game.decisions.count() > 0
    assert found["yatzy_sockets_open"] == 3
    assert (found["yatzy_requests_waiting"], found["yatzy_request_bytes"]) == (5, 7)
    assert found["yatzy_games_to_judge"] == 0
    assert found["process_resident_memory_bytes"] > 1e6


@pytest.mark.django_db
def test_a_move_that_was_not_stored_is_not_counted(django_capture_on_commit_callbacks: Any) -> None:
    figures = SiteFigures()
    post_save.connect(
        figures.decided, sender=Decision, dispatch_uid="yatzy_site.metrics", weak=False
    )
    start_solo(create_player())  # never committed by this test
    assert figures.actions._value.get() == 0
    with django_capture_on_commit_callbacks(execute=True):
        start_solo(create_player())
    assert figures.actions._value.get() == 1


@pytest.mark.django_db
def test_finished_games_without_a_judgement_are_to_be_judged() -> None:
    player = create_player()
    played = score_all(start_solo(player), player)
    played.game.decisions.update(regret=None)
    judging.to_be_judged.add("yatzy")
    assert count_unjudged_games() == 1
    judging.to_be_judged.discard("yatzy")
    assert count_unjudged_games() == 0
    judging.to_be_judged.add("yatzy")
    Game.objects.update(finished_at=None, final_score=None, bonus=None)
    assert count_unjudged_games() == 0


def test_a_count_is_asked_for_now_and_then_and_a_database_may_be_away() -> None:
    asked: list[int] = []

    def count() -> int:
        asked.append(1)
        if len(asked) > 1:
            raise DatabaseError
        return 8

    counted, found = SeldomCounted(count), []

    def look() -> None:  # connections are a thread's own
        found.extend([counted(), counted()])
        counted.until = 0.0
        found.append(counted())

    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    assert found[:2] == [8, 8]
    assert isnan(found[2])
    assert len(asked) == 2


def test_each_process_takes_the_next_port(free: int, caplog: pytest.LogCaptureFixture) -> None:
    first = serve(SiteFigures().registry, "127.0.0.1", free)
    second = serve(SiteFigures().registry, "127.0.0.1", free)
    assert free <= first < second < free + metrics.PORTS
    assert serve(SiteFigures().registry, "192.0.2.1", free) == 0
    assert "metrics cannot be served" in caplog.text


@pytest.mark.django_db
def test_a_request_says_which_view_it_came_to() -> None:
    seen: list[Any] = []

    async def test(path: str) -> None:
        app = Pages(1)
        scope = {
            "type": "http", "method": "GET", "path": path, "query_string": b"",
            "headers": [(b"host", b"localhost")], "client": ["127.0.0.1", 1],
        }  # fmt: skip

        async def receive() -> Any:
            if not seen:
                seen.append(1)
                return {"type": "http.request", "body": b""}
            return await asyncio.sleep(60)

        async def send(message: Any) -> None: ...

        await app(scope, receive, send)
        seen.append(scope.get("view"))

    named = ["yatzy_site.middleware.store_view_name", *settings.MIDDLEWARE]
    with override_settings(MIDDLEWARE=named):
        in_a_loop(test("/healthz"))
    assert seen[-1] == "healthz"


@pytest.mark.django_db
def test_figures_are_no_page_of_the_site() -> None:
    assert Client().get("/metrics").status_code == 404


@pytest.mark.parametrize("value", ["9100", "localhost", "127.0.0.1:", "127.0.0.1:0", "x:70000"])
def test_an_address_that_is_none_stops_the_start(
    value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("YATZY_METRICS", value)
    with pytest.raises(ImproperlyConfigured, match="YATZY_METRICS"):
        read_address("YATZY_METRICS")


def test_an_address_is_a_host_and_a_port(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("YATZY_METRICS", "[::1]:9100")
    assert read_address("YATZY_METRICS") == ("::1", 9100)
    monkeypatch.delenv("YATZY_METRICS")
    assert read_address("YATZY_METRICS") is None
