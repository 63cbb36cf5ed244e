"""What keeps the server from its database is told as that: what is kept, and to try again."""

import errno
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest
from django.db import OperationalError, connection, connections
from django.db.backends.signals import connection_created
from django.utils.html import escape
from psycopg_pool import PoolTimeout

from game.core.fair import tickets
from game.models import Decision, Game
from game.pages.requests import troubles
from game.pages.requests.troubles import AWAY, BUSY, FULL, READ_ONLY, Trouble, find_trouble
from tests.play import HTMX, Answer, Browser

SENTENCES = {
    "en": "Nothing was changed and nothing is lost: please try again.",
    "sv": "Ingenting har ändrats och ingenting har gått förlorat: försök igen.",
    "nb": "Ingenting er endret, og ingenting er gått tapt: prøv igjen.",
    "da": "Intet er ændret, og intet er gået tabt: prøv igen.",
    "fi": "Mitään ei muutettu eikä mitään ole kadonnut: yritä uudelleen.",
}
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
    @pytest.mark.parametrize("language", SENTENCES)
    def test_a_move_is_told_so_in_place(self, browser: Browser, language: str) -> None:
        game = browser.start()
        with locked():
            answer = browser.post(
                f"/games/{game.pk}/hold",
                {"seq": 1, "slot": 2},
                headers={**HTMX, "Accept-Language": language},
            )
        told(answer, 503, "text/plain; charset=utf-8")
        assert answer.headers["Content-Language"] == language
        assert answer.text.endswith(SENTENCES[language])
        assert Decision.objects.filter(game=game).count() == 1

    def test_a_page_without_a_script_sends_the_same_again(self, browser: Browser) -> None:
        game = browser.start()
        with locked():
            data = {"seq": 1, "slot": [0, 3], "note": '"><b>'}
            answer = browser.act(game, "hold", htmx=False, **data)
        page = told(answer, 503, "text/html; charset=utf-8").text
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
        assert SENTENCES["en"] in told(answer, 503, "text/html; charset=utf-8").text
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
        assert "a-Long-passw0rd!" not in told(answer, 503, "text/html; charset=utf-8").text

    def test_pages_are_read_meanwhile(self, browser: Browser) -> None:
        game = browser.start()
        with locked():
            assert browser.get(f"/games/{game.pk}/").status_code == 200


def told(answer: Answer, status: int, kind: str) -> Answer:
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
    assert str(FULL.text) in told(answer, 507, "text/html; charset=utf-8").text
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
        page = told(guest.get("/you/"), trouble.status, "text/html; charset=utf-8")
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

        monkeypatch.setattr("game.pages.requests.visitors.Visitor.settle", away)
        answer = guest.get("/api/v1/rulesets")
        assert answer.status_code == trouble.status
        assert answer.json()["error"] == str(trouble.text)

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
