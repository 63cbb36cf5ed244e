"""What a server does beside answering: its waits end, and what is away is named in a line."""

import asyncio
import contextlib
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from django.db import OperationalError

from game.core.studies import Studies
from tests.loops import in_a_loop
from yatzy_site import asgi, background, deadlines
from yatzy_site.asgi import application


def judged(
    monkeypatch: pytest.MonkeyPatch,
    error: Exception,
    work: Callable[[], Coroutine[Any, Any, None]] = background.keep_judging,
    part: str = "judge_in_background",
) -> None:
    tried = asyncio.Event()

    def wrong() -> int:
        tried.set()
        raise error

    async def test() -> None:
        task = asyncio.create_task(work())
        await asyncio.wait_for(tried.wait(), 60)
        await asyncio.sleep(0.05)
        task.cancel()

    monkeypatch.setattr(background, "PAUSE", 0.01)
    monkeypatch.setattr(background, part, wrong)
    in_a_loop(test())


def test_judging_says_in_a_line_that_the_database_is_away(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    judged(monkeypatch, OperationalError("database is locked"))
    assert "database is locked" in caplog.text
    assert "Traceback" not in caplog.text


def test_a_fault_of_ours_has_its_traceback(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    judged(monkeypatch, ZeroDivisionError("ours"))
    assert "Traceback" in caplog.text


def test_a_server_that_has_started_waits_for_nothing_for_ever(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(deadlines, "_serves", False)
    monkeypatch.setattr(asgi, "find_refusals", list)
    messages = [{"type": "lifespan.startup"}, {"type": "lifespan.shutdown"}]

    async def receive() -> Any:
        return messages.pop(0)

    async def send(message: Any) -> None:
        pass

    in_a_loop(application({"type": "lifespan"}, receive, send))
    assert deadlines.find_budget() is not None


def looked(monkeypatch: pytest.MonkeyPatch, *answers: bool) -> list[float]:
    left, waits = list(answers), list[float]()

    async def wait(seconds: float) -> None:
        waits.append(seconds)
        if not left:
            raise asyncio.CancelledError

    async def test() -> None:
        with contextlib.suppress(asyncio.CancelledError):
            await background.keep_preparing()

    monkeypatch.setattr(background, "make_next", lambda: left.pop(0))
    monkeypatch.setattr(asyncio, "sleep", wait)
    in_a_loop(test())
    return waits


def test_tables_are_looked_for_as_long_as_the_server_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    look, pause = background.LOOK, background.PAUSE
    assert looked(monkeypatch, True, True, False, True) == [look, look, pause, look]


def test_a_maker_that_fails_ends_nothing_else(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def wrong() -> bool:
        raise OSError("the disk is away")

    monkeypatch.setattr(background, "make_next", wrong)
    judged(monkeypatch, ZeroDivisionError("ours"), background.do_background_work)
    assert "the disk is away" in caplog.text
    assert "ours" in caplog.text


@pytest.mark.parametrize("part", ["get_studies", "delete_old_copies"])
def test_a_server_deletes_what_is_over_without_a_request(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, part: str
) -> None:
    monkeypatch.setattr(background, "make_next", bool)
    monkeypatch.setattr(background, "get_studies", Studies)
    judged(monkeypatch, ZeroDivisionError("tried"), background.do_background_work, part)
    assert "tried" in caplog.text
