"""Time limits of requests and what visitors see in trouble."""

import asyncio
import errno
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Semaphore
from typing import Any

import psycopg
import pytest
from django.conf import settings
from django.core.management import call_command
from django.core.management.commands import migrate as django_migrate
from django.db import OperationalError, connection, connections
from django.db.backends.signals import connection_created
from django.http import HttpResponse
from django.urls import resolve
from django.utils.html import escape
from django.utils.translation import override
from psycopg_pool import PoolTimeout

from game.core.fair import tickets
from game.core.studies import get_studies
from game.management.commands import migrate
from game.models import Decision, Game
from game.pages.requests import troubles
from game.pages.requests.troubles import AWAY, BUSY, CROWDED, FULL, READ_ONLY, Trouble, find_trouble
from tests.game.test_gate import Client, echo
from tests.loops import by_loop, in_a_loop
from tests.play import HTMX, Answer, Browser
from yatzy_site import deadlines, gate
from yatzy_site.deadlines import Budget, use_budget
from yatzy_site.gate import HEALTH, LATE, PAGES, PROMPT, Gate, Scope, needs_no_database
from yatzy_site.pages import Pages

NEED_NO_DATABASE = [
    *("/livez", "/healthz", "/readyz", "/rules/", "/rules/yahtzee/", "/fair/"),
    *("/account/login/", "/offline/", "/service-worker.js", "/manifest.webmanifest"),
]


@pytest.fixture(autouse=True)
def _as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deadlines, "_serves", False)


def test_only_waiting_spends_a_budget() -> None:
    budget = Budget(100.0)
    assert budget.left == 100.0
    with budget.waiting() as left:
        assert left == 100.0
    assert 0.0 < budget.left < 100.0
    small = Budget(0.0)
    with small.waiting():
        pass
    assert small.left == 0.0


def test_a_request_has_one_budget_a_server_one_for_each_wait_and_a_command_none() -> None:
    assert deadlines.find_budget() is None
    own = Budget(1.0)
    with use_budget(own):
        assert deadlines.find_budget() is own
    assert deadlines.find_budget() is None
    deadlines.serve_here()
    first, second = deadlines.find_budget(), deadlines.find_budget()
    assert first is not None
    assert first is not second
    assert first.left == deadlines.WHOLE


@by_loop
async def test_who_finds_no_place_in_time_goes_on_to_be_told_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(gate, "WHOLE", 0.01)
    seen: list[tuple[str, float]] = []

    async def noted(scope: Scope, receive: Any, send: Any) -> None:
        seen.append((scope["threads"], scope["budget"].left))
        await echo(scope, receive, send)

    passed = Gate(noted, 1)
    passed.places.enter("somebody")
    await Client().through(passed)
    assert passed.places.waiting == 0
    assert not passed.places.free  # nobody has given back what was not taken
    passed.places.give("somebody")
    await Client().through(passed)
    assert seen[0] == (LATE, 0.0)
    assert seen[1][0] == PAGES
    assert 0.0 < seen[1][1] <= 0.01


@pytest.mark.parametrize("path", [*NEED_NO_DATABASE, "/static/css/site.css"])
@by_loop
async def test_what_needs_no_database_does_not_stand_in_line(path: str) -> None:
    passed = Gate(echo, 1)
    passed.places.enter("somebody")
    client = Client(path=path)
    client.scope["method"] = "GET"
    assert (await client.through(passed)).status == 200
    health = path in {"/livez", "/healthz", "/readyz"}
    assert client.scope["threads"] == (HEALTH if health else PROMPT)
    assert client.scope["budget"].left == gate.PROMPT_WAIT


