"""Whom a rule of exclusion leaves out, as a trial stood at a moment: participants by their keys."""

from datetime import datetime

from django.db.models import Count, Q, QuerySet

from game.models import Participant, Trial
from game.selectors.export import STAYED
from game.trials.questions.reading import questionnaire
from game.trials.reading import browser_shared


def with_fewer_games(trial: Trial, until: datetime, least: int) -> set[int]:
    ended = Count("games", filter=Q(games__finished_at__lte=until))
    return _keys(_stayed(trial).annotate(ended=ended).filter(ended__lt=least))


def with_an_older_consent(trial: Trial, until: datetime) -> set[int]:
    """Who has not agreed to the text that counted at that moment."""
    latest = trial.consents.filter(created_at__lte=until).order_by("version").last()
    agreed = Q(agreements__consent=latest, agreements__at__lte=until)
    return _keys(_stayed(trial).exclude(pk__in=_keys(_stayed(trial).filter(agreed))))


def who_practised(trial: Trial, until: datetime) -> set[int]:
    """With a program that judges moves, as they answered."""
    practised = Q(strategy=Participant.Strategy.PROGRAM, answered_at__lte=until)
    return _keys(_stayed(trial).filter(practised))


def who_failed_a_check(trial: Trial, until: datetime) -> set[int]:
    """Of whichever kind."""
    return _keys(_stayed(trial).filter(_failed(until)))


def who_failed_attention(trial: Trial, until: datetime) -> set[int]:
    """Who paid no attention; a question about the rules tells whether they were understood."""
    asked = questionnaire(trial)
    items = asked.items.items() if asked else ()
    checks = [key for key, item in items if item.question.attention]
    return _keys(_stayed(trial).filter(_failed(until) & Q(answers__key__in=checks)))


def who_was_screened_out(trial: Trial, until: datetime) -> set[int]:
    return _keys(_stayed(trial).filter(screened_out_at__lte=until))


def _failed(until: datetime) -> Q:
    return Q(answers__passed=False, answers__page_finished=True, answers__at__lte=until)


def who_shared_a_browser(trial: Trial, until: datetime) -> set[int]:
    """Both may be one person, or have looked on while the other played."""
    return _keys(_stayed(trial).filter(browser_shared(until)))


def labels_of(trial: Trial, keys: set[int]) -> list[str]:
    return [one.label for one in trial.participants.filter(pk__in=keys).order_by("number")]


def _stayed(trial: Trial) -> QuerySet[Participant]:
    return trial.participants.filter(STAYED)


def _keys(found: QuerySet[Participant]) -> set[int]:
    return set(found.values_list("pk", flat=True))
