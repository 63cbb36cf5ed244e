"""What a log says, and what it keeps to itself."""

import asyncio
import io
import json
import logging
import logging.config
import re
import sys
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured, PermissionDenied

from tests.loops import in_a_loop
from tests.play import Browser
from yatzy_site.environment import read_choice
from yatzy_site.logs import LINES, WaitsForNobody, make_log_settings
from yatzy_site.requests import Named
from yatzy_site.version import describe_version, read_commit


@pytest.fixture
def form() -> str:
    return ""


class Log(io.StringIO):
    def getvalue(self) -> str:
        for handler in logging.getLogger().handlers:
            if isinstance(handler, WaitsForNobody):
                handler.flush()
        return super().getvalue()


@pytest.fixture
def log(form: str) -> Iterator[io.StringIO]:
    text = Log()
    facts = make_log_settings("WARNING", form)
    facts["handlers"]["console"]["stream"] = text
    logging.config.dictConfig(facts)
    yield text
    logging.config.dictConfig(make_log_settings("WARNING"))


def lines(log: io.StringIO) -> list[str]:
    return log.getvalue().splitlines()


def test_a_line_says_when_it_was_written_and_how_serious_it_is(log: io.StringIO) -> None:
    logging.getLogger("game").warning("the table is away")
    (line,) = lines(log)
    assert re.fullmatch(
        r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3} WARNING game: the table is away", line
    )


@pytest.mark.django_db
def test_a_page_that_is_refused_is_one_line(log: io.StringIO) -> None:
    mine, stranger = Browser(), Browser()
    game = mine.start()
    assert stranger.get(f"/games/{game.pk}/").status_code == 403
    (line,) = lines(log)
    assert "Forbidden" in line


def test_a_fault_of_ours_has_its_traceback(log: io.StringIO) -> None:
    try:
        raise ZeroDivisionError
    except ZeroDivisionError:
        logging.getLogger("django.request").error("x", exc_info=True, extra={"status_code": 500})
    assert "Traceback" in log.getvalue()


def test_a_link_in_a_traceback_is_cut_short_too(log: io.StringIO) -> None:
    try:
        raise PermissionDenied("/watch/abcdefghijklmnop/ is closed")
    except PermissionDenied:
        logging.getLogger("game").exception("refused: %s", "/review/abcdefghijklmnop/")
    assert "abcdefgh" not in log.getvalue()
    assert "/watch/…/ is closed" in log.getvalue()


def test_the_servers_lines_are_alike_and_no_request_leaves_an_address(log: io.StringIO) -> None:
    logging.getLogger("uvicorn.access").info("127.0.0.1 - GET /")
    logging.getLogger("uvicorn.error").error("the port is taken")
    (line,) = lines(log)
    assert "ERROR uvicorn.error: the port is taken" in line


@pytest.mark.django_db
@pytest.mark.parametrize("kind", ["application/x-www-form-urlencoded", "multipart/form-data"])
def test_a_form_in_another_encoding_is_refused(
    log: io.StringIO, browser: Browser, kind: str
) -> None:
    sent: Any = "mode=solo"  # which the client encodes
    answer = browser.post("/games/", sent, content_type=f"{kind}; charset=utf-16; boundary=x")
    assert answer.status_code == 415
    assert "Traceback" not in log.getvalue()
    assert sys.getsizeof(log.getvalue()) < 1000


def ask(sent: list[Any]) -> None:
    async def view(scope: Any, receive: Any, send: Any) -> None:
        logging.getLogger("game").warning("first")
        await asyncio.to_thread(logging.getLogger("game").warning, "second")
        await send({"type": "http.response.start", "status": 200, "headers": [(b"a", b"b")]})

    async def send(message: Any) -> None:
        sent.append(message)

    in_a_loop(Named(view)({"type": "http"}, None, send))  # type: ignore[arg-type]


def test_the_lines_of_a_request_have_a_name_that_its_answer_tells(log: io.StringIO) -> None:
    sent: list[Any] = []
    ask(sent)
    ask(sent)
    names = [dict(message["headers"])[b"x-request-id"].decode() for message in sent]
    found = [line.split("WARNING ")[1] for line in lines(log)]
    assert found == [f"game [{name}]: {which}" for name in names for which in ("first", "second")]
    assert len(set(names)) == 2
    assert dict(sent[0]["headers"])[b"a"] == b"b"


