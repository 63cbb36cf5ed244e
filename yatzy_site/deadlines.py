"""Deadlines: how long a request may wait, one budget from the gate to the database.

Only waiting spends it: for a place, for a connection, for an answer of the database. A page that is
worked out for long is cut short by nobody. What a server does beside requests has a budget for each
wait; a command waits for as long as it takes.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from time import monotonic

WHOLE = 10.0  # seconds of a request


class Budget:
    def __init__(self, seconds: float) -> None:
        self.left = seconds

    @contextmanager
    def waiting(self) -> Iterator[float]:
        """With how long there is for it."""
        began = monotonic()
        try:
            yield self.left
        finally:
            self.left = max(0.0, self.left - (monotonic() - began))


_of_request: ContextVar[Budget | None] = ContextVar("budget", default=None)
_serves = False


@contextmanager
def spending(budget: Budget | None) -> Iterator[None]:
    """In this thread, until the end of the block."""
    before = _of_request.set(budget)
    try:
        yield
    finally:
        _of_request.reset(before)


def current() -> Budget | None:
    return _of_request.get() or (Budget(WHOLE) if _serves else None)


def serve_here() -> None:
    """Mark this process as a server, in which nothing waits for ever."""
    global _serves
    _serves = True


def serves() -> bool:
    return _serves
