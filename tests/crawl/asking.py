"""One request of somebody in the world, taken back when it is answered."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, NamedTuple

from django.core.cache import cache
from django.db import connection, reset_queries, transaction
from django.test.utils import CaptureQueriesContext

from tests.crawl.addresses import filled_in
from tests.crawl.world import World
from tests.play import Answer

# A session stores who has signed in and the messages of the next page.
NOT_COUNTED = {"django_session"}


class Asked(NamedTuple):
    answer: Answer
    stored: set[str]  # the tables of which rows were changed
    queries: int


def get(world: World, role: str, address: str, values: dict[str, str]) -> Asked:
    path = filled_in(address, values)
    return _asked(lambda: world.browser(role).get(path))


def post(world: World, role: str, address: str, values: dict[str, str], data: Any = None) -> Asked:
    path = filled_in(address, values)
    return _asked(lambda: world.browser(role).post(path, data))


def send(world: World, role: str, method: str, path: str, body: bytes, **more: Any) -> Answer:
    return _asked(lambda: world.browser(role).generic(method, path, body, **more)).answer


def _asked(ask: Callable[[], Answer]) -> Asked:
    cache.clear()  # no client has reached a limit
    reset_queries()  # Django keeps 9,000
    with transaction.atomic():
        touched: set[str] = set()
        with _noted(touched), CaptureQueriesContext(connection) as queries:
            answer = ask()
            answer.getvalue()  # a file is written as it is read
        transaction.set_rollback(True)
    return Asked(answer, touched - NOT_COUNTED, len(queries))


def changed(
    world: World, role: str, address: str, values: dict[str, str], data: Any, tables: set[str]
) -> set[str]:
    """Return which of these tables have changed: the site may have rolled back by itself."""
    cache.clear()
    with transaction.atomic():
        before = {table: _rows(table) for table in tables}
        world.browser(role).post(filled_in(address, values), data)
        found = {table for table in tables if _rows(table) != before[table]}
        transaction.set_rollback(True)
    return found


def _rows(table: str) -> list[Any]:
    with connection.cursor() as cursor:
        cursor.execute(f'SELECT * FROM "{table}" ORDER BY 1')
        return list(cursor.fetchall())


def _noted(touched: set[str]) -> AbstractContextManager[None]:
    def note(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        result = execute(sql, params, many, context)
        what = sql.split(None, 1)[0]
        # How many rows an INSERT made is not known before they are fetched.
        if what == "INSERT" or (what in {"UPDATE", "DELETE"} and context["cursor"].rowcount):
            touched.add(sql.split('"')[1])
        return result

    return connection.execute_wrapper(note)
