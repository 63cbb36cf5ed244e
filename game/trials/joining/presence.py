"""Page events of participants as far as they bear on the games, from the consent on.

Which browser it is nobody can tell from what is noted; only its kind, and that it is another one.
"""

from django.db import transaction

from game.core.events import announce_trial
from game.core.game_queries import OPEN
from game.models import Game, Participant, TrialEvent
from game.trials.design.people import note

Kind = TrialEvent.Kind
PAGE = {"hidden": Kind.HIDDEN, "shown": Kind.SHOWN}
MOST_PAGE_EVENTS = 1000  # of a participant: a page that flickers fills no database


def participant_here(
    *, participant: Participant, device: str, way: str = "", browser: str = ""
) -> None:
    """Something was done in the browser of this name: after leaving it is a return.

    ``way`` is how it came to be the participant's, ``browser`` what kind it is.
    """
    if participant.consent_id is None or not participant.trial.is_open:
        return
    with transaction.atomic():
        found = Participant.objects.select_for_update().get(pk=participant.pk)
        known, found.device = found.device, device
        table = device if participant.trial.round_table else ""
        if (known, found.table) != (device, table):
            participant.table = found.table = table
            found.save(update_fields=["device", "table"])
        told = {name: fact for name, fact in {"by": way, "browser": browser}.items() if fact}
        if _has_left(found):
            other = bool(known) and known != device
            note(participant.trial, Kind.RETURNED, found, another_browser=other, **told)
        elif known != device:
            note(participant.trial, Kind.DEVICE if known else Kind.ENTERED, found, **told)
        if known != device and not table:
            _note_sharing(found)


def _note_sharing(here: Participant) -> None:
    """Another participant of the trial was last in this very browser. It is noted of both, and of
    neither who the other is: that one may withdraw. Round a table that is how it is meant."""
    others = here.trial.participants.filter(device=here.device).exclude(pk=here.pk)
    for one in [here, *others] if others else []:
        if not one.events.filter(kind=Kind.SHARED).exists():
            note(here.trial, Kind.SHARED, one)
            announce_trial(here.trial_id, one.pk)


def code_refused(*, participant: Participant) -> None:
    """Somebody who knows the label of a place typed a wrong code."""
    note(participant.trial, Kind.CODE_REFUSED, participant)


def participant_left(*, participant: Participant) -> None:
    """Let a participant leave this device."""
    Participant.objects.filter(pk=participant.pk).exclude(table="").update(table="")
    if participant.consent_id is not None and participant.trial.is_open:
        note(participant.trial, Kind.LEFT, participant)


def participant_page(*, participant: Participant, state: str) -> None:
    """Store that the page was hidden or shown again: another tab or program, a locked phone."""
    kind = PAGE.get(state)
    if kind is None or participant.consent_id is None or not participant.trial.is_open:
        return
    noted = participant.events.filter(kind__in=PAGE.values())
    if noted.count() < MOST_PAGE_EVENTS:
        playing = participant.games.filter(OPEN).values_list("trial_number", flat=True).first()
        detail = {} if playing is None else {"game": playing}
        note(participant.trial, kind, participant, **detail)


def review_seen(*, game: Game, participant: Participant | None) -> None:
    """Log once that a participant has seen the value of a game of a closed trial."""
    if participant is None or game.participant_id != participant.pk:
        return
    seen = participant.events.filter(kind=Kind.REVIEWED, detail__game=game.trial_number)
    if not seen.exists():
        note(participant.trial, Kind.REVIEWED, participant, game=game.trial_number)


def _has_left(participant: Participant) -> bool:
    ways = participant.events.filter(kind__in=(Kind.LEFT, Kind.RETURNED))
    last = ways.order_by("at", "pk").last()
    return last is not None and last.kind == Kind.LEFT


# In this order: most browsers also call themselves by the names of others.
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


def browser_kind(user_agent: str) -> str:
    """“Firefox, Android”: no version, no model; empty for what is not known here."""
    found = (
        next((name for sign, name in known.items() if sign in user_agent), "")
        for known in (BROWSERS, SYSTEMS)
    )
    return ", ".join(filter(None, found))
