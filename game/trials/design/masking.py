"""Blinding: while a trial runs, its arms appear as letters, and nobody sees outcomes by arm.

The trial's secret determines which arm is A. An arm has the same letter on every page, and the
letters do not reveal the order in which the researcher wrote the arms.
"""

import hmac
from collections.abc import Mapping, Sequence
from datetime import datetime

from django.db import transaction
from django.utils import timezone

from game.core.refusals import Refused
from game.trials.design.people import (
    WAYS_OUT,
    count_places_left,
    find_recruitment,
    log_event,
    yield_participant_outcomes,
)
from game.trials.models import Participant, Preregistration, Trial, TrialEvent

Stopping = Preregistration.Stopping
UNFINISHED = ("first_sitting", "closed")  # outcomes of people who still have games to play


def find_stopping_rule(trial: Trial) -> Preregistration | None:
    return Preregistration.objects.filter(trial=trial, locked_at__isnull=False).first()


def format_stopping_warning(trial: Trial) -> str:
    """Return a warning if the stopping rule cannot be met or its date has passed, else ""."""
    plan = find_stopping_rule(trial)
    if plan is None or trial.closed_at is not None:
        return ""
    if plan.stopping_date and timezone.localdate() > plan.stopping_date:
        return "By the preregistration, this trial was to stop on a day that has passed."
    # People who have a place may finish the trial, and so may people who take the free places.
    people = list(yield_participant_outcomes(trial, timezone.now()))
    most = sum(not way or WAYS_OUT[way].place == "kept" for _participant, way in people)
    most += count_free_places(trial, people, soon=not trial.is_open)
    if most >= (plan.stopping_people or 0):
        return ""
    return (
        f"By the preregistration, this trial stops when {plan.stopping_people} people have played"
        f" all their games. With the present number of places, only {most} can."
    )


def count_free_places(
    trial: Trial, people: Sequence[tuple[Participant, str]], *, soon: bool = False
) -> int:
    """Count the free places. With ``soon``, include those of a link that is not open yet."""
    taken = sum(not participant.recruited for participant, _way in people)
    link = find_recruitment(trial)
    by_link = count_places_left(link) if link and (link.open or soon) else 0
    return trial.places - taken + by_link


def is_rule_met(plan: Preregistration, until: datetime) -> bool:
    if plan.stopping == Stopping.DATE:
        return plan.stopping_date is not None and timezone.localdate(until) >= plan.stopping_date
    people = list(yield_participant_outcomes(plan.trial, until))
    ways = [way for _participant, way in people]
    if plan.stopping == Stopping.PEOPLE:
        return ways.count("complete") >= (plan.stopping_people or 0)
    waiting = [way for way in ways if not way or way in UNFINISHED]
    return not waiting and count_free_places(plan.trial, people) == 0


LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
MET, UNMET, NONE = "met", "not met", "none"  # states of the stopping rule


def assign_letters(trial: Trial) -> Mapping[int, str]:
    positions = trial.arms.values_list("position", flat=True)
    secret = trial.seed.encode()
    shuffled = sorted(
        positions, key=lambda number: hmac.digest(secret, f"masked arm {number}".encode(), "sha256")
    )
    return dict(zip(shuffled, LETTERS, strict=False))


def map_arm_names(trial: Trial) -> Mapping[int, str]:
    """Map each arm's position to its name or, while the trial is blinded, to its letter."""
    if trial.masked:
        return assign_letters(trial)
    return dict(trial.arms.order_by("position").values_list("position", "name"))


def unblind_trial(*, trial: Trial, reason: str) -> Trial:
    with transaction.atomic():
        trial = Trial.objects.select_for_update().get(pk=trial.pk)
        if not trial.masked:
            raise Refused("This trial is not blinded.")
        unmask_trial(trial, reason=reason)
        return trial


def unmask_trial(trial: Trial, **why: str) -> None:
    trial.unmasked_at = timezone.now()
    trial.save(update_fields=["unmasked_at"])
    rule = find_stopping_state(trial)
    log_event(trial, TrialEvent.Kind.UNMASKED, stopping_rule=rule, **why)


def find_stopping_state(trial: Trial) -> str:
    rule = find_stopping_rule(trial)
    if rule is None:
        return NONE
    ended = trial.events.filter(kind=TrialEvent.Kind.LOOKED, detail__ends=True).exists()
    return MET if ended or is_rule_met(rule, timezone.now()) else UNMET
