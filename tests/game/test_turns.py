"""Who writes to SQLite waits in a queue: the first to come is the first to go."""

import os
import stat
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from django.db import OperationalError, close_old_connections, connection, connections, transaction

from game.models import Player
from yatzy_site.sqlite import base
from yatzy_site.sqlite.base import WritersQueue


def started(what: Callable[[], None]) -> threading.Thread:
    thread = threading.Thread(target=what)
    thread.start()
    return thread


def queued(turns: WritersQueue, many: int) -> None:
    while len(turns._waiting) < many:
        threading.Event().wait(0.001)


def test_turns_are_handed_on_in_the_order_in_which_they_were_asked_for() -> None:
    turns, order = WritersQueue(), []

    def write(number: int) -> None:
        assert turns.take(30)
        order.append(number)
        turns.give()

    assert turns.take(0)
    threads = []
    for number in range(8):
        threads.append(started(lambda number=number: write(number)))  # type: ignore[misc]
        queued(turns, number + 1)
    turns.give()
    for thread in threads:
        thread.join()
    assert order == list(range(8))


def test_who_has_waited_too_long_leaves_the_queue() -> None:
    turns = WritersQueue()
    assert turns.take(0)
    assert not turns.take(0.01)
    turns.give()
    assert turns.take(0)


def the_queue() -> WritersQueue:
    return base._queues[str(connection.settings_dict["NAME"])]


@pytest.mark.sqlite
@pytest.mark.django_db(transaction=True)
def test_transactions_and_single_statements_take_turns() -> None:
    order: list[str] = []

    def write(name: str, alone: bool) -> None:
        if alone:
            Player.objects.update(theme=Player.Theme.DARK)
        else:
            with transaction.atomic():
                Player.objects.create()
        order.append(name)
        connections.close_all()

    with transaction.atomic():
        Player.objects.create()
        first = started(lambda: write("first", alone=True))
        queued(the_queue(), 1)
        second = started(lambda: write("second", alone=False))
        queued(the_queue(), 2)
        order.append("mine")
    first.join()
    second.join()
    assert order == ["mine", "first", "second"]
    assert not the_queue()._taken


@pytest.mark.sqlite
@pytest.mark.django_db(transaction=True)
def test_readers_wait_for_nobody() -> None:
    with transaction.atomic():
        Player.objects.create()
        seen: list[int] = []

        def read() -> None:
            seen.append(Player.objects.count())
            connections.close_all()

        thread = started(read)
        thread.join(30)
        assert seen == [0]


@pytest.mark.sqlite
@pytest.mark.django_db(transaction=True)
def test_a_turn_ends_however_its_transaction_does() -> None:
    with pytest.raises(ZeroDivisionError), transaction.atomic():
        raise ZeroDivisionError
    assert not the_queue()._taken
    with transaction.atomic():
        connection.close()
    assert not the_queue()._taken
    with pytest.raises(OperationalError):
        Player.objects.extra(where=["nonsense"]).update(coach="off")
    assert not the_queue()._taken


@pytest.mark.sqlite
@pytest.mark.django_db(transaction=True)
def test_a_turn_that_never_comes_is_an_error_of_the_database(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(connection.settings_dict["OPTIONS"], "timeout", 0.01)
    assert the_queue().take(0)
    with pytest.raises(OperationalError, match="locked"):
        Player.objects.create()
    the_queue().give()
    Player.objects.create()


@pytest.mark.sqlite
@pytest.mark.django_db(transaction=True)
def test_who_has_waited_for_a_turn_waits_less_for_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """Together as long as is set: a page has given up before two such waits are over."""
    monkeypatch.setitem(connection.settings_dict["OPTIONS"], "timeout", 15)
    connection.close()
    for waited, left in ((0.0, 15_000), (12.0, 3_000), (20.0, 0), (0.1, 15_000)):
        monkeypatch.setattr(base, "monotonic", iter([100.0, 100.0 + waited]).__next__)
        with transaction.atomic():
            assert connection.connection.execute("PRAGMA busy_timeout").fetchone() == (left,)
    connection.close()


@pytest.mark.sqlite
@pytest.mark.django_db(transaction=True)
def test_what_could_only_be_read_when_it_was_opened_is_opened_anew() -> None:
    connection.ensure_connection()
    connection.connection.execute("PRAGMA query_only = 1")
    with pytest.raises(OperationalError, match="readonly"), transaction.atomic():
        Player.objects.create()
    close_old_connections()
    Player.objects.create()


@pytest.mark.sqlite
@pytest.mark.django_db(transaction=True)
def test_what_is_acknowledged_is_on_the_disk() -> None:
    """FULL: the log is synced by every commit, not now and then."""
    with connection.cursor() as cursor:
        found = [
            cursor.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("journal_mode", "synchronous")
        ]
    assert found == ["wal", 2]


def test_a_new_database_is_its_owners_alone(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        base._make_private(str(tmp_path / "new.sqlite3"))
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "new.sqlite3").stat().st_mode) == 0o600


@pytest.mark.django_db
def test_a_connection_stays_until_something_fails_on_it(tmp_path: Path) -> None:
    settings = {**connection.settings_dict, "NAME": str(tmp_path / "own.sqlite3")}
    own = base.DatabaseWrapper({**settings, "OPTIONS": {}, "CONN_MAX_AGE": None}, alias="own")
    own.ensure_connection()
    own.close_if_unusable_or_obsolete()
    assert own.connection is not None
    with own.cursor() as cursor, pytest.raises(OperationalError):
        cursor.execute("SELECT nonsense")
    own.close_if_unusable_or_obsolete()
    assert own.connection is None
