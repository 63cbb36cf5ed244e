"""Figures for operators: metrics, logs, load and speed."""

import asyncio
import io
import json
import logging
import logging.config
import re
import statistics
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Callable, Iterator
from functools import partial
from importlib.metadata import version
from math import isnan
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured, PermissionDenied
from django.core.handlers.base import BaseHandler
from django.db import DatabaseError, connection
from django.db.models.signals import post_save
from django.http import HttpRequest, HttpResponseBase
from django.template import Template
from django.test import Client, RequestFactory, override_settings
from django.test.utils import CaptureQueriesContext

from game.core import judging
from game.core.accounts import create_player
from game.core.judging import count_unjudged_games
from game.models import Decision, Game, Player
from solver.rules import Action, Hold, Score
from tests.browser.managers import ROOT
from tests.load.stored import compare
from tests.loops import in_a_loop
from tests.play import BOXES, HTMX, Browser, score_all, start_solo
from tests.services import free_port
from yatzy_site import metrics
from yatzy_site.environment import read_address, read_choice
from yatzy_site.gate import Gate
from yatzy_site.logs import LINES, WaitsForNobody, make_log_settings
from yatzy_site.metrics import SeldomCounted, SiteFigures, measure, serve
from yatzy_site.pages import Pages
from yatzy_site.requests import Named
from yatzy_site.sockets import Bounded
from yatzy_site.version import describe_version, read_commit


@pytest.fixture
def free() -> int:
    return free_port()


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
        figures.count_decision, sender=Decision, dispatch_uid="yatzy_site.metrics", weak=False
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


def asked(sent: list[Any]) -> None:
    async def view(scope: Any, receive: Any, send: Any) -> None:
        logging.getLogger("game").warning("first")
        await asyncio.to_thread(logging.getLogger("game").warning, "second")
        await send({"type": "http.response.start", "status": 200, "headers": [(b"a", b"b")]})

    async def send(message: Any) -> None:
        sent.append(message)

    in_a_loop(Named(view)({"type": "http"}, None, send))  # type: ignore[arg-type]


def test_the_lines_of_a_request_have_a_name_that_its_answer_tells(log: io.StringIO) -> None:
    sent: list[Any] = []
    asked(sent)
    asked(sent)
    names = [dict(message["headers"])[b"x-request-id"].decode() for message in sent]
    found = [line.split("WARNING ")[1] for line in lines(log)]
    assert found == [f"game [{name}]: {which}" for name in names for which in ("first", "second")]
    assert len(set(names)) == 2
    assert dict(sent[0]["headers"])[b"a"] == b"b"


@pytest.mark.parametrize("form", ["json"])
def test_programs_read_an_object_a_line(log: io.StringIO) -> None:
    sent: list[Any] = []
    asked(sent)
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


@pytest.fixture
def finished(player: Player) -> tuple[str, list[Action], int]:
    played = score_all(start_solo(player), player)
    actions = [action for box in BOXES for action in (Hold(0), Score(box))]
    return played.game.pk, actions, played.state.total


def test_what_is_stored_as_it_was_acknowledged_is_in_order(
    finished: tuple[str, list[Action], int],
) -> None:
    game, actions, total = finished
    kept = {"stored": 30, "lost": 0, "unjudged": 0, "wrong": []}
    assert compare({game: actions}, {game: total}) == kept


def test_a_lost_decision_a_wrong_score_and_a_lost_game_are_noticed(
    finished: tuple[str, list[Action], int],
) -> None:
    game, actions, total = finished
    kept = compare({game: [*actions, Hold(3)], "nowhere": [Hold(0)]}, {game: total + 1})
    assert (kept["stored"], kept["lost"]) == (30, 2)
    assert len(kept["wrong"]) == 3
    assert kept["wrong"][0].endswith("other decisions are stored than were acknowledged")
    assert kept["wrong"][1].endswith(f"{total} is stored, {total + 1} was shown")
    assert kept["wrong"][2] == "nowhere: other decisions are stored than were acknowledged"
    other = compare({game: [*actions[:28], Hold(5)]}, {})
    assert (other["stored"], other["lost"]) == (30, 1)


