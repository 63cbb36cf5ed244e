"""The log of events in participants' browsers after the consent, such as a hidden page.

The log does not identify a browser. It has only the browser's kind, and whether it changed.
"""

from django.db import transaction

from game.core.game_queries import OPEN
from game.trials.design.people import log_event
from game.trials.models import Participant, TrialEvent
from game.trials.reading import query_games_of

Kind = TrialEvent.Kind
PAGE = {"hidden": Kind.HIDDEN, "shown": Kind.SHOWN}
MOST_PAGE_EVENTS = 1000  # limit per participant, so that a page cannot flood the log


def participant_here(
    *, participant: Participant, device: str, way: str = "", browser: str = ""
) -> None:
    """Log that a participant came in, changed the browser, or came back. ``device`` is the
    browser's code, ``browser`` its kind, and ``way`` how the participant was let in. Also log, once
    per participant, that several participants used this browser, unless they take turns on one
    device. The log names no other participant, who may withdraw later."""
    if participant.consent_id is None or not participant.trial.is_open:
        return
    with transaction.atomic():
        locked = Participant.objects.select_for_update().get(pk=participant.pk)
        known, locked.device = locked.device, device
        table = device if participant.trial.round_table else ""
        if (known, locked.table) != (device, table):
            participant.table = locked.table = table
            locked.save(update_fields=["device", "table"])
        facts = {name: fact for name, fact in {"by": way, "browser": browser}.items() if fact}
        ways = locked.events.filter(kind__in=(Kind.LEFT, Kind.RETURNED))
        last = ways.order_by("at", "pk").last()
        if last is not None and last.kind == Kind.LEFT:
            other = bool(known) and known != device
            log_event(participant.trial, Kind.RETURNED, locked, another_browser=other, **facts)
        elif known != device:
            log_event(participant.trial, Kind.DEVICE if known else Kind.ENTERED, locked, **facts)
        if known != device and not table:
            others = locked.trial.participants.filter(device=device).exclude(pk=locked.pk)
            for person in [locked, *others] if others else []:
                if not person.events.filter(kind=Kind.SHARED).exists():
                    log_event(locked.trial, Kind.SHARED, person)


def log_departure(*, participant: Participant) -> None:
    """Log that a participant left, and remove the participant from the people at this device."""
    Participant.objects.filter(pk=participant.pk).exclude(table="").update(table="")
    if participant.consent_id is not None and participant.trial.is_open:
        log_event(participant.trial, Kind.LEFT, participant)


def log_page_state(*, participant: Participant, state: str) -> None:
    """Log that the page became hidden (another tab, another program, a locked phone) or visible."""
    kind = PAGE.get(state)
    if kind is None or participant.consent_id is None or not participant.trial.is_open:
        return
    noted = participant.events.filter(kind__in=PAGE.values())
    if noted.count() < MOST_PAGE_EVENTS:
        playing = query_games_of(participant).filter(OPEN).values_list("trial_game__number").first()
        detail = {} if playing is None else {"game": playing[0]}
        log_event(participant.trial, kind, participant, **detail)


# The order matters, because most user agents also contain the names of other browsers.
BROWSERS = {
    "Edg": "Edge",
    "OPR/": "Opera",
    "SamsungBrowser": "Samsung",
    "Firefox": "Firefox",
    "FxiOS": "Firefox",
    "Chrome": "Chrome",
    "CriOS": "Chrome",
    "Safari": "Safari",
}
SYSTEMS = {
    "Android": "Android",
    "iPhone": "iOS",
    "iPad": "iOS",
    "Windows": "Windows",
    "Mac OS": "macOS",
    "Linux": "Linux",
}


def parse_browser_kind(user_agent: str) -> str:
    """Return a text such as “Firefox, Android”, without version and model; "" if unknown."""
    parts = (
        next((name for sign, name in known.items() if sign in user_agent), "")
        for known in (BROWSERS, SYSTEMS)
    )
    return ", ".join(filter(None, parts))
