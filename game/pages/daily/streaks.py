"""Streaks: days played without a gap, the repair of a missed day, and texts about both."""

from dataclasses import dataclass
from datetime import date, timedelta

from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from game.core.fair import days

DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Days:
    done: frozenset[date]
    open: frozenset[date]  # days that the player can still play, so they do not count as missed
    # days whose game also repairs the missed day before; None if missed days cannot be repaired
    repairing: frozenset[date] | None = None


@dataclass(frozen=True, slots=True)
class Repair:
    """A missed day that the player can repair today, and the length of the streak afterwards."""

    missed: date
    days: int


@dataclass(frozen=True, slots=True)
class Streak:
    days: int = 0
    longest: int = 0
    repaired: frozenset[date] = frozenset()
    today: bool = False  # true if the player has already played today
    repair: Repair | None = None


def measure_streak(days: Days, today: date) -> Streak:
    """Return the current and the longest run of days, with days that were repaired."""
    now, longest, ended, repaired = 0, 0, 0, list[date]()
    day = min(days.done, default=today)
    while day <= today:
        if day in days.done:
            now += 1
            longest = max(longest, now)
        elif day not in days.open:
            if now and _is_repairable(day, repaired) and day + DAY in (days.repairing or ()):
                repaired.append(day)
            else:
                now, ended = 0, now
        day += DAY
    missed, repair = today - DAY, None
    may_repair = days.repairing is not None and _is_repairable(missed, repaired)
    if may_repair and ended and missed not in {*days.done, *days.open, *repaired}:
        # The streak was ``ended`` days long before the missed day.
        repair = Repair(missed, ended + (today in days.done))
    return Streak(
        days=now,
        longest=longest,
        repaired=frozenset(repaired),
        today=today in days.done,
        repair=repair,
    )


def _is_repairable(day: date, repaired: list[date]) -> bool:
    """Return whether a missed day can be repaired: one day per week, from Monday to Sunday."""
    return not repaired or find_monday(repaired[-1]) != find_monday(day)


def find_monday(day: date) -> date:
    return day - timedelta(days=day.weekday())


def calculate_better_share(worse: int, players: int) -> int | None:
    """Return the percentage of other players with fewer points, rounded down, or None."""
    return 100 * worse // (players - 1) if players > 1 else None


@dataclass(frozen=True, slots=True)
class StreakText:
    streak: Streak
    rule: str
    five_url: str = ""  # the address where the player can repair a missed day

    @property
    def now(self) -> str:
        return format_days_in_a_row(self.streak.days)

    @property
    def longest(self) -> str:
        """The longest streak; "" if the current streak is as long."""
        if self.streak.longest <= self.streak.days:
            return ""
        return _("Longest: %(days)s") % {"days": format_days_in_a_row(self.streak.longest)}

    @property
    def repair(self) -> str:
        """The offer to repair a missed day; "" if no repair is possible."""
        offer = self.streak.repair
        if offer is None or not self.five_url:
            return ""
        text = ngettext(
            (
                "You missed %(missed)s. Complete today's five a day to restore your streak of "
                "%(days)s day."
            ),
            (
                "You missed %(missed)s. Complete today's five a day to restore your streak of "
                "%(days)s days."
            ),
            offer.days,
        )
        return text % {"missed": date_format(offer.missed), "days": offer.days}

    @property
    def repaired(self) -> str:
        """A sentence, if the player has repaired a missed day; otherwise ""."""
        yesterday = days.today() - DAY
        if yesterday not in self.streak.repaired:
            return ""
        return _("%(day)s no longer breaks your streak.") % {"day": date_format(yesterday)}


def describe_daily_streak(current: Streak, five_url: str) -> StreakText:
    return StreakText(
        current,
        _(
            "A streak is a run of days (in UTC) for which you finished the daily game, at the "
            "latest an hour after the day ended. You can repair one missed day per week (Monday to "
            "Sunday). To repair it, complete five a day on the next day."
        )
        if five_url
        else _(
            "A streak is a run of days (in UTC) for which you finished the daily game, at the "
            "latest an hour after the day ended."
        ),
        five_url,
    )


def format_days_in_a_row(number: int) -> str:
    text = ngettext("%(days)s day in a row", "%(days)s days in a row", number)
    return text % {"days": number}