@pytest.mark.parametrize("form", ["json"])
def test_programs_read_an_object_a_line(log: io.StringIO) -> None:
    sent: list[Any] = []
    ask(sent)
    first, second = map(json.loads, lines(log))
    assert (
        first["request"] == second["request"] == dict(sent[0]["headers"])[b"x-request-id"].decode()
    )
    assert (first["level"], first["logger"], first["message"]) == ("WARNING", "game", "first")
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00", first["time"])


@pytest.mark.parametrize("form", ["json"])
def test_an_object_has_no_link_either_and_a_traceback_is_a_part_of_it(log: io.StringIO) -> None:
    try:
        raise PermissionDenied("/watch/abcdefghijklmnop/ is closed")
    except PermissionDenied:
        logging.getLogger("game").exception("refused: %s", "/duel/abcdefghijklmnop/join")
    (line,) = lines(log)
    told = json.loads(line)
    assert told["message"] == "refused: /duel/…/join"
    assert "Traceback" in told["exception"]
    assert "/watch/…/ is closed" in told["exception"]
    assert "abcdefgh" not in line
    assert "request" not in told


@pytest.mark.parametrize("form", ["json"])
@pytest.mark.django_db
def test_a_refusal_is_an_object_with_its_status(log: io.StringIO) -> None:
    game = Browser().start()
    Browser().get(f"/games/{game.pk}/")
    (line,) = lines(log)
    assert json.loads(line)["status"] == 403
    assert "exception" not in json.loads(line)


@pytest.mark.parametrize(
    "path",
    [
        *("/take-part/{}/", "/duel/{}/join", "/ws/duels/{}/"),
        *("/daily/result/{}/picture.png", "/review/{}/learn"),
    ],
)
def test_every_personal_link_is_cut_short(log: io.StringIO, path: str) -> None:
    logging.getLogger("game").warning("not found: %s", path.format("abcdefghijklmnop"))
    assert "abcd" not in log.getvalue()
    assert path.format("…") in log.getvalue()


def test_a_log_that_cannot_be_meant_stops_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("YATZY_LOG", "xml")
    with pytest.raises(ImproperlyConfigured, match="YATZY_LOG"):
        read_choice("YATZY_LOG", allowed=["json"])
    monkeypatch.setenv("YATZY_LOG", "JSON")
    assert read_choice("YATZY_LOG", allowed=["json"]) == "json"


class SlowReader(io.StringIO):
    """A stream whose reader is away until ``back`` is set: each write waits for it."""

    def __init__(self) -> None:
        super().__init__()
        self.waiting, self.back = Event(), Event()

    def write(self, text: str) -> int:
        self.waiting.set()
        self.back.wait()
        return super().write(text)


def test_a_log_that_nobody_reads_blocks_nobody_and_says_what_was_lost() -> None:
    stream = SlowReader()
    handler = WaitsForNobody(stream)
    logger = logging.Logger("of its own")
    logger.addHandler(handler)
    logger.warning("first")
    assert stream.waiting.wait(10)  # the thread has taken it, and waits for the reader
    for number in range(LINES + 7):
        logger.warning("line %d", number)
    assert handler.lost == 7
    stream.back.set()
    handler.lines.join()
    logger.warning("the reader is back")
    handler.lines.join()
    written = stream.getvalue().splitlines()
    assert written[:2] == ["first", "line 0"]
    assert written[LINES:] == [
        f"line {LINES - 1}",
        "7 log lines were lost: no program read the log",
        "the reader is back",
    ]


def test_a_start_names_its_version_and_its_commit(tmp_path: Path) -> None:
    assert read_commit(tmp_path / "nowhere") == ""
    (tmp_path / "HEAD").write_text("ref: refs/heads/main\n")
    (tmp_path / "packed-refs").write_text("# pack-refs\n0123456789abcdef refs/heads/main\n")
    assert read_commit(tmp_path) == "0123456789"
    (tmp_path / "refs" / "heads").mkdir(parents=True)
    (tmp_path / "refs" / "heads" / "main").write_text("fedcba9876543210\n")
    assert read_commit(tmp_path) == "fedcba9876"
    (tmp_path / "HEAD").write_text("aaaaaaaaaaaaaaaa\n")
    assert read_commit(tmp_path) == "aaaaaaaaaa"
    (tmp_path / ".git").write_text(f"gitdir: {tmp_path}\n")  # of a release, a worktree
    assert read_commit(tmp_path / ".git") == "aaaaaaaaaa"
    assert describe_version().startswith(version("yatzy"))
