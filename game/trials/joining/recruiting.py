"""Joining a trial by its open link, and the codes and addresses for people who leave the trial.

Each person can join once, until the quota is reached. An external ID is not secret: many people may
know a student's number. To continue, a person therefore needs the participant code.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar
from urllib.parse import quote

from django.db import transaction
from django.utils import timezone
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from game.core.refusals import Refused
from game.trials.design.consent import check_texts
from game.trials.design.people import (
    WAYS_OUT,
    WayOut,
    count_places_left,
    count_taken_places,
    find_participant_by_label,
    find_recruitment,
    is_address,
    log_event,
    query_recruited,
    redact_settings,
)
from game.trials.design.writing import lock_trial
from game.trials.joining.links import NoWayIn
from game.trials.joining.withdrawing import has_label_withdrawn
from game.trials.joining.writing import store_consent
from game.trials.models import (
    LONGEST_LABEL,
    MOST_PLACES,
    Arrival,
    ArrivalCount,
    Participant,
    Recruitment,
    Trial,
    TrialEvent,
    normalise_label,
)
from game.trials.questions.reading import load_questionnaire


@dataclass(frozen=True, slots=True)
class PanelAddress:
    """The URL parameters by which a panel sends its IDs. We write ``placeholder`` into the address
    (``NAME`` in it stands for the parameter), and the panel puts the ID in its place. If
    ``placeholder`` is empty, the panel adds the parameters itself."""

    title: str
    names: tuple[str, ...]
    placeholder: str = "{NAME}"

    def query(self, names: Sequence[str]) -> str:
        parameters = [f"{name}={self.placeholder.replace('NAME', name)}" for name in names]
        return f"?{'&'.join(parameters)}" if parameters and self.placeholder else ""


PANELS = {
    "prolific": PanelAddress("Prolific", ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID"), "{{%NAME%}}"),
    "sona": PanelAddress("SONA", ("survey_code",), placeholder="%SURVEY_CODE%"),
    "mturk": PanelAddress(
        "Mechanical Turk (adds the IDs itself)",
        ("workerId", "assignmentId", "hitId"),
        placeholder="",
    ),
    "class": PanelAddress("A class", ("student",)),
}
FREE = PanelAddress("Another panel, with the external IDs below", ())


# Placeholders in an address that the panel should have replaced by an external ID.
PLACEHOLDER = re.compile(r"\{.*\}|\[.*\]|<.*>|%|ASSIGNMENT_ID_NOT_AVAILABLE", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Address:
    labels: dict[str, str] = field(default_factory=dict)

    @property
    def person(self) -> str:
        """The first external ID; "" if the trial asks for no external ID."""
        return next(iter(self.labels.values()), "")

    @property
    def query(self) -> str:
        """The external IDs as a query string, which forms add to their addresses."""
        return f"?{urlencode(self.labels)}" if self.labels else ""


def read_address(recruitment: Recruitment, parameters: Mapping[str, str]) -> Address:
    """Return the external IDs in the address. Raise NoWayIn if an ID is missing, if the panel
    did not fill in a placeholder, or if an ID with a fixed value, such as the study's, differs."""
    names = recruitment.names
    labels = {name: parameters.get(name, "").strip()[:LONGEST_LABEL] for name in names}
    needed = names if recruitment.panel in PANELS else names[:1]
    for name, label in labels.items():
        if not normalise_label(label) and name in needed:
            text = _("The address lacks “%(name)s”. Please open the link again where you found it.")
            raise NoWayIn(text % {"name": name})
        if PLACEHOLDER.search(label):
            text = _(
                "The address contains “%(label)s” instead of your ID. Please open the "
                "link where you found it, or tell the person who gave it to you."
            )
            raise NoWayIn(text % {"label": label})
    for name, values in recruitment.expectations.items():
        if labels.get(name) not in values:
            text = _(
                "This address belongs to another study: “%(name)s” is “%(label)s”, but this "
                "trial needs a different value. Please open the link again where you found it."
            )
            raise NoWayIn(text % {"name": name, "label": labels.get(name, "")})
    return Address(labels)


NAME_IN_ADDRESS = re.compile(r"\{([^{}]*)\}")
MOST_LATER = 50  # per person, so that made-up sessions cannot fill the database