@pytest.mark.nightly
def test_three_people_play_on_a_server_and_nothing_is_lost() -> None:
    command = [sys.executable, "-m", "tests.load", "--people", "3", "--seconds", "4"]
    run = subprocess.run([*command, "--think", "0"], cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
    told = json.loads(run.stdout.splitlines()[-1])
    assert told["errors"] == 0
    assert told["stored"] == told["acknowledged"] > 3


QUERIES = 13
PAGE, ACTION = 27_000, 8_700  # calls: a little more than it is
PASSWORD = "five sixes at once"


@pytest.fixture
def account(browser: Browser) -> Browser:
    """The most that a page has to look up: a session, a user, a player."""
    data = {"username": "anna", "password1": PASSWORD, "password2": PASSWORD}
    browser.post("/account/signup/", data)
    return browser


def queries(work: Callable[[], object]) -> int:
    with CaptureQueriesContext(connection) as captured:
        work()
    return len(captured)


def test_no_action_asks_the_database_too_often(account: Browser) -> None:
    nonce = account.nonce("/daily/")
    asked = {"start": queries(lambda: account.start(mode="daily", nonce=nonce))}
    game = Game.objects.get()
    asked["hold"] = queries(lambda: account.act(game, "hold", seq=1))
    asked["score"] = queries(lambda: account.act(game, "score", seq=2, category="ones"))
    asked["stale"] = queries(lambda: account.act(game, "hold", seq=1, slot=[1]))
    seq = 3
    for box in BOXES[1:]:
        account.act(game, "hold", seq=seq)
        score: dict[str, Any] = {"seq": seq + 1, "category": box}
        asked["last"] = queries(partial(account.act, game, "score", **score))
        seq += 2
    game.refresh_from_db()
    assert game.finished_at
    assert {what: number for what, number in asked.items() if number > QUERIES} == {}


# Work, through every middleware, as the server calls it: calls are counted, for a clock would tell
# how busy the machine is. `make load` and `python -m tests.browser.measure` have the times.


@pytest.fixture
def work_of(browser: Browser, monkeypatch: pytest.MonkeyPatch) -> Callable[..., int]:
    monkeypatch.setattr(Template, "_render", lambda self, context: self.nodelist.render(context))
    handler = BaseHandler()
    handler.load_middleware()
    factory = RequestFactory()

    def counted(method: str, url: str, data: dict[str, object] | None = None) -> int:
        request: HttpRequest = getattr(factory, method)(url, data, headers=HTMX if data else None)
        request.COOKIES = {name: morsel.value for name, morsel in browser.cookies.items()}
        request._dont_enforce_csrf_checks = True  # type: ignore[attr-defined]
        response, calls = calls_of(lambda: handler.get_response(request))
        assert response.status_code == 200
        return calls

    return counted


def calls_of(work: Callable[[], HttpResponseBase]) -> tuple[HttpResponseBase, int]:
    calls = 0

    def called(frame: object, event: str, arg: object) -> None:
        nonlocal calls
        calls += event == "call"

    before = sys.getprofile()
    sys.setprofile(called)
    try:
        response = work()
    finally:
        sys.setprofile(before)
    return response, calls


def test_no_action_is_much_work(browser: Browser, work_of: Callable[..., int]) -> None:
    game, seq, calls = browser.start(), 1, []
    for number, box in enumerate(BOXES):
        if number:
            calls.append(work_of("post", f"/games/{game.pk}/hold", {"seq": seq}))
            seq += 1
        data = {"seq": seq, "category": box, "confirmed": "1"}
        calls.append(work_of("post", f"/games/{game.pk}/score", data))
        seq += 1
    assert statistics.median(calls) <= ACTION, sorted(calls)
