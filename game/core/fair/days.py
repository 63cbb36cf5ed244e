"""When a day's dice may be played and when they are shown: calendar days in UTC."""

from datetime import UTC, date, datetime, time, timedelta

from django.utils import timezone
from django.utils.dateparse import parse_date

FIRST = date(2025, 1, 1)  # of the days that have a game

# A game begun just before midnight can be finished before everyone may see its seed. Only games
# finished by then are ranked: later ones could have known their dice.
GRACE = timedelta(hours=1)


def today() -> date:
    return timezone.now().astimezone(UTC).date()


def closes_at(day: date) -> datetime:
    return datetime.combine(day + timedelta(days=1), time(), UTC) + GRACE


def closed(day: date) -> bool:
    return timezone.now() >= closes_at(day)


def day_of(text: str) -> date | None:
    """Parse a day of an address or form; return None if there is no such day."""
    try:
        return parse_date(text)
    except ValueError:
        return None


def played_later(day: date, at: datetime) -> bool:
    """Return whether a game was begun after the dice of its day became public."""
    return at >= closes_at(day)
