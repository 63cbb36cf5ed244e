"""A streak in words: how long it is, what is repaired or can be, and the rule, in one sentence."""

from dataclasses import dataclass

from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from game.core.fair import days
from game.pages.daily.streaks import DAY, Streak


@dataclass(frozen=True, slots=True)
class StreakTold:
    """Of daily games, or of five a day."""

    streak: Streak
    rule: str
    five_url: str = ""  # where a missed day is repaired

    @property
    def now(self) -> str:
        return in_a_row(self.streak.days)

    @property
    def longest(self) -> str:
        """Where it says more than the one of now."""
        if self.streak.longest <= self.streak.days:
            return ""
        return _("Longest: %(days)s") % {"days": in_a_row(self.streak.longest)}

    @property
    def repair(self) -> str:
        """What is on offer, and what to do for it."""
        offer = self.streak.repair
        if offer is None or not self.five_url:
            return ""
        text = ngettext(
            "%(missed)s was missed. Answer all of today's five a day, and you have %(days)s day in"
            " a row again.",
            "%(missed)s was missed. Answer all of today's five a day, and you have %(days)s days in"
            " a row again.",
            offer.days,
        )
        return text % {"missed": date_format(offer.missed), "days": offer.days}

    @property
    def repaired(self) -> str:
        """Said on the day of the repair."""
        yesterday = days.today() - DAY
        if yesterday not in self.streak.repaired:
            return ""
        return _("%(day)s is repaired.") % {"day": date_format(yesterday)}


def daily_told(found: Streak, five_url: str) -> StreakTold:
    return StreakTold(found, daily_rule() if five_url else unrepaired_rule(), five_url)


def five_told(found: Streak) -> StreakTold:
    rule = _("A streak is days in a row, in UTC, on which you answered all five.")
    return StreakTold(found, rule)


def daily_rule() -> str:
    return _(
        "A streak is days in a row, in UTC, whose daily game you finished, at the latest an hour"
        " after the day; one missed day a week (Monday to Sunday) is repaired by answering all of"
        " five a day on the next day."
    )


def unrepaired_rule() -> str:
    return _(
        "A streak is days in a row, in UTC, whose daily game you finished, at the latest an hour"
        " after the day."
    )


def in_a_row(number: int) -> str:
    text = ngettext("%(days)s day in a row", "%(days)s days in a row", number)
    return text % {"days": number}
