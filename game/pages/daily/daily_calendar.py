"""A month of daily games: the days that were played, repaired or played later, each with its
page."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta

from django.utils.dates import WEEKDAYS, WEEKDAYS_ABBR
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from game.core.fair import days
from game.core.words import labels
from game.pages.board import choices
from game.pages.daily.daily_queries import DayPlayed, PlayerDays
from game.pages.daily.streaks import find_monday
from solver.rules import Ruleset

WEEK = 7


@dataclass(frozen=True, slots=True)
class CalendarDay:
    """A day. ``mark`` is played, repaired, later, open or empty; ``url`` is empty for a
    future day."""

    day: date
    number: int
    url: str
    mark: str
    five: bool
    words: str
    shown: bool


@dataclass(frozen=True, slots=True)
class Month:
    """A month in weeks that begin on Monday; None is a day of another month."""

    first: date
    weeks: tuple[tuple[CalendarDay | None, ...], ...]
    before: str
    after: str

    @property
    def title(self) -> str:
        return date_format(self.first, "YEAR_MONTH_FORMAT")

    @property
    def weekdays(self) -> list[tuple[str, str]]:
        return [(str(WEEKDAYS_ABBR[day]), str(WEEKDAYS[day])) for day in range(WEEK)]

    @property
    def marks(self) -> set[str]:
        days = [day for week in self.weeks for day in week if day]
        return {day.mark for day in days} | ({"five"} if any(day.five for day in days) else set())


def build_month(first: date, shown: date, rules: Ruleset, mine: PlayerDays | None) -> Month:
    """Return a month's calendar; ``mine`` is None without a player or if a trial hides the days."""
    weeks = []
    start = find_monday(first)
    while start < _find_next_month(first):
        week = (start + timedelta(days=number) for number in range(WEEK))
        weeks.append(tuple(_make_calendar_day(day, first, shown, rules, mine) for day in week))
        start += timedelta(days=WEEK)
    return Month(
        first,
        tuple(weeks),
        before=_make_month_url(_find_month_before(first), rules),
        after=_make_month_url(_find_next_month(first), rules),
    )


def parse_month(text: str) -> date | None:
    """Return the first day of a month such as ``2026-03``; None if the calendar lacks it."""
    first = days.parse_day(f"{text}-01")
    known = days.FIRST.replace(day=1), days.today()
    return first if first is not None and known[0] <= first <= known[1] else None


def _make_calendar_day(
    day: date, first: date, shown: date, rules: Ruleset, mine: PlayerDays | None
) -> CalendarDay | None:
    if day.month != first.month:
        return None
    there = days.FIRST <= day <= days.today()
    game = mine.played.get(day) if mine else None
    repaired = mine is not None and day in mine.daily.repaired
    five = mine is not None and day in mine.fives
    mark = _find_mark(game, repaired=repaired)
    words = ", ".join(_describe_marks(mark, five=five))
    return CalendarDay(
        day,
        day.day,
        url=choices.make_daily_url(rules, None if day == days.today() else day) if there else "",
        mark=mark,
        five=five,
        words=": ".join(filter(None, (labels.format_whole_day(day), words))),
        shown=day == shown,
    )


def _find_mark(game: DayPlayed | None, *, repaired: bool) -> str:
    if game is not None and game.in_time:
        return "played"
    if repaired:
        return "repaired"
    if game is None or game.given_up:
        return ""
    return "open" if game.open else "later" if game.finished_at else ""


def _describe_marks(mark: str, *, five: bool) -> Iterator[str]:
    """Yield what the player did on a day, without points: all players share this cached text."""
    if mark:
        yield {
            "played": _("played"),
            "repaired": _("repaired"),
            "later": _("played later"),
            "open": _("begun"),
        }[mark]
    if five:
        yield _("answered five a day")


def _find_month_before(first: date) -> date | None:
    before = (first - timedelta(days=1)).replace(day=1)
    return before if before >= days.FIRST.replace(day=1) else None


def _find_next_month(first: date) -> date:
    return (first + timedelta(days=31)).replace(day=1)


def _make_month_url(first: date | None, rules: Ruleset) -> str:
    if first is None or first > days.today():
        return ""
    return f"{choices.make_daily_url(rules)}?month={first:%Y-%m}#calendar"
