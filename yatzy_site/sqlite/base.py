"""Django's backend for SQLite, with one queue a database for all writers of this process.

Other processes are waited for by SQLite itself, as ever: it lets everybody who waits try again now
and then, and who tries at the right moment is lucky. With fifty writers some wait for seconds; in
the queue the first to come is the first to go.
"""

import contextlib
import os
import re
from collections import defaultdict, deque
from collections.abc import Callable
from threading import Lock
from time import monotonic
from typing import Any

from django.db.backends.sqlite3 import base
from django.db.utils import OperationalError

from yatzy_site import deadlines


class WritersQueue:
    """A lock that is handed on in the order in which it was asked for."""

    def __init__(self) -> None:
        self._guard = Lock()
        self._waiting: deque[Lock] = deque()
        self._taken = False

    def take(self, patience: float) -> bool:
        """False where the turn has not come after so many seconds."""
        with self._guard:
            if not self._taken:
                self._taken = True
                return True
            mine = Lock()
            mine.acquire()
            self._waiting.append(mine)
        return mine.acquire(timeout=patience) or not self._left(mine)

    def give(self) -> None:
        """To whoever has waited for the longest."""
        with self._guard:
            if self._waiting:
                self._waiting.popleft().release()
            else:
                self._taken = False

    def _left(self, mine: Lock) -> bool:
        """Out of the queue; False where the turn came at the very end."""
        with self._guard:
            if mine not in self._waiting:
                return False
            self._waiting.remove(mine)
            return True


WRITES = re.compile(r"\s*(insert|update|delete|replace)\b", re.IGNORECASE)
PATIENCE = 5.0  # seconds, sqlite3's own where nothing is set
LONG = 0.5  # seconds; who has waited for less may wait for others as long as anybody

_queues: defaultdict[str, WritersQueue] = defaultdict(WritersQueue)


class DatabaseWrapper(base.DatabaseWrapper):
    """A transaction is a turn, and so is a statement that writes outside of one."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._has_turn = False
        self._waits = self._timeout
        self._failed = False
        self.execute_wrappers.append(self._in_turn)

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        _make_private(str(conn_params["database"]))
        self._waits = self._timeout
        self._failed = False
        return super().get_new_connection(conn_params)

    def is_usable(self) -> bool:
        """Asked after a failure only: what comes next has a connection of its own."""
        return False

    def close_if_unusable_or_obsolete(self) -> None:
        """A rollback hides from Django that anything failed, but what was opened while the file
        could only be read, or was not there, stays so."""
        if self._failed and not self.in_atomic_block:
            self.close()
        super().close_if_unusable_or_obsolete()

    def _start_transaction_under_autocommit(self) -> None:
        try:
            with deadlines.waiting():
                self._take_turn()
                super()._start_transaction_under_autocommit()  # type: ignore[misc]
        except BaseException:
            self._give_turn()
            raise

    def _commit(self) -> None:
        try:
            super()._commit()  # type: ignore[misc]
        except OperationalError:
            self._failed = True
            raise
        self._give_turn()

    def _rollback(self) -> None:
        try:
            super()._rollback()  # type: ignore[misc]
        finally:
            self._give_turn()

    def _close(self) -> None:
        try:
            super()._close()  # type: ignore[misc]
        finally:
            self._give_turn()

    def _in_turn(
        self,
        execute: Callable[[str, Any, bool, dict[str, Any]], Any],
        sql: str,
        params: Any,
        many: bool,
        context: dict[str, Any],
    ) -> Any:
        alone = not (self.in_atomic_block or self._has_turn) and WRITES.match(sql)
        if alone:
            self._take_turn()
        try:
            return execute(sql, params, many, context)
        except OperationalError:
            self._failed = True
            raise
        finally:
            if alone:
                self._give_turn()

    def _take_turn(self) -> None:
        patience, began = self._patience, monotonic()
        if not _queues[str(self.settings_dict["NAME"])].take(patience):
            raise OperationalError("database is locked: too many want to write")
        self._has_turn = True
        waited = monotonic() - began
        self._wait_for_others(patience if waited < LONG else max(0.0, patience - waited))

    def _wait_for_others(self, seconds: float) -> None:
        """At most so long for their lock: who has waited for a turn does not begin anew."""
        if self.connection is not None and seconds != self._waits:
            self.connection.execute(f"PRAGMA busy_timeout = {1000 * seconds:.0f}")
            self._waits = seconds

    @property
    def _patience(self) -> float:
        """No longer than a request has time."""
        budget = deadlines.current()
        return min(self._timeout, budget.left) if budget else self._timeout

    @property
    def _timeout(self) -> float:
        return float(self.settings_dict["OPTIONS"].get("timeout", PATIENCE))

    def _give_turn(self) -> None:
        if self._has_turn:
            self._has_turn = False
            _queues[str(self.settings_dict["NAME"])].give()


def _make_private(path: str) -> None:
    """A new database is its owner's alone; SQLite gives its other files the same rights."""
    if path.startswith("file:") or path == ":memory:":
        return
    with contextlib.suppress(OSError):  # there already, or SQLite says what is wrong
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
