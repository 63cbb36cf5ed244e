"""Waits for PostgreSQL end: by its own limits, or by those of the program that waits."""

from collections.abc import Iterator
from time import monotonic
from typing import Any, cast

import psycopg
import pytest
from django.core.management import call_command
from django.core.management.commands import migrate as django_migrate
from django.db import OperationalError, connection, connections
from django.db.transaction import atomic

from game.management.commands import migrate
from game.models import Player
from game.pages.requests.troubles import AWAY, BUSY, find_trouble
from tests.game.test_deadlines import Visit
from yatzy_site import deadlines
from yatzy_site.deadlines import Budget, use_budget
from yatzy_site.gate import PAGES, PROMPT
from yatzy_site.postgresql import base

pytestmark = [pytest.mark.shared, pytest.mark.django_db(transaction=True)]
LONG = "SELECT pg_sleep(60)"


@pytest.fixture(autouse=True)
def _as_before(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(deadlines, "_serves", False)
    _close_pool()
    yield
    _close_pool()


def _close_pool() -> None:
    connections.close_all()
    _own().close_pool()


def _own() -> base.DatabaseWrapper:
    return cast(base.DatabaseWrapper, connections["default"])


@pytest.fixture
def locked() -> Iterator[None]:
    params = connection.get_connection_params()
    with psycopg.connect(**{key: params[key] for key in ("host", "port", "user", "dbname")}) as one:
        one.execute("LOCK TABLE game_player IN ACCESS EXCLUSIVE MODE")
        yield


def test_who_has_no_time_left_waits_no_longer_and_closes_the_connection() -> None:
    began = monotonic()
    with use_budget(Budget(0.2)):
        with pytest.raises(OperationalError) as refused, connection.cursor() as cursor:
            cursor.execute(LONG)
        assert find_trouble(refused.value) is AWAY
        assert connection.connection.closed
    assert monotonic() - began < 15.0  # of a minute
    connection.close()
    assert Player.objects.count() == 0  # over another one


def test_so_does_a_transaction_and_the_next_one_is_sound() -> None:
    with use_budget(Budget(0.2)), pytest.raises(OperationalError):
        _write_slowly()
    assert Player.objects.count() == 0


@atomic
def _write_slowly() -> None:
    Player.objects.create()
    connection.cursor().execute(LONG)


def test_a_command_waits_for_as_long_as_it_takes() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_sleep(0.3)")
        assert _limits(cursor) == ("0", "0")


def _limits(cursor: Any) -> tuple[str, ...]:
    found = []
    for name in ("lock_timeout", "statement_timeout"):
        cursor.execute(f"SHOW {name}")
        found.append(cursor.fetchone()[0])
    return tuple(found)


def test_a_server_has_limits_in_the_database_too() -> None:
    deadlines.serve_here()
    with connection.cursor() as cursor:
        assert _limits(cursor) == ("5s", "10s")


def test_postgresql_leaves_a_server_of_which_nothing_is_heard() -> None:
    """A lock held over a dead line would otherwise stay for as long as TCP tries."""
    deadlines.serve_here()
    with connection.cursor() as cursor:
        found = {}
        for name in ("user_timeout", "keepalives_idle", "keepalives_interval", "keepalives_count"):
            cursor.execute(f"SHOW tcp_{name}")
            found[name] = cursor.fetchone()[0].replace("15s", "15000")  # as the line is
    assert found == {
        "user_timeout": "15000",
        "keepalives_idle": "5",
        "keepalives_interval": "5",
        "keepalives_count": "3",
    }


def test_options_of_the_address_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    deadlines.serve_here()
    monkeypatch.setitem(connection.settings_dict["OPTIONS"], "options", "-c lock_timeout=7s")
    assert connection.get_connection_params()["options"].endswith("-c lock_timeout=7s")
    with connection.cursor() as cursor:
        assert _limits(cursor) == ("7s", "10s")


@pytest.mark.usefixtures("locked")
def test_a_lock_is_told_as_that(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(base, "LIMITS", "-c lock_timeout=100ms")
    deadlines.serve_here()
    with pytest.raises(OperationalError) as refused:
        Player.objects.count()
    assert find_trouble(refused.value) is BUSY


@pytest.mark.usefixtures("locked")
def test_pages_say_so_while_a_table_is_locked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(base, "LIMITS", "-c lock_timeout=100ms")
    deadlines.serve_here()
    cookie = f"player={_cookie()}"
    visit = Visit("/you/", PAGES, cookie=cookie, accept_language="sv")
    assert visit.status == 503
    assert '<html lang="sv"' in visit.body
    assert Visit("/rules/", PROMPT).status == 200


def _cookie() -> str:
    from game.pages.requests.visitors import make_player_cookie

    return make_player_cookie(Player(code="x" * 22))


def test_a_pool_that_has_none_left_is_waited_for_no_longer_than_there_is_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pool = _own().pool
    pool.open()
    taken = [pool.getconn() for _ in range(pool.max_size)]
    connection.close()
    try:
        with use_budget(Budget(0.1)), pytest.raises(OperationalError) as refused:
            connection.ensure_connection()
        assert find_trouble(refused.value) is AWAY
        assert "0.10 sec" in str(refused.value)
    finally:
        for one in taken:
            pool.putconn(one)


@pytest.mark.usefixtures("locked")
def test_a_migration_gives_up_a_lock_and_tries_again(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(migrate, "LOCK", 0.1)
    monkeypatch.setattr(migrate, "PAUSE", 0.0)
    monkeypatch.setattr(migrate, "TRIES", 2)

    def altering(*_: object, **__: object) -> None:
        connection.cursor().execute("ALTER TABLE game_player ADD COLUMN x int")

    monkeypatch.setattr(django_migrate.Command, "handle", altering)
    with pytest.raises(OperationalError) as refused:
        call_command("migrate", verbosity=0)
    assert find_trouble(refused.value) is BUSY
    assert capsys.readouterr().err.count("A table is in use") == 1
