"""How long somebody has kept coming back, and how they did among the others. Pure.

A streak is the longest run of days up to now with at most one day missed in it; so many days of it
as were played count. Today is not missed before it is over.
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date, timedelta

FORGIVEN = 1  # days
DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Streak:
    days: int
    forgiven: date | None = None  # the day that was missed
    today: bool = False  # already played


def streak(played: Collection[date], today: date) -> Streak:
    days, missed, counted, forgiven = set(played), list[date](), 0, None
    day = today if today in days else today - DAY
    while len(missed) <= FORGIVEN:
        if day in days:
            # A missed day is forgiven once a day before it turns out to have been played.
            counted, forgiven = counted + 1, missed[-1] if missed else None
        else:
            missed.append(day)
        day -= DAY
    return Streak(counted, forgiven, today in days)


def better_than(worse: int, players: int) -> int | None:
    """The share of the others who have fewer points, in whole per cent and never too many."""
    return 100 * worse // (players - 1) if players > 1 else None