def _check_settings(link: Recruitment) -> None:
    """Raise Refused if a setting of the link is impossible."""
    if link.trial.games_follow_up and not link.names:
        text = (
            "This trial has a follow-up, so it needs external IDs to recognise people who return."
        )
        raise Refused(text)
    for name, values in link.expectations.items():
        if name not in link.names or "" in values:
            raise Refused(f"“{name}” needs a value and must be one of the external IDs.")
    for address in filter(is_address, link.ways_out.values()):
        for name in NAME_IN_ADDRESS.findall(address):
            if name not in link.names:
                raise Refused(f"“{{{name}}}” would never be filled in: it is not an external ID.")
    taken = count_taken_places(link.trial)
    if link.quota < taken:
        raise Refused(f"{taken} place is taken." if taken == 1 else f"{taken} places are taken.")


class SentAway(Refused):
    """The error if a person may not join. ``way`` is their outcome, a key of WAYS_OUT. ``arrived``
    is the kind of arrival that the page counts, if any."""

    way: ClassVar[str]
    text: ClassVar[Any]  # lazy, because the page is in the trial's language
    status, arrived = 403, ""

    def __init__(self) -> None:
        super().__init__(self.text)


class NoPlaceLeft(SentAway):
    way, status, arrived = "full", 200, ArrivalCount.Kind.NO_PLACE
    text = gettext_lazy("All places in this trial are taken. Thank you for coming!")


class NobodyLetIn(SentAway):
    way = "closed"
    text = gettext_lazy(
        "This trial is not open to new participants now. Please ask the person who "
        "gave you the link."
    )


class HasWithdrawn(SentAway):
    way = "withdrawn"
    text = gettext_lazy("You have withdrawn from this trial and cannot join it again.")


class HasDeclined(SentAway):
    way, status, arrived = "no_consent", 200, ArrivalCount.Kind.DECLINED
    text = gettext_lazy("You did not agree, so we store nothing about you. Thank you for coming!")


class CodeNeeded(Exception):
    """The error if a person's external ID already has a place. To continue, the person must enter
    the participant code."""


def store_recruitment(*, trial: Trial, **settings: object) -> Recruitment:
    """Store and log the link's settings, but keep its address. Refuse impossible settings."""
    with transaction.atomic():
        lock_trial(trial.pk)
        before = redact_settings(find_recruitment(trial))
        recruitment, _made = Recruitment.objects.update_or_create(trial=trial, defaults=settings)
        recruitment.refresh_from_db()
        _check_settings(recruitment)
        if trial.is_open:
            check_texts(trial)
        now = redact_settings(recruitment)
        changes = {
            name: {"from": before.get(name), "to": now[name]}
            for name in now
            if (now[name] or "") != (before.get(name) or "")
        }
        if changes:
            log_event(trial, TrialEvent.Kind.SETTINGS, None, **changes)
        return recruitment


def check_may_come(recruitment: Recruitment, label: str) -> None:
    """Raise SentAway if a new person with this external ID may not join."""
    if has_label_withdrawn(recruitment.trial, label):
        raise HasWithdrawn
    if not recruitment.trial.is_open or not recruitment.open:
        raise NobodyLetIn
    came = query_recruited(recruitment.trial).count()
    # Count the outcomes, which is slow, only if needed.
    if came >= recruitment.quota and count_places_left(recruitment) <= 0:
        raise NoPlaceLeft


def recruit_agree(
    *,
    recruitment: Recruitment,
    version: int,
    parameters: Mapping[str, str],
    admitted: Participant | None = None,
) -> Participant:
    """Store the consent of a person who came by the open link, and give a new person a place. If
    the external ID already has a place, continue only if ``admitted`` is the participant in it;
    otherwise raise CodeNeeded. Lock the trial, so that two people cannot take the last place."""
    with transaction.atomic():
        trial = lock_trial(recruitment.trial_id)
        label = parameters[recruitment.names[0]] if recruitment.names else ""
        if known := find_participant_by_label(trial, label):
            if known != admitted:
                raise CodeNeeded
            return store_consent(participant=known, version=version)
        check_may_come(recruitment, label)
        numbers = query_recruited(trial).order_by("-number").values_list("number", flat=True)
        number = (numbers.first() or MOST_PLACES) + 1
        participant = Participant.objects.create(trial=trial, number=number)
        if label:
            Arrival.objects.create(
                trial=trial,
                participant=participant,
                label=label,
                parameters=dict(parameters),
                at=timezone.now(),
            )
        return store_consent(participant=participant, version=version)


