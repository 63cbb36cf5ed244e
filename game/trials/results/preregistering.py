"""Preregistration: written, written anew, and then locked for good."""

from collections.abc import Callable, Mapping
from typing import Any

from django.db import transaction
from django.utils import timezone

from game.models import Preregistration, Trial, TrialEvent
from game.models.preregistration import canonical, digest_of
from game.services.refusals import Refused
from game.trials.design.log import note

Describe = Callable[[Preregistration], Mapping[str, Any]]


def preregistration_save(*, trial: Trial, **planned: object) -> Preregistration:
    """A draft, as often as one likes."""
    with transaction.atomic():
        _check_nobody_agreed(trial)
        found = Preregistration.objects.filter(trial=trial).first()
        draft = found or Preregistration(trial=trial)
        _check_not_locked(draft)
        for name, value in planned.items():
            setattr(draft, name, value)
        draft.save()
        return draft


def preregistration_lock(*, trial: Trial, describe: Describe) -> Preregistration:
    """From now on it cannot be changed; what ``describe`` makes of it is what is locked."""
    with transaction.atomic():
        _check_nobody_agreed(trial)
        draft = Preregistration.objects.select_related("trial").filter(trial=trial).first()
        if draft is None:
            raise Refused("There is nothing to lock yet: write the preregistration first.")
        _check_not_locked(draft)
        draft.document = canonical(describe(draft))
        draft.digest, draft.locked_at = digest_of(draft.document), timezone.now()
        draft.save()
        note(draft.trial, TrialEvent.Kind.PREREGISTERED, None, sha256=draft.digest)
        return draft


def _check_not_locked(draft: Preregistration) -> None:
    if draft.is_locked:
        raise Refused("This preregistration is locked: it stays as it is.")


def _check_nobody_agreed(trial: Trial) -> None:
    """Places are locked, so that nobody agrees meanwhile; who has withdrawn had agreed too."""
    Trial.objects.select_for_update().get(pk=trial.pk)
    places = trial.participants.select_for_update().values_list("consent", flat=True)
    if any(consent is not None for consent in places):
        raise Refused(
            "Somebody has agreed to take part already: what is written down now would not be"
            " written down before."
        )
