"""SQLite: writers wait for its lock, readers for nobody, and what was acknowledged is stored."""

import os
import sqlite3
import stat
import threading
from contextlib import closing
from pathlib import Path

import pytest
from django.conf import settings
from django.db import OperationalError, connection, connections, transaction
from django.http import HttpResponse

from game.models import Player
from yatzy_site.gate import Scope
from yatzy_site.pages import Pages
from yatzy_site.sqlite.base import DatabaseWrapper

pytestmark = pytest.mark.sqlite
stored = pytest.mark.django_db(transaction=True)


@stored
def test_writers_that_the_gate_lets_in_lose_nothing() -> None:
    """Two writers at once, and what a server does outside requests."""
    lost: list[Exception] = []

    def write() -> None:
        for _ in range(20):
            try:
                with transaction.atomic():
                    number = Player.objects.count()
                    Player.objects.create(nickname=f"{threading.get_ident()} {number}")
            except OperationalError as error:
                lost.append(error)
        connections.close_all()

    threads = [threading.Thread(target=write) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not lost
    assert Player.objects.count() == 80


@stored
def test_readers_wait_for_nobody() -> None:
    with transaction.atomic():
        Player.objects.create()
        seen: list[int] = []

        def read() -> None:
            seen.append(Player.objects.count())
            connections.close_all()

        thread = threading.Thread(target=read)
        thread.start()
        thread.join(30)
        assert seen == [0]


@stored
def test_a_connection_that_could_only_read_is_opened_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """The page that failed opens it: its thread keeps a connection as long as nothing fails."""

    def page(*_: object) -> HttpResponse:
        Player.objects.create()
        return HttpResponse("stored")

    monkeypatch.setattr("game.pages.page_views.render", page)
    scope: Scope = {
        "type": "http",
        "method": "GET",
        "path": "/fair/",
        "query_string": b"",
        "headers": [(b"host", b"localhost")],
        "client": ("203.0.113.5", 1),
    }
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA query_only = 1")
    pages = Pages(1)
    assert [pages.answer(scope, b"").status_code for _ in range(2)] == [503, 200]


@stored
def test_what_is_acknowledged_is_on_the_disk() -> None:
    """FULL: the log is synced by every commit, not now and then."""
    with connection.cursor() as cursor:
        found = [
            cursor.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("journal_mode", "synchronous")
        ]
    assert found == ["wal", 2]


def test_what_is_deleted_is_overwritten(tmp_path: Path) -> None:
    path, answer = tmp_path / "new.sqlite3", "what a participant answered"
    with closing(sqlite3.connect(path)) as new:
        new.execute("PRAGMA secure_delete = OFF")
        new.executescript(settings.DATABASES["default"]["OPTIONS"]["init_command"])
        new.execute("CREATE TABLE answers (text)")
        new.execute("INSERT INTO answers VALUES (?)", [answer])
        new.commit()
        new.execute("DELETE FROM answers")
        new.commit()
    assert answer.encode() not in path.read_bytes()


@pytest.mark.django_db
def test_a_new_database_is_its_owners_alone(tmp_path: Path) -> None:
    where = {**connection.settings_dict, "NAME": str(tmp_path / "new.sqlite3"), "OPTIONS": {}}
    new, before = DatabaseWrapper(where, alias="new"), os.umask(0)
    try:
        new.ensure_connection()
    finally:
        os.umask(before)
        new.close()
    assert stat.S_IMODE((tmp_path / "new.sqlite3").stat().st_mode) == 0o600
