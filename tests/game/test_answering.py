"""The server answers requests, and does its other work between them."""

import asyncio
import contextlib
import os
import threading
from collections.abc import AsyncIterator, Callable, Coroutine
from pathlib import Path
from shutil import rmtree
from typing import Any

import pytest
from django.core.signals import request_finished, request_started
from django.db import OperationalError
from django.http import HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase

from game.core.studies import Studies
from game.management.preparing import NOTE, collect
from game.pages.requests.readiness import MANIFEST, list_stale_files
from tests.loops import by_loop, in_a_loop
from yatzy_site import asgi, background, deadlines
from yatzy_site.asgi import application
from yatzy_site.pages import Pages
from yatzy_site.requests import request_id
from yatzy_site.static_files import CollectedOrPlain


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
@by_loop
async def test_two_pages_are_worked_out_in_the_one_thread_that_there_is(seen: Seen) -> None:
    pages = Pages(1)
    for _ in range(2):
        asked = Asked()
        await asked.of(pages)
        assert asked.answer[0]["status"] == 200
        assert b"<html" in asked.answer[1]["body"]
    assert seen.told == ["started", "finished"] * 2
    assert len(set(seen.threads)) == 1


@by_loop
async def test_a_page_that_fails_is_over_too(seen: Seen, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(request: object) -> HttpResponseBase:
        raise ZeroDivisionError

    without_middleware(monkeypatch, broken)
    with pytest.raises(ZeroDivisionError):
        await Asked().of(Pages(1))
    assert seen.told == ["started", "finished"]


@by_loop
async def test_the_log_knows_the_request_in_its_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    names: list[str] = []

    def named(request: object) -> HttpResponseBase:
        names.append(request_id.get())
        request_id.set("someone else's")
        return HttpResponse()

    without_middleware(monkeypatch, named)
    pages = Pages(1)
    for name in ("one", "two"):
        request_id.set(name)
        await Asked().of(pages)
    assert names == ["one", "two"]


@by_loop
async def test_what_nobody_waits_for_any_more_is_sent_no_further(
    seen: Seen, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def endless() -> AsyncIterator[bytes]:
        while True:
            yield b"x"
            await asyncio.sleep(0)

    without_middleware(monkeypatch, lambda request: StreamingHttpResponse(endless()))
    asked = Asked()
    asking = asyncio.ensure_future(asked.of(Pages(1)))
    await asked.begun.wait()
    assert seen.told == ["started"]
    asked.gone.set()
    await asyncio.wait_for(asking, 30)
    assert seen.told == ["started", "finished"]


@by_loop
async def judged(
    monkeypatch: pytest.MonkeyPatch,
    error: Exception,
    work: Callable[[], Coroutine[Any, Any, None]] = background.keep_judging,
    part: str = "judge_in_background",
) -> None:
    tried = asyncio.Event()

    def wrong() -> int:
        tried.set()
        raise error

    monkeypatch.setattr(background, "PAUSE", 0.01)
    monkeypatch.setattr(background, part, wrong)
    task = asyncio.create_task(work())
    await asyncio.wait_for(tried.wait(), 60)
    await asyncio.sleep(0.05)
    task.cancel()


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


@by_loop
async def looked(monkeypatch: pytest.MonkeyPatch, *answers: bool) -> list[float]:
    left, waits = list(answers), list[float]()

    async def wait(seconds: float) -> None:
        waits.append(seconds)
        if not left:
            raise asyncio.CancelledError

    monkeypatch.setattr(background, "make_next", lambda: left.pop(0))
    monkeypatch.setattr(asyncio, "sleep", wait)
    with contextlib.suppress(asyncio.CancelledError):
        await background.keep_preparing()
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


@pytest.fixture
def source(settings: Any, tmp_path: Path) -> Path:
    folder = tmp_path / "source"
    folder.mkdir()
    (folder / "site.css").write_text("a { color: red }")
    settings.STATICFILES_FINDERS = ["django.contrib.staticfiles.finders.FileSystemFinder"]
    settings.STATICFILES_DIRS = [folder]
    settings.STATIC_ROOT = tmp_path / "collected"
    return folder


def root(source: Path) -> Path:
    return source.parent / "collected"


def test_nothing_is_collected_twice(source: Path) -> None:
    assert collect()
    assert (root(source) / "site.css").read_text() == "a { color: red }"
    before = {path: os.stat(path).st_mtime_ns for path in root(source).iterdir()}
    assert not collect()
    assert {path: os.stat(path).st_mtime_ns for path in root(source).iterdir()} == before


def test_what_pages_name_is_compressed_and_its_copies_are_not(source: Path) -> None:
    for name in ("site.css", "a.js", "a.min.js"):
        (source / name).write_text("a { color: red }\n" * 99)
    collect()
    sheet, script = (CollectedOrPlain().stored_name(name) for name in ("site.css", "a.min.js"))
    names = {path.name for path in root(source).iterdir() if path.suffix in {".br", ".gz"}}
    assert names == {f"{sheet}.br", f"{sheet}.gz", f"{script}.br", f"{script}.gz"}


def change_it(source: Path) -> None:
    (source / "site.css").write_text("a { color: tan }")


def touch_it(source: Path) -> None:
    os.utime(source / "site.css", ns=(1, 1))


def go_back(source: Path) -> None:
    change_it(source)
    touch_it(source)


def add_one(source: Path) -> None:
    (source / "more.css").touch()


def remove_one(source: Path) -> None:
    (source / "site.css").rename(source / "page.css")


def lose_the_manifest(source: Path) -> None:
    (root(source) / MANIFEST).unlink()


def replace_the_manifest(source: Path) -> None:
    with (root(source) / MANIFEST).open("a") as file:
        file.write(" ")


def lose_the_note(source: Path) -> None:
    (root(source) / NOTE).unlink()


def lose_everything(source: Path) -> None:
    rmtree(root(source))


@pytest.mark.parametrize(
    "change",
    [
        change_it,
        touch_it,
        go_back,
        add_one,
        remove_one,
        lose_the_manifest,
        replace_the_manifest,
        lose_the_note,
        lose_everything,
    ],
)
def test_what_changed_is_collected_again(source: Path, change: Callable[[Path], None]) -> None:
    collect()
    change(source)
    assert collect()
    assert not collect()
    shown = {path.name for path in source.iterdir()}
    assert shown <= {path.name for path in root(source).iterdir()}
    assert list_stale_files() == []


def test_another_storage_collects_again(source: Path, settings: Any) -> None:
    collect()
    plain = {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"}
    settings.STORAGES = {**settings.STORAGES, "staticfiles": plain}
    assert collect()


def test_a_run_that_was_cut_short_is_made_again(
    source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def cut(*args: object, **options: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("game.management.preparing.call_command", cut)
        with pytest.raises(KeyboardInterrupt):
            collect()
    assert collect()


def test_an_address_is_put_together_once_and_follows_its_file(
    source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert collect()
    storage = CollectedOrPlain(location=root(source))
    asked: list[str | None] = []
    put_together = CollectedOrPlain._put_together

    def counted(self: CollectedOrPlain, name: str | None, force: bool) -> str:
        asked.append(name)
        return put_together(self, name, force)

    monkeypatch.setattr(CollectedOrPlain, "_put_together", counted)
    first = [storage.url("site.css") for _ in range(3)]
    assert asked == ["site.css"]
    assert len(set(first)) == 1
    storage.hashed_files["site.css"] = "site.0123456789ab.css"
    assert storage.url("site.css").endswith("/site.0123456789ab.css")
