"""The log of a trial: one function writes it, whoever has something to tell."""

from django.utils import timezone

from game.models import Participant, Trial, TrialEvent


def note(
    trial: Trial, kind: TrialEvent.Kind, participant: Participant | None = None, **detail: object
) -> TrialEvent:
    """``detail`` is plain data; it names nobody."""
    return TrialEvent.objects.create(
        trial=trial, kind=kind, participant=participant, at=timezone.now(), detail=detail
    )
