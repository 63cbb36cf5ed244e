"""Joining a trial by its open link. Each person can join once, until the quota is reached."""

import re
from collections.abc import Iterator, Mapping
from typing import ClassVar

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from game.core.refusals import Refused
from game.trials.design.consent import check_texts
from game.trials.design.designing import lock_trial
from game.trials.design.people import (
    count_taken_places,
    find_participant_by_label,
    find_recruitment,
    has_room,
    log_event,
    query_recruited,
    redact_settings,
)
from game.trials.design.ways_out import is_address
from game.trials.joining.withdrawing import has_label_withdrawn
from game.trials.joining.writing import store_consent
from game.trials.models import Arrival, Participant, Recruitment, Trial, TrialEvent
from game.trials.models.trial import MOST_PLACES

NAME_IN_ADDRESS = re.compile(r"\{([^{}]*)\}")
MOST_LATER = 50  # per person, so that made-up sessions cannot fill the database


def find_contradictions(link: Recruitment) -> Iterator[str]:
    """Yield a sentence for every setting of the link that is impossible."""
    if link.trial.games_follow_up and not link.names:
        yield "This trial has a follow-up, so it needs external IDs to recognise people who return."
    for name, values in link.expectations.items():
        if name not in link.names or "" in values:
            yield f"“{name}” needs a value and must be one of the external IDs."
    for address in filter(is_address, link.ways_out.values()):
        for name in NAME_IN_ADDRESS.findall(address):
            if name not in link.names:
                yield f"“{{{name}}}” would never be filled in: it is not an external ID."
    taken = count_taken_places(link.trial)
    if link.quota < taken:
        yield f"{taken} place is taken." if taken == 1 else f"{taken} places are taken."


class SentAway(Refused):
    """The error if a new person may not join. ``way`` is their outcome, a key of WAYS_OUT."""

    way: ClassVar[str]


class NoPlaceLeft(SentAway):
    way, status = "full", 200

    def __init__(self) -> None:
        super().__init__(_("All places in this trial are taken. Thank you for coming!"))


class NobodyLetIn(SentAway):
    way, status = "closed", 403

    def __init__(self) -> None:
        super().__init__(
            _(
                "This trial is not open to new participants now. Please ask the person who "
                "gave you the link."
            )
        )


class CodeNeeded(Refused):
    """The error if a person's external ID already has a place. To continue, the person must enter
    the participant code."""

    def __init__(self) -> None:
        super().__init__(_("Someone has already used this web address."))


class HasWithdrawn(SentAway):
    way, status = "withdrawn", 403

    def __init__(self) -> None:
        super().__init__(_("You have withdrawn from this trial and cannot join it again."))


def store_recruitment(*, trial: Trial, **settings: object) -> Recruitment:
    """Store and log the link's settings, but keep its address. Refuse impossible settings."""
    with transaction.atomic():
        lock_trial(trial.pk)
        before = redact_settings(find_recruitment(trial))
        recruitment, _made = Recruitment.objects.update_or_create(trial=trial, defaults=settings)
        recruitment.refresh_from_db()
        for text in find_contradictions(recruitment):
            raise Refused(text)
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
    if not has_room(recruitment):
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
