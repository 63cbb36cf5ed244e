"""Days and times in the reader's time zone. ``game.pages.board.numbers`` has them as filters.

A script sends the reader's time zone on the first visit. Without JavaScript, pages use UTC and show
that they do. Every time is a ``<time>`` element, so that programs can read it.
"""

from datetime import date, datetime

from django.utils import timezone
from django.utils.formats import date_format
from django.utils.html import conditional_escape, escape, format_html
from django.utils.safestring import SafeString, mark_safe

from game.core.words.phrases import NO_BREAK

COOKIE = "zone"
LONG, SHORT, MOMENT = "DATE_FORMAT", "SHORT_DATE_FORMAT", "DATETIME_FORMAT"
ELEMENT = '<time datetime="{}">{}</time>'


def render_day(moment_or_day: date | datetime, style: str = SHORT) -> SafeString:
    """Return a day as a ``<time>`` element. Convert a time to the reader's zone first."""
    return format_html(ELEMENT, _format_exactly(moment_or_day), format_day(moment_or_day, style))


def format_day(moment_or_day: date | datetime, style: str = SHORT) -> str:
    return date_format(
        timezone.localtime(moment_or_day) if isinstance(moment_or_day, datetime) else moment_or_day,
        style,
    )


def render_long_day(moment_or_day: date | datetime) -> SafeString:
    return render_day(moment_or_day, LONG)


def format_long_day(moment_or_day: date | datetime) -> str:
    return format_day(moment_or_day, LONG)


def render_moment(time: datetime) -> SafeString:
    return format_html(ELEMENT, _format_exactly(time), _append_utc(format_day(time, MOMENT)))


def render_clock(time: datetime) -> SafeString:
    return format_html(ELEMENT, _format_exactly(time), _append_utc(format_day(time, "H:i")))


def _append_utc(text: str) -> str:
    zone = timezone.get_current_timezone_name()
    return f"{text}{NO_BREAK}{zone}" if zone == "UTC" else text


def _format_exactly(moment_or_day: date | datetime) -> str:
    return (
        moment_or_day.isoformat("T", "seconds")
        if isinstance(moment_or_day, datetime)
        else moment_or_day.isoformat()
    )


def render_sentence(sentence: str, **facts: str) -> SafeString:
    """Return a sentence as safe HTML with its facts filled in, which may be ``<time>`` elements."""
    shown = {name: conditional_escape(fact) for name, fact in facts.items()}
    return mark_safe(escape(sentence) % shown)  # noqa: S308
