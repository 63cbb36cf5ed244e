"""The steps of a database from its first row to its last to answer a question."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connection

# These tables grow with every game.
GROWING = frozenset(
    f"game_{name}"
    for name in (
        *("game", "decision", "throw", "player", "duel", "duelseat"),
        *("drillcard", "drillattempt", "fiveanswer", "positionlist", "keptposition"),
    )
)

QUESTIONS = re.compile(r"(?!SELECT \*)(SELECT|UPDATE|DELETE) ")  # and not those of the crawl itself


@contextmanager
def gone_through(watched: Callable[[], bool]) -> Iterator[set[str]]:
    found: set[str] = set()
    seen: set[str] = set()

    def noted(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        if sql not in seen and not many and watched() and QUESTIONS.match(sql):
            seen.add(sql)
            found.update(f"{step}: {sql}" for step in _whole(sql, params))
        return execute(sql, params, many, context)

    with connection.execute_wrapper(noted):
        yield found


def _whole(sql: str, params: Any) -> Iterator[str]:
    given = tuple(params or ())
    asked = sql % tuple("?" * len(given)) if given else sql
    cursor = connection.connection.execute(f"EXPLAIN QUERY PLAN {asked}", given)
    for *_, step in cursor.fetchall():
        if step.startswith("SCAN") and step.split()[1] in GROWING:
            yield step
