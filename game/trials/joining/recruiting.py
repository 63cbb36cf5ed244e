"""Strangers who come to a trial by its open link: let in once each, and no more than the quota."""

from collections.abc import Mapping

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from game.models import Arrival, Participant, Recruitment, Trial, TrialEvent
from game.models.trial import MOST_PLACES
from game.services.refusals import Refused
from game.trials.design.designing import trial_lock
from game.trials.design.log import note
from game.trials.joining.reading import (
    participant_of_label,
    places_left,
    recruited,
    recruitment_of,
    told_recruitment,
)
from game.trials.joining.writing import check_open, participant_agree


class NoPlaceLeft(Refused):
    def __init__(self) -> None:
        super().__init__(_("All places of this trial are taken. Thank you for coming!"))


class CodeNeeded(Refused):
    """The label has a place, and whoever comes has not shown that it is theirs."""

    def __init__(self) -> None:
        super().__init__(_("Somebody has come by this address before."))


def recruitment_set(*, trial: Trial, **settings: object) -> Recruitment:
    """The address of the link stays what it was. What was changed is in the log."""
    with transaction.atomic():
        trial_lock(trial.pk)
        before = told_recruitment(recruitment_of(trial))
        found, _made = Recruitment.objects.update_or_create(trial=trial, defaults=settings)
        found.refresh_from_db()
        now = told_recruitment(found)
        changes = {
            name: {"from": before.get(name), "to": now[name]}
            for name in now
            if (now[name] or "") != (before.get(name) or "")
        }
        if changes:
            note(trial, TrialEvent.Kind.SETTINGS, None, **changes)
        return found


def recruit_agree(
    *,
    recruitment: Recruitment,
    version: int,
    parameters: Mapping[str, str],
    admitted: Participant | None = None,
) -> Participant:
    """Consent makes the place. A label that has one is let back in to it where ``admitted``.

    The trial is locked, so that two who come at once cannot both take the last one.
    """
    with transaction.atomic():
        trial = trial_lock(recruitment.trial_id)
        label = parameters[recruitment.names[0]] if recruitment.names else ""
        if known := participant_of_label(trial, label):
            if known != admitted:
                raise CodeNeeded
            return participant_agree(participant=known, version=version)
        _check_may_come(recruitment)
        participant = Participant.objects.create(trial=trial, number=_next_number(trial))
        if label:
            Arrival.objects.create(
                trial=trial,
                participant=participant,
                label=label,
                parameters=dict(parameters),
                at=timezone.now(),
            )
        return participant_agree(participant=participant, version=version)


def _check_may_come(recruitment: Recruitment) -> None:
    check_open(recruitment.trial)
    if not recruitment.open:
        raise Refused(_("This link lets nobody in any more."))
    if not places_left(recruitment):
        raise NoPlaceLeft


def _next_number(trial: Trial) -> int:
    last = recruited(trial).order_by("-number").values_list("number", flat=True).first()
    return (last or MOST_PLACES) + 1


def labels_delete(*, trial: Trial) -> int:
    """Every label at once. The places stay, and so does all that was played in them."""
    return Arrival.objects.filter(trial=trial).delete()[0]