def recruit_again(*, participant: Participant, labels: Mapping[str, str]) -> None:
    """Log that a participant arrived again with another study or session ID. The participant keeps
    the same place. The log contains only the names of the changed IDs; their values are stored with
    the other external IDs."""
    with transaction.atomic():
        arrival = Arrival.objects.select_for_update().filter(participant=participant).first()
        if arrival is None or len(arrival.later) >= MOST_LATER:
            return
        before, person = arrival.latest, next(iter(labels), "")
        now = before | {name: label for name, label in labels.items() if label}
        if person in before:  # the same external ID in another spelling: keep the stored spelling
            now[person] = before[person]
        if now == before:
            return
        arrival.later.append({"at": timezone.now().isoformat(), "parameters": now})
        arrival.save(update_fields=["later"])
        other = [name for name, label in now.items() if label != before.get(name)]
        log_event(participant.trial, TrialEvent.Kind.ARRIVED, participant, labels=other)


def delete_labels(*, trial: Trial) -> int:
    """Delete all external IDs of the trial. The places and the games stay."""
    trial.withdrawn_labels.all().delete()
    return Arrival.objects.filter(trial=trial).delete()[0]


@dataclass(frozen=True, slots=True)
class Outcome:
    """The code to show or the address to open at the end; the researcher may set neither."""

    code: str = ""
    address: str = ""


def make_outcome(recruitment: Recruitment, way: str, labels: Mapping[str, str]) -> Outcome:
    """Return the code, or the address in which external IDs replace ``{NAME}``."""
    ending: str = recruitment.ways_out.get(way, "")
    if not is_address(ending):
        return Outcome(code=ending)
    for name in recruitment.names:
        ending = ending.replace(f"{{{name}}}", quote(labels.get(name, ""), safe=""))
    return Outcome(address=ending)


def find_own_outcome(participant: Participant, way: str) -> Outcome | None:
    """Return the code or address for a participant. Return None if the participant has no outcome
    yet (``way`` is ""), or has a personal link."""
    recruitment = find_recruitment(participant.trial) if way and participant.recruited else None
    if recruitment is None:
        return None
    arrival = getattr(participant, "arrival", None)
    return make_outcome(recruitment, way, arrival.latest if arrival else {})


@dataclass(frozen=True, slots=True)
class Passage:
    """A way out of the trial. ``missing`` lists the faults of its code or address. ``shut``
    explains why no one can leave by this way; "" if people can."""

    way: WayOut
    shown: str = ""
    missing: Sequence[str] = ()
    shut: str = ""


def list_ways_out(recruitment: Recruitment) -> list[Passage]:
    """Return every way out of the trial. Made-up external IDs fill the addresses, as a preview."""
    expected, trial = recruitment.expectations, recruitment.trial
    labels = {name: min(expected.get(name, {"made-up"})) for name in recruitment.names}
    questionnaire, attentive = load_questionnaire(trial), recruitment.checks is not None
    questions = [item.question for item in questionnaire.items.values()] if questionnaire else ()
    limited = recruitment.minutes is not None or trial.hours_away is not None
    checked = any(each.right or (attentive and each.attention) for each in questions)
    screening = any(each.screens_out for each in questions)
    reasons = {
        "first_sitting": "" if trial.games_follow_up else "This trial has no follow-up.",
        "timed_out": "" if limited else "This trial has no time limit.",
        "screened_out": "" if screening else "No answer screens anyone out.",
        "failed_check": "" if checked else "No check can end participation.",
    }
    ways = []
    for name, way in WAYS_OUT.items():
        if shut := reasons.get(name):
            ways.append(Passage(way, shut=shut))
            continue
        ending = make_outcome(recruitment, name, labels)
        shown, faults = ending.code or ending.address, []
        if not shown:
            faults.append("No code or address is set, so this page sends no one back.")
        if is_address(shown):
            faults += [f"“{{{name}}}” is not filled in." for name in NAME_IN_ADDRESS.findall(shown)]
            if not shown.startswith("https://"):
                faults.append("The address is not encrypted: it should begin with https.")
        ways.append(Passage(way, shown, faults))
    return ways
