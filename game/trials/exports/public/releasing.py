"""Which free texts everybody may read: each of them is released by itself."""

from collections.abc import Collection

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from game.models import Answer, Publication, ReleasedAnswer, Trial
from game.trials.exports.answers import items_of
from game.trials.exports.public.answers import free_text


def free_answers(trial: Trial) -> QuerySet[Answer]:
    """Those that may change no more, question by question."""
    told = [key for key, item in items_of(trial).items() if not free_text(item)]
    found = Answer.objects.filter(participant__trial=trial, page_finished=True).exclude(value="")
    return found.exclude(key__in=told).select_related("released").order_by("key", "pk")


def answers_release(*, trial: Trial, shown: Collection[int], released: Collection[int]) -> None:
    """Of those that were shown, these and no others from now on."""
    with transaction.atomic():
        ReleasedAnswer.objects.filter(answer__participant__trial=trial, answer__in=shown).delete()
        chosen = free_answers(trial).filter(pk__in=shown).filter(pk__in=released)
        now = timezone.now()
        ReleasedAnswer.objects.bulk_create([ReleasedAnswer(answer=one, at=now) for one in chosen])


def publication_set(*, trial: Trial, creators: str, licence: str) -> None:
    told = {"creators": creators, "licence": licence}
    Publication.objects.update_or_create(trial=trial, defaults=told)