@by_loop
async def test_health_is_answered_while_every_other_thread_is_held(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A page that never ends, in each thread of the pages and of those beside them."""
    monkeypatch.setattr(gate, "WHOLE", 600.0)  # health would wait so long for a place of theirs
    held, ends = Semaphore(0), Event()

    def answer(scope: Scope, body: bytes) -> HttpResponse:
        if scope["path"] != "/livez":
            held.release()
            ends.wait(60)
        return HttpResponse(scope["path"])

    pages = Pages(2)
    pages.answer = answer  # type: ignore[method-assign]
    passed = Gate(pages, 2)
    clients = [Client(path=path) for path in ["/"] * 2 + ["/rules/"] * gate.PROMPT_SLOTS]
    for client in (asking := [*clients, Client(path="/livez")]):
        client.scope["method"] = "GET"
    try:
        tasks = [asyncio.ensure_future(one.through(passed)) for one in clients]
        for _ in clients:
            assert await asyncio.to_thread(held.acquire, timeout=30)
        assert (await asyncio.wait_for(asking[-1].through(passed), 15)).status == 200
    finally:
        ends.set()
    await asyncio.gather(*tasks)


def test_what_does_not_stand_in_line_is_there() -> None:
    assert f"/{settings.STATIC_URL.lstrip('/')}" == "/static/"
    assert all(resolve(path) for path in NEED_NO_DATABASE)


@pytest.mark.parametrize(
    ("method", "path"),
    [("POST", "/account/login/"), ("GET", "/"), ("GET", "/you/"), ("GET", "/xlivez")],
)
def test_everything_else_stands_in_line(method: str, path: str) -> None:
    assert not needs_no_database({"method": method, "path": path})


class Visit:
    """A request to the pages as the gate hands it on."""

    def __init__(self, path: str, threads: str, *, method: str = "GET", **headers: str) -> None:
        sent = [(name.replace("_", "-").encode(), text.encode()) for name, text in headers.items()]
        self.scope: Scope = {"type": "http", "method": method, "path": path, "query_string": b""}
        self.scope |= {"headers": [(b"host", b"localhost"), *sent], "client": ("203.0.113.5", 1)}
        self.scope |= {"threads": threads, "budget": Budget(5.0)}
        self.status, self.headers, self.body = 0, {}, ""  # type: ignore[var-annotated]
        in_a_loop(self._asked())

    async def _asked(self) -> None:
        await asyncio.wait_for(Pages(1)(self.scope, self._receive, self._send), 60)

    async def _receive(self) -> Any:
        if self.status:
            await asyncio.Event().wait()
        return {"type": "http.request", "body": b""}

    async def _send(self, message: Any) -> None:
        self.status = message.get("status", self.status)
        self.headers |= {name.lower(): text for name, text in message.get("headers", [])}
        self.body += message.get("body", b"").decode()


@pytest.mark.django_db(transaction=True)
class TestTooLate:
    def test_a_page_says_so_in_the_language_of_its_reader(self) -> None:
        visit = Visit("/you/", LATE, accept_language="sv")
        assert visit.status == 503
        assert visit.headers[b"retry-after"] == b"10"
        assert '<html lang="sv"' in visit.body
        assert "Ingenting har ändrats" in visit.body
        assert 'href="/you/"' in visit.body

    def test_a_program_is_told_in_json(self) -> None:
        visit = Visit("/api/v1/rulesets", LATE)
        assert visit.status == 503
        assert visit.headers[b"content-type"] == b"application/json"
        assert str(CROWDED.text)[:20] in visit.body

    def test_nothing_is_begun(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("game.pages.play_views.first_page", None)  # would fail
        assert Visit("/", LATE).status == 503
        assert not Game.objects.exists()


@pytest.fixture
def nobody_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def away(*_: object) -> None:
        raise OperationalError("nobody answers")

    monkeypatch.setattr("game.pages.requests.visitors.read_player_cookie", away)
    monkeypatch.setattr(get_studies(), "find_participant", away)
    monkeypatch.setattr(get_studies(), "list_running", away)
    monkeypatch.setattr(troubles, "_find_trouble", lambda error: AWAY)


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("nobody_is_found")
class TestWithoutTheDatabase:
    @pytest.mark.parametrize("path", ["/rules/", "/fair/", "/account/login/"])
    def test_a_page_beside_the_database_is_for_readers_who_need_no_row_of_it(
        self, path: str
    ) -> None:
        visit = Visit(path, PROMPT, cookie="django_language=fi")
        assert visit.status == 200
        assert '<html lang="fi"' in visit.body
        assert Visit(path, PROMPT, cookie="player=somebody").status == 503

    @pytest.mark.parametrize("cookie", ["participant", "browser"])
    def test_but_nobody_in_a_trial_is_shown_what_that_may_close(self, cookie: str) -> None:
        visit = Visit("/rules/", PROMPT, cookie=f"player=somebody; {cookie}=x")
        assert visit.status == 503 if cookie == "participant" else visit.status in {200, 503}
        assert "/drill/" not in visit.body

    def test_in_line_everybody_is_told(self) -> None:
        assert Visit("/rules/", PAGES, cookie="player=somebody").status == 503


@pytest.mark.django_db(transaction=True)
class TestHealth:
    @pytest.fixture(autouse=True)
    def _away(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def away() -> None:
            raise OperationalError("nobody answers")

        monkeypatch.setattr("game.pages.error_views.connection.cursor", away)

    def test_a_proxy_is_told_that_the_process_answers(self) -> None:
        answer = Browser().get("/livez")
        assert (answer.status_code, answer.json()) == (200, {"ok": True})

    def test_who_asks_whether_it_is_ready_is_told_that_it_is_not(self) -> None:
        answer = Browser().get("/readyz")
        assert answer.status_code == 503
        assert answer.json()["database"] is False
        assert "rulesets" in answer.json()


class Migration:
    def __init__(self, error: str, times: int) -> None:
        self.error, self.times, self.tried = error, times, 0

    def __call__(self, *_: object, **__: object) -> None:
        self.tried += 1
        if self.tried <= self.times:
            raise OperationalError(self.error)


@pytest.fixture
def _no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(migrate, "PAUSE", 0.0)
    monkeypatch.setattr(migrate, "TRIES", 3)


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("_no_pause")
class TestMigrations:
    def migrated(self, monkeypatch: pytest.MonkeyPatch, error: str, times: int) -> Migration:
        migration = Migration(error, times)
        monkeypatch.setattr(django_migrate.Command, "handle", migration)
        return migration

    def test_what_meets_with_a_lock_is_tried_again(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        migration = self.migrated(monkeypatch, "database is locked", 2)
        call_command("migrate", verbosity=0)
        assert migration.tried == 3
        assert capsys.readouterr().err.count("A table is in use") == 2

    def test_not_for_ever(self, monkeypatch: pytest.MonkeyPatch) -> None:
        migration = self.migrated(monkeypatch, "database is locked", 9)
        with pytest.raises(OperationalError):
            call_command("migrate", verbosity=0)
        assert migration.tried == 3

    def test_a_fault_is_not_tried_again(self, monkeypatch: pytest.MonkeyPatch) -> None:
        migration = self.migrated(monkeypatch, "no such table", 1)
        with pytest.raises(OperationalError):
            call_command("migrate", verbosity=0)
        assert migration.tried == 1


POSITION = {"dice": [1, 2, 3, 4, 5], "rolls_left": 1}


def sqlite_error(code: int) -> OperationalError:
    driver = sqlite3.OperationalError("the driver's words")
    driver.sqlite_errorcode = code
    return caused(driver)


def caused(driver: Exception) -> OperationalError:
    error = OperationalError(str(driver))
    error.__cause__ = driver
    return error


@pytest.mark.parametrize(
    ("error", "trouble"),
    [
        (sqlite_error(sqlite3.SQLITE_BUSY), BUSY),
        (sqlite_error(sqlite3.SQLITE_BUSY_SNAPSHOT), BUSY),
        (sqlite_error(sqlite3.SQLITE_FULL), FULL),
        (sqlite_error(sqlite3.SQLITE_READONLY_DIRECTORY), READ_ONLY),
        (sqlite_error(sqlite3.SQLITE_CANTOPEN), AWAY),
        (sqlite_error(sqlite3.SQLITE_ERROR), None),
        (OperationalError("database is locked: too many want to write"), BUSY),
        (caused(psycopg.OperationalError("connection refused")), AWAY),
        (caused(PoolTimeout("You are offline")), AWAY),
        (caused(psycopg.errors.AdminShutdown("bye")), AWAY),
        (caused(psycopg.errors.DiskFull("no room")), FULL),
        (caused(psycopg.errors.ReadOnlySqlTransaction("no")), READ_ONLY),
        (caused(psycopg.errors.UndefinedTable("no such table")), None),
        (OSError(errno.ENOSPC, "no room"), FULL),
        (OSError(errno.EROFS, "no"), READ_ONLY),
        (FileNotFoundError(errno.ENOENT, "nothing there"), None),
        (ValueError("locked"), None),
        (None, None),
    ],
)
def test_what_a_driver_says_is_known_for_what_it_is(
    error: Exception | None, trouble: Trouble | None
) -> None:
    assert find_trouble(error) is trouble


@pytest.fixture
def browser() -> Browser:
    return Browser(raise_request_exception=False)


@contextmanager
def locked(patience: str = "0.02") -> Iterator[None]:
    """Another program holds the lock of SQLite for longer than anybody here waits."""

    def impatient(sender: object, connection: Any, **_: object) -> None:
        connection.connection.execute(f"PRAGMA busy_timeout = {float(patience) * 1000:.0f}")

    connections.close_all()
    connection_created.connect(impatient)
    other = sqlite3.connect(connection.settings_dict["NAME"], isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        other.close()
        connection_created.disconnect(impatient)
        connections.close_all()


@pytest.mark.sqlite
@pytest.mark.django_db(transaction=True)
class TestLockedBySomebodyElse:
    @pytest.mark.parametrize("language", ["en", "fi"])
    def test_a_move_is_told_so_in_place(self, browser: Browser, language: str) -> None:
        game = browser.start()
        with locked():
            answer = browser.post(
                f"/games/{game.pk}/hold",
                {"seq": 1, "slot": 2},
                headers={**HTMX, "Accept-Language": language},
            )
        check_apology(answer, 503, "text/plain; charset=utf-8")
        assert answer.headers["Content-Language"] == language
        with override(language):
            assert answer.text.endswith(str(BUSY.text))
        assert Decision.objects.filter(game=game).count() == 1

    def test_a_page_without_a_script_sends_the_same_again(self, browser: Browser) -> None:
        game = browser.start()
        with locked():
            data = {"seq": 1, "slot": [0, 3], "note": '"><b>'}
            answer = browser.act(game, "hold", htmx=False, **data)
        page = check_apology(answer, 503, "text/html; charset=utf-8").text
        assert f'<form method="post" action="/games/{game.pk}/hold">' in page
        for name, value in [("seq", "1"), ("slot", "0"), ("slot", "3"), ("note", "&quot;&gt;")]:
            assert f'name="{name}" value="{value}' in page
        assert browser.act(game, "hold", htmx=False, seq=1, slot=[0, 3]).status_code == 302

    def test_the_start_of_a_game_says_it_and_takes_the_same_dice_later(
        self, browser: Browser
    ) -> None:
        nonce = browser.nonce()
        with locked():
            answer = browser.post("/games/", {"mode": "solo", "nonce": nonce})
        assert str(BUSY.text) in check_apology(answer, 503, "text/html; charset=utf-8").text
        assert not Game.objects.exists()
        assert browser.start(nonce=nonce).decisions.count() == 1

    def test_a_password_is_not_written_into_the_page(self, browser: Browser) -> None:
        with locked():
            data = {
                "username": "anna",
                "password1": "a-Long-passw0rd!",
                "password2": "a-Long-passw0rd!",
            }
            answer = browser.post("/account/signup/", data)
        assert "a-Long-passw0rd!" not in check_apology(answer, 503, "text/html; charset=utf-8").text

    def test_pages_are_read_meanwhile(self, browser: Browser) -> None:
        game = browser.start()
        with locked():
            assert browser.get(f"/games/{game.pk}/").status_code == 200


def check_apology(answer: Answer, status: int, kind: str) -> Answer:
    assert (answer.status_code, answer.headers["Content-Type"]) == (status, kind)
    assert int(answer.headers["Retry-After"]) > 0
    assert answer.headers["Cache-Control"] == "no-store"
    return answer


@pytest.mark.sqlite
@pytest.mark.django_db(transaction=True)
def test_a_full_database_says_that_there_is_no_room() -> None:
    begun = 0

    def small(sender: object, connection: Any, **_: object) -> None:
        connection.connection.execute("PRAGMA max_page_count = 1")  # as many as there are

    connections.close_all()
    connection_created.connect(small)
    try:
        while (answer := started_by_somebody_new()).status_code == 302:
            begun += 1  # into the pages that are there
    finally:
        connection_created.disconnect(small)
        connections.close_all()
    assert escape(str(FULL.text)) in check_apology(answer, 507, "text/html; charset=utf-8").text
    assert Game.objects.count() == Decision.objects.count() == begun
    assert started_by_somebody_new().status_code == 302


def started_by_somebody_new() -> Answer:
    browser = Browser(raise_request_exception=False)
    return browser.post("/games/", {"mode": "solo", "nonce": tickets.issue().signed})


@pytest.mark.django_db
@pytest.mark.parametrize("trouble", [BUSY, AWAY, FULL, READ_ONLY], ids=lambda one: one.name)
class TestEveryTrouble:
    @pytest.fixture(autouse=True)
    def _in_trouble(self, trouble: Trouble, monkeypatch: pytest.MonkeyPatch) -> None:
        def away(*_: object) -> None:
            raise OperationalError("nobody answers")

        monkeypatch.setattr("game.pages.requests.visitors.read_player_cookie", away)
        monkeypatch.setattr(troubles, "_find_trouble", lambda error: trouble)

    @pytest.fixture
    def guest(self, browser: Browser) -> Browser:
        browser.cookies["player"] = "somebody"
        return browser

    def test_a_page_says_so_and_offers_to_try_again(self, guest: Browser, trouble: Trouble) -> None:
        page = check_apology(guest.get("/you/"), trouble.status, "text/html; charset=utf-8")
        assert escape(str(trouble.text)) in page.text
        assert 'href="/you/"' in page.text

    def test_the_api_says_so_in_json(self, guest: Browser, trouble: Trouble) -> None:
        answer = guest.post("/api/v1/advise", POSITION, content_type="application/json")
        assert answer.status_code == trouble.status
        assert answer.headers["Retry-After"] == str(trouble.retry_after)
        facts = {"error": str(trouble.text), "status": trouble.status, "problems": []}
        assert answer.json() == facts

    def test_the_api_says_so_whatever_fails_before_it(
        self, guest: Browser, trouble: Trouble, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def away(*_: object) -> None:
            raise OperationalError("nobody answers")

        monkeypatch.setattr("game.pages.requests.visitors.Visitor.set_cookies", away)
        answer = guest.get("/api/v1/rulesets")
        assert answer.status_code == trouble.status
        assert answer.json()["error"] == str(trouble.text)

    @pytest.mark.needs("game.trials")
    def test_a_participant_is_offered_nothing_that_a_trial_closes(
        self, guest: Browser, trouble: Trouble
    ) -> None:
        assert "/learn/" in guest.get("/you/").text
        guest.cookies["participant"] = "somebody"
        assert "/learn/" not in guest.get("/take-part/").text


@pytest.mark.django_db
def test_a_fault_of_ours_stays_one(browser: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise OperationalError("no such table: game_player")

    monkeypatch.setattr("game.pages.requests.visitors.read_player_cookie", broken)
    browser.cookies["player"] = "somebody"
    answer = browser.get("/you/")
    assert answer.status_code == 500
    assert "The error is our fault" in answer.text
