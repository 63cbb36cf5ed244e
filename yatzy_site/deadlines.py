"""Deadlines: a request has a budget of seconds for all its waits, in the queue and elsewhere.

Only waits use up the budget: for a turn in the queue, for a connection, for the database's answer.
The calculation of a page has no limit. Background work of a server has a new budget for each wait.
A command can wait without a limit.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from time import monotonic

WHOLE = 10.0  # seconds; a request's budget for all its waits


class Budget:
    def __init__(self, seconds: float) -> None:
        self.left = seconds

    @contextmanager
    def waiting(self) -> Iterator[float]:
        """Yield the seconds left in the budget. Then subtract the time that the block took."""
        began = monotonic()
        try:
            yield self.left
        finally:
            self.left = max(0.0, self.left - (monotonic() - began))


_of_request: ContextVar[Budget | None] = ContextVar("budget", default=None)
_serves = False


@contextmanager
def use_budget(budget: Budget | None) -> Iterator[None]:
    """Limit the waits of this thread by this budget until the end of the block."""
    before = _of_request.set(budget)
    try:
        yield
    finally:
        _of_request.reset(before)


def find_budget() -> Budget | None:
    return _of_request.get() or (Budget(WHOLE) if _serves else None)


def serve_here() -> None:
    """Mark this process as a server, so that each of its waits has a limit."""
    global _serves
    _serves = True


def is_serving() -> bool:
    return _serves
