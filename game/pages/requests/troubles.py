"""Temporary failures of the database, each with a text for players.

They are caused neither by the request nor by a bug. The page keeps its content, and the player can
try again, because the failed request stored nothing or can safely be repeated. All other database
errors are bugs of this program and are reported as such.
"""

import errno
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from http import HTTPStatus

from django.db import Error, InterfaceError, OperationalError
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from redis.exceptions import ConnectionError as RedisAway
from redis.exceptions import TimeoutError as RedisSilent


class TooLate(Exception):
    """The error for a request that waited in the queue longer than its client is willing to."""


@dataclass(frozen=True, slots=True)
class Trouble:
    name: str  # text in the log
    text: Promise
    retry_after: int  # seconds
    status: HTTPStatus = HTTPStatus.SERVICE_UNAVAILABLE


BUSY = Trouble(
    "is locked by another process",
    _("The database is busy. Nothing was changed and nothing is lost: please try again."),
    retry_after=5,
)
AWAY = Trouble(
    "does not answer",
    _(
        "The database is not responding. The server keeps every roll and box that you have seen. "
        "Please try again: no move counts twice."
    ),
    retry_after=10,
)
CROWDED = Trouble(
    "could not be reached in time",
    _(
        "The server is too busy. Nothing was changed, and the server keeps every roll and box "
        "that you have seen. Please try again."
    ),
    retry_after=10,
)
FULL = Trouble(
    "has no free disk space",
    _(
        "The server's disk is full, so the server cannot store anything new. Nothing was changed, "
        "and the server keeps every roll and box so far. Please try again later."
    ),
    retry_after=60,
    status=HTTPStatus.INSUFFICIENT_STORAGE,
)
READ_ONLY = Trouble(
    "is read-only",
    _(
        "The server's database is read-only now, so the server cannot store anything new. Nothing "
        "was changed, and every roll and box so far is kept. Please try again later."
    ),
    retry_after=60,
)

# The last byte of an SQLite error code is the kind of error, and the other bytes are details.
SQLITE = {
    sqlite3.SQLITE_BUSY: BUSY,
    sqlite3.SQLITE_LOCKED: BUSY,
    sqlite3.SQLITE_FULL: FULL,
    sqlite3.SQLITE_READONLY: READ_ONLY,
    sqlite3.SQLITE_PERM: READ_ONLY,
    sqlite3.SQLITE_CANTOPEN: AWAY,
    sqlite3.SQLITE_IOERR: AWAY,
    sqlite3.SQLITE_CORRUPT: AWAY,
    sqlite3.SQLITE_NOTADB: AWAY,
}
POSTGRESQL = {
    "25006": READ_ONLY,  # read_only_sql_transaction
    "40001": BUSY,  # serialization_failure
    "40P01": BUSY,  # deadlock_detected
    "53100": FULL,  # disk_full
    "53200": AWAY,  # out_of_memory
    "53300": AWAY,  # too_many_connections
    "55P03": BUSY,  # lock_not_available
    "57014": BUSY,  # query_canceled, for example by a timeout
    "57P01": AWAY,  # admin_shutdown
    "57P02": AWAY,  # crash_shutdown
    "57P03": AWAY,  # cannot_connect_now
    "57P05": AWAY,  # idle_session_timeout
    "58030": AWAY,  # io_error
}
DISK = {errno.ENOSPC: FULL, errno.EDQUOT: FULL, errno.EROFS: READ_ONLY}


def find_trouble(error: BaseException | None) -> Trouble | None:
    troubles = (_find_trouble(cause) for cause in _list_causes(error))
    return next((trouble for trouble in troubles if trouble is not None), None)


def explain_outage(error: BaseException | None) -> str:
    """Return a text for the log if the database or Redis is down, else "". Pages work without
    Redis, but do not update other open pages."""
    if trouble := find_trouble(error):
        return f"the database {trouble.name}"
    away = any(isinstance(cause, RedisAway | RedisSilent) for cause in _list_causes(error))
    return "Redis does not answer" if away else ""


def _list_causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__


def _find_trouble(error: BaseException) -> Trouble | None:
    if isinstance(error, TooLate):
        return CROWDED
    if isinstance(error, OSError):
        return DISK.get(error.errno or 0)
    if not isinstance(error, Error):
        return None
    driver = error.__cause__
    if isinstance(driver, sqlite3.Error):
        return SQLITE.get(getattr(driver, "sqlite_errorcode", 0) & 0xFF)
    if driver is not None and hasattr(
        driver, "sqlstate"
    ):  # errors of psycopg; the program may run without psycopg
        return (
            AWAY
            if driver.sqlstate is None and isinstance(error, OperationalError | InterfaceError)
            else POSTGRESQL.get(driver.sqlstate or "")
        )
    return BUSY if "locked" in str(error) else None  # our write queue raises "locked"
