"""The time that a decision took, by a clock that is never set.

Stored moments follow the wall clock, which an administrator or a time server may set; by it a
decision could seem to take two days, or no time. Each process remembers its newest moments by the
machine's steady clock. A process that stored both ends of an interval measures it by that clock;
after a restart, or in another process, only the wall clock is left.
"""

import threading
import time
from collections import OrderedDict
from datetime import datetime

from django.utils import timezone

from game.models.decision import LONGEST

MOST = 20_000  # the most stored moments, 200 bytes each
# CLOCK_BOOTTIME also counts while the machine sleeps; not all systems have this clock.
STEADY = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
_steady: OrderedDict[tuple[str, datetime], float] = OrderedDict()
_lock = threading.Lock()


def record_moment(game_id: str) -> datetime:
    """Return the current time and remember it as the moment at which the game changed."""
    now = timezone.now()
    with _lock:
        _steady[game_id, now] = read_steady_clock()
        if len(_steady) > MOST:
            _steady.popitem(last=False)
    return now


def measure_thinking(game_id: str, since: datetime, now: datetime) -> int:
    """Return the milliseconds between two moments of a game, within the range of the column."""
    with _lock:
        known = _steady.get((game_id, since)), _steady.get((game_id, now))
    began, ended = known
    if began is None or ended is None:
        began, ended = since.timestamp(), now.timestamp()
    return min(max(0, round((ended - began) * 1000)), LONGEST)


def read_steady_clock() -> float:
    return time.clock_gettime(STEADY)
