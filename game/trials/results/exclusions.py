"""Rules by which a preregistered analysis may leave people out, and whom each finds."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Q, QuerySet

from game.models import Participant, Trial
from game.models.trial import MOST_GAMES
from game.trials.files.export_queries import STAYED
from game.trials.questions.reading import questionnaire
from game.trials.reading import browser_shared
from game.trials.results.quality import (
    hidden_shares,
    likenesses,
    medians,
    times_of_decisions,
)


@dataclass(frozen=True, slots=True)
class ExclusionRule:
    """``words`` name those who are left out, with a place for the ``number`` where it takes one,
    which is ``most`` at most."""

    name: str
    words: str
    finds: Callable[[Trial, datetime, int], set[int]]
    takes_number: bool = False
    most: int = MOST_GAMES
    offered: bool = True  # what was once locked is still done, and not chosen any more

    def told(self, number: int | str) -> str:
        return self.words % {"number": number}


def who_was_hasty(trial: Trial, until: datetime, milliseconds: int) -> set[int]:
    found = medians(times_of_decisions(trial, until))
    return {key for key, seconds in found.items() if seconds * 1000 < milliseconds}


def who_hid_the_page(trial: Trial, until: datetime, percent: int) -> set[int]:
    found = hidden_shares(trial, until, times_of_decisions(trial, until))
    return {key for key, share in found.items() if share * 100 > percent}


def who_played_too_well(trial: Trial, until: datetime, once_in: int) -> set[int]:
    return {key for key, one in likenesses(trial, until).items() if one.chance * once_in < 1}


def with_fewer_games(trial: Trial, until: datetime, least: int) -> set[int]:
    ended = Count("games", filter=Q(games__finished_at__lte=until))
    return _keys(_stayed(trial).annotate(ended=ended).filter(ended__lt=least))


def with_an_older_consent(trial: Trial, until: datetime) -> set[int]:
    """Return the people who had not agreed to the text that was current then."""
    latest = trial.consents.filter(created_at__lte=until).order_by("version").last()
    agreed = Q(agreements__consent=latest, agreements__at__lte=until)
    return _keys(_stayed(trial).exclude(pk__in=_keys(_stayed(trial).filter(agreed))))


def who_practised(trial: Trial, until: datetime) -> set[int]:
    """Return who has practised with a program that judges moves."""
    practised = Q(strategy=Participant.Strategy.PROGRAM, answered_at__lte=until)
    return _keys(_stayed(trial).filter(practised))


def who_failed_a_check(trial: Trial, until: datetime) -> set[int]:
    """Return the people who failed a check of any kind."""
    return _keys(_stayed(trial).filter(_failed(until)))


def who_failed_attention(trial: Trial, until: datetime) -> set[int]:
    """Return the people who failed an attention check; questions about the rules are not
    counted."""
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


EXCLUSIONS: Mapping[str, ExclusionRule] = {
    rule.name: rule
    for rule in (
        ExclusionRule(
            "fewer_games",
            "whoever has finished fewer than %(number)s games",
            with_fewer_games,
            takes_number=True,
        ),
        ExclusionRule(
            "older_consent",
            "whoever has not agreed to the latest version of the text",
            lambda trial, until, _number: with_an_older_consent(trial, until),
        ),
        ExclusionRule(
            "practised",
            "whoever has practised with a program that judges moves",
            lambda trial, until, _number: who_practised(trial, until),
        ),
        ExclusionRule(
            "failed_check",
            "whoever has failed a check of attention",
            lambda trial, until, _number: who_failed_a_check(trial, until),
            offered=False,
        ),
        ExclusionRule(
            "failed_attention",
            "whoever has failed a check of attention, and not those who were screened out",
            lambda trial, until, _number: who_failed_attention(trial, until),
        ),
        ExclusionRule(
            "screened_out",
            "whoever was screened out by an answer, also to a question about the rules",
            lambda trial, until, _number: who_was_screened_out(trial, until),
        ),
        ExclusionRule(
            "shared_browser",
            "whoever was in one browser with another participant",
            lambda trial, until, _number: who_shared_a_browser(trial, until),
        ),
        ExclusionRule(
            "hasty",
            "whoever takes less than %(number)s milliseconds a decision, in the median",
            who_was_hasty,
            takes_number=True,
            most=60_000,
        ),
        ExclusionRule(
            "page_hidden",
            "whoever had the page hidden in more than %(number)s %% of the decisions",
            who_hid_the_page,
            takes_number=True,
            most=99,
        ),
        ExclusionRule(
            "too_good",
            (
                "whoever loses so little in all games that an honest grandmaster does so less"
                " often than once in %(number)s times"
            ),
            who_played_too_well,
            takes_number=True,
            most=1_000_000,
        ),
    )
}


def whom(trial: Trial, until: datetime, chosen: Mapping[str, int]) -> dict[str, set[int]]:
    return {
        name: EXCLUSIONS[name].finds(trial, until, number)
        for name, number in chosen.items()
        if name in EXCLUSIONS
    }
