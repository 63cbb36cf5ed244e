"""What the flow of people is counted from: who agreed, and the numbers of those who did not."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Sum
from django.utils import timezone

from game.models import Answer, ArrivalCount, Participant, Preregistration, Trial
from game.models.trial import MOST_PLACES
from game.trials.design.phases import TRAINING, TrialDesign
from game.trials.questions.reading import questionnaire
from game.trials.results.exclusions import whom
from game.trials.results.reading_arms import outcome_phase


@dataclass(frozen=True, slots=True)
class FlowPerson:
    """How far somebody came who agreed. ``order``: the arms that the lot gave, None before it."""

    order: tuple[int, ...] | None
    recruited: bool
    withdrew: bool
    screened_out: bool
    failed_check: bool
    began: bool  # the training; without phases, to play
    finished: bool
    left_out: bool  # by a rule that was locked
    measured: bool  # has a finished game of the phase that the trial asks about


def passages(trial: Trial, design: TrialDesign, until: datetime) -> list[FlowPerson]:
    left_out, outcome = _left_out(trial, until), outcome_phase(design)
    return [_passage(one, left_out, until) for one in _everybody(trial, outcome, until)]


def places_given(trial: Trial) -> int:
    """Personal links, used or not."""
    return trial.participants.filter(number__lte=MOST_PLACES).count()


def arrivals_counted(trial: Trial, until: datetime) -> Counter[str]:
    """By kind; a day counts whole."""
    rows = ArrivalCount.objects.filter(trial=trial, day__lte=timezone.localdate(until))
    return Counter(dict(rows.values_list("kind").annotate(n=Sum("people"))))


def _everybody(trial: Trial, outcome: str, until: datetime) -> QuerySet[Participant]:
    """Of whoever withdrew only that, and the arm, is known."""
    by_then = Q(withdrawn_at__isnull=False) | Q(player__created_at__lte=until)
    begun, ended = Q(games__started_at__lte=until), Q(games__finished_at__lte=until)
    wrong = Answer.objects.filter(participant=OuterRef("pk"), passed=False, page_finished=True)
    found = trial.participants.filter(by_then, consent__isnull=False).select_related("trial")
    return found.annotate(
        trained=Count("games", filter=begun & Q(games__phase__in=["", TRAINING])),
        done=Count("games", filter=ended),
        asked_about=Count("games", filter=ended & Q(games__phase=outcome)),
        wrong=Exists(wrong.filter(key__in=_rules_asked(trial), at__lte=until)),
    ).order_by("number")


def _rules_asked(trial: Trial) -> list[str]:
    """Questions with a right answer: before it was noted with the place which check was failed,
    they alone ended a part."""
    asked = questionnaire(trial)
    return [key for key, item in asked.items.items() if item.question.right] if asked else []


def _left_out(trial: Trial, until: datetime) -> set[int]:
    locked = Preregistration.objects.filter(trial=trial, locked_at__lte=until).first()
    return set().union(*whom(trial, until, locked.exclusions).values()) if locked else set()


def _passage(one: Any, left_out: set[int], until: datetime) -> FlowPerson:
    given = one.assigned_at is not None and one.assigned_at <= until
    screened = one.screened_out_at is not None and one.screened_out_at <= until
    return FlowPerson(
        order=one.order if given else None,
        recruited=one.recruited,
        withdrew=one.withdrawn_at is not None and one.withdrawn_at <= until,
        screened_out=screened,
        failed_check=screened and (one.failed_check or one.wrong),
        began=one.trained > 0,
        finished=one.done >= one.games_planned,
        left_out=one.pk in left_out,
        measured=one.asked_about > 0,
    )


def all_orders(design: TrialDesign) -> Sequence[tuple[int, ...]]:
    """What the lot can give, those first that nobody has got yet among them."""
    return [design.order(condition) for condition in range(design.conditions)]
