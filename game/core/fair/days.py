"""The times when a daily game begins and ends, and when its dice become public. Days are in UTC."""

from datetime import UTC, date, datetime, time, timedelta

from django.utils import timezone
from django.utils.dateparse import parse_date

FIRST = date(2025, 1, 1)  # the first day with a daily game

# Time after midnight to finish a game before the seed of the day is published. Only games that
# end before publication are ranked, because later players could know the dice.
GRACE = timedelta(hours=1)


def today() -> date:
    return timezone.now().astimezone(UTC).date()


def find_closing_time(day: date) -> datetime:
    return datetime.combine(day + timedelta(days=1), time(), UTC) + GRACE


def is_closed(day: date) -> bool:
    return timezone.now() >= find_closing_time(day)


def parse_day(text: str) -> date | None:
    """Parse the date in an address or a form. Return None if the text is not a date."""
    try:
        return parse_date(text)
    except ValueError:
        return None


def is_late_start(day: date, at: datetime) -> bool:
    return at >= find_closing_time(day)
