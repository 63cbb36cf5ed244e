"""How the server works a page out: in a thread that stays, and from its beginning to its end."""

import asyncio
import threading
from collections.abc import AsyncIterator
from typing import Any

import pytest
from django.core.signals import request_finished, request_started
from django.http import HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase

from tests.loops import in_a_loop
from yatzy_site.pages import Pages
from yatzy_site.requests import request_id


class Asked:
    def __init__(self) -> None:
        self.answer: list[dict[str, Any]] = []
        self.here = True
        self.begun, self.gone = asyncio.Event(), asyncio.Event()

    async def receive(self) -> dict[str, Any]:
        if self.here:
            self.here = False
            return {"type": "http.request", "body": b""}
        await self.gone.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: dict[str, Any]) -> None:
        self.answer.append(message)
        self.begun.set()

    async def of(self, pages: Pages) -> None:
        scope = {"type": "http", "method": "GET", "path": "/rules/", "query_string": b""}
        headers = [(b"host", b"localhost")]
        await pages(scope | {"headers": headers}, self.receive, self.send)


class Seen:
    def __init__(self) -> None:
        self.threads: list[int] = []
        self.told: list[str] = []

    def started(self, **_: object) -> None:
        self.threads.append(threading.get_ident())
        self.told.append("started")

    def finished(self, **_: object) -> None:
        self.threads.append(threading.get_ident())
        self.told.append("finished")


@pytest.fixture
def seen() -> Any:
    seen = Seen()
    request_started.connect(seen.started)
    request_finished.connect(seen.finished)
    yield seen
    request_started.disconnect(seen.started)
    request_finished.disconnect(seen.finished)


def without_middleware(monkeypatch: pytest.MonkeyPatch, response: Any) -> None:
    monkeypatch.setattr(Pages, "get_response", lambda pages, request: response(request))


@pytest.mark.django_db(transaction=True)
def test_two_pages_are_worked_out_in_the_one_thread_that_there_is(seen: Seen) -> None:
    async def test() -> None:
        pages = Pages(1)
        for _ in range(2):
            asked = Asked()
            await asked.of(pages)
            assert asked.answer[0]["status"] == 200
            assert b"<html" in asked.answer[1]["body"]

    in_a_loop(test())
    assert seen.told == ["started", "finished"] * 2
    assert len(set(seen.threads)) == 1


def test_a_page_that_fails_is_over_too(seen: Seen, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(request: object) -> HttpResponseBase:
        raise ZeroDivisionError

    async def test() -> None:
        with pytest.raises(ZeroDivisionError):
            await Asked().of(Pages(1))

    without_middleware(monkeypatch, broken)
    in_a_loop(test())
    assert seen.told == ["started", "finished"]


def test_the_log_knows_the_request_in_its_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    names: list[str] = []

    def named(request: object) -> HttpResponseBase:
        names.append(request_id.get())
        request_id.set("someone else's")
        return HttpResponse()

    async def test() -> None:
        pages = Pages(1)
        for name in ("one", "two"):
            request_id.set(name)
            await Asked().of(pages)

    without_middleware(monkeypatch, named)
    in_a_loop(test())
    assert names == ["one", "two"]


def test_what_nobody_waits_for_any_more_is_sent_no_further(
    seen: Seen, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def endless() -> AsyncIterator[bytes]:
        while True:
            yield b"x"
            await asyncio.sleep(0)

    async def test() -> None:
        asked = Asked()
        asking = asyncio.ensure_future(asked.of(Pages(1)))
        await asked.begun.wait()
        assert seen.told == ["started"]
        asked.gone.set()
        await asyncio.wait_for(asking, 30)

    without_middleware(monkeypatch, lambda request: StreamingHttpResponse(endless()))
    in_a_loop(test())
    assert seen.told == ["started", "finished"]
