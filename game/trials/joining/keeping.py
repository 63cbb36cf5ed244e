"""Deletion of personal data when the period that the standard consent text promises is over.

A trial has a deadline only if its opening is logged with a number of months. Earlier versions of
the program logged no months and made no promise.
"""

from calendar import monthrange
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone

from game.models import Player
from game.models.tokens import participant_code, player_code
from game.trials.design.consent import find_months_kept
from game.trials.design.people import log_event
from game.trials.models import Answer, Arrival, Participant, Trial, TrialEvent
from game.trials.questions.questionnaire import may_be_free_text
from game.trials.questions.reading import map_question_items

LABEL_DAYS = 30  # time from the closing of a trial to the deletion of its external IDs
ERASED = "[deleted]"
UNBOUND = {"link_revoked": True, "browser": "", "device": "", "table": ""}


def find_label_deadline(trial: Trial) -> datetime | None:
    """Return when the trial's external IDs are deleted; None until the trial is closed."""
    return trial.closed_at + timedelta(days=LABEL_DAYS) if trial.closed_at else None


def find_deadline(trial: Trial) -> datetime | None:
    """Return when codes, links and free texts are deleted. Return None if the trial promises no
    date, is not closed, or has deleted the data already."""
    closed = trial.closed_at
    if closed is None or not _query_trials_with_deadline().filter(pk=trial.pk).exists():
        return None
    years, month = divmod(closed.month - 1 + int(find_months_kept(trial)), 12)
    year = closed.year + years
    day = min(closed.day, monthrange(year, month + 1)[1])
    return closed.replace(year=year, month=month + 1, day=day)


def _query_trials_with_deadline() -> QuerySet[Trial]:
    """Return the closed trials with data that their consent text promises to delete."""
    events, kind = TrialEvent.objects.filter(trial=OuterRef("pk")), TrialEvent.Kind
    promised = events.filter(kind=kind.OPENED, detail__has_key="kept")
    deleted = events.filter(kind=kind.FORGOTTEN, at__gte=OuterRef("closed_at"))
    closed = Trial.objects.filter(closed_at__isnull=False, rehearsal=False)
    return closed.filter(Exists(promised), ~Exists(deleted))


def delete_expired_data() -> None:
    """Delete data whose promised deletion date has come. Every server process calls this."""
    now = timezone.now()
    Arrival.objects.filter(trial__closed_at__lte=now - timedelta(days=LABEL_DAYS)).delete()
    for trial in _query_trials_with_deadline():
        deadline = find_deadline(trial)
        if deadline is not None and deadline <= now:
            _delete_links_to_people(trial.pk)


@transaction.atomic
def _delete_links_to_people(trial_id: int) -> None:
    """Replace participants' codes, so that no link or cookie leads to a participant any more.
    Delete external IDs and free texts. Moves and other answers stay."""
    trial = Trial.objects.select_for_update().get(pk=trial_id)
    if find_deadline(trial) is None:
        return  # another process was faster, or the trial has been opened again
    trial.arrivals.all().delete()
    for participant in trial.participants.all():
        Participant.objects.filter(pk=participant.pk).update(code=participant_code(), **UNBOUND)
    for player in Player.objects.filter(participant__trial=trial, user=None):
        Player.objects.filter(pk=player.pk).update(code=player_code())
    items = map_question_items(trial)
    answers = Answer.objects.filter(participant__trial=trial).exclude(value="")
    free = {
        key for key in answers.values_list("key", flat=True) if may_be_free_text(items.get(key))
    }
    answers.filter(key__in=free).update(value=ERASED)
    log_event(trial, TrialEvent.Kind.FORGOTTEN)
