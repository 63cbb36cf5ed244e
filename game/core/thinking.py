"""The time that a decision took, by a clock that nobody sets.

The moments that are stored follow the clock of the wall, which an administrator or a time server
may set: by it alone a decision would have taken two days, or no time. Each process remembers when
its newest moments were by the machine's steady clock. The process that stored both ends of an
interval measures it by that; another process, or one that was restarted, has only the wall's.
"""

import threading
import time
from collections import OrderedDict
from datetime import datetime

from django.utils import timezone

from game.models.decision import LONGEST

MOST = 20_000  # moments remembered, of 200 bytes
# It goes on while the machine sleeps, where there is such a clock.
STEADY = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
_steady: OrderedDict[tuple[str, datetime], float] = OrderedDict()
_lock = threading.Lock()


def current_moment(game_id: str) -> datetime:
    """Return the time now, and remember it: this is when the game changed."""
    now = timezone.now()
    with _lock:
        _steady[game_id, now] = steady_seconds()
        if len(_steady) > MOST:
            _steady.popitem(last=False)
    return now


def thinking_milliseconds(game_id: str, since: datetime, now: datetime) -> int:
    """Return the time between two moments of a game, within what its column holds."""
    with _lock:
        known = _steady.get((game_id, since)), _steady.get((game_id, now))
    began, ended = known
    if began is None or ended is None:
        began, ended = since.timestamp(), now.timestamp()
    return min(max(0, round((ended - began) * 1000)), LONGEST)


def steady_seconds() -> float:
    return time.clock_gettime(STEADY)
