"""A lock that is handed on in the order in which it was asked for.

SQLite lets everybody who waits for it try again now and then, and who tries at the right moment
is lucky: with fifty writers some wait for seconds. Here the first to come is the first to go.
"""

from collections import deque
from threading import Lock


class WritersQueue:
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
