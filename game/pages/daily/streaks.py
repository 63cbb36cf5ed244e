"""Days of something in a row, daily games or five a day, and how one did among the others. Pure.

Nothing of it is stored: it follows from the days on which something was done. A missed day is
repaired by what was done on the day after, once in a week from Monday to Sunday and only where it
ends a streak; it holds the streak together and is not counted in it. A day that can still be done
is not missed.
"""

from dataclasses import dataclass
from datetime import date, timedelta

DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Days:
    """Of one thing: when it was done, and what else bears on its streak."""

    done: frozenset[date]
    open: frozenset[date]  # not missed: these can still be done
    repairing: frozenset[date] | None = None  # repair the day before; None where nothing does


@dataclass(frozen=True, slots=True)
class Repair:
    """What is on offer today: with it the streak has so many days again."""

    missed: date
    days: int


@dataclass(frozen=True, slots=True)
class Streak:
    days: int = 0
    longest: int = 0
    repaired: frozenset[date] = frozenset()
    today: bool = False  # already done
    repair: Repair | None = None


def streak(of: Days, today: date) -> Streak:
    now, longest, lost, repaired = 0, 0, 0, list[date]()
    day = min(of.done, default=today)
    while day <= today:
        if day in of.done:
            now += 1
            longest = max(longest, now)
        elif day not in of.open:
            if now and _repairable(day, repaired) and day + DAY in (of.repairing or ()):
                repaired.append(day)
            else:
                now, lost = 0, now
        day += DAY
    return Streak(
        days=now,
        longest=longest,
        repaired=frozenset(repaired),
        today=today in of.done,
        repair=_offered(of, today, repaired, lost),
    )


def _repairable(day: date, repaired: list[date]) -> bool:
    """The weeks of the calendar begin on Monday; repairs are found from the first on."""
    return not repaired or monday(repaired[-1]) != monday(day)


def monday(day: date) -> date:
    return day - timedelta(days=day.weekday())


def _offered(of: Days, today: date, repaired: list[date], lost: int) -> Repair | None:
    """``lost``: so many days the streak had that was the last to end."""
    missed = today - DAY
    ended = lost and missed not in of.done | of.open and missed not in repaired
    if of.repairing is None or not ended or not _repairable(missed, repaired):
        return None
    return Repair(missed, lost + (today in of.done))


def better_than(worse: int, players: int) -> int | None:
    """The share of the others who have fewer points, in whole per cent and never too many."""
    return 100 * worse // (players - 1) if players > 1 else None
