"""Rules by which a preregistered analysis may exclude people, and functions that find them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Q, QuerySet

from game.trials.files.export_queries import STAYED
from game.trials.models import Participant, Trial
from game.trials.models.trial import MOST_GAMES
from game.trials.questions.reading import load_questionnaire
from game.trials.reading import query_shared_browser
from game.trials.results.quality import calculate_chances, calculate_medians, map_decision_times


@dataclass(frozen=True, slots=True)
class ExclusionRule:
    """A rule as text. ``%(number)s`` stands for a number that staff choose, up to ``most``."""

    name: str
    words: str
    finds: Callable[[Trial, datetime, int], set[int]]
    takes_number: bool = False
    most: int = MOST_GAMES

    def format_sentence(self, number: int | str) -> str:
        return self.words % {"number": number}


def find_hasty_people(trial: Trial, until: datetime, milliseconds: int) -> set[int]:
    seconds_by_person = calculate_medians(map_decision_times(trial, until))
    return {key for key, seconds in seconds_by_person.items() if seconds * 1000 < milliseconds}


def find_too_good_people(trial: Trial, until: datetime, once_in: int) -> set[int]:
    return {key for key, chance in calculate_chances(trial, until).items() if chance * once_in < 1}


def find_with_fewer_games(trial: Trial, until: datetime, least: int) -> set[int]:
    ended = Count("games", filter=Q(games__game__finished_at__lte=until))
    return _collect_keys(_query_stayed(trial).annotate(ended=ended).filter(ended__lt=least))


def find_inattentive_people(trial: Trial, until: datetime) -> set[int]:
    """Return the participants who failed an attention check. A question about the rules of the game
    is no attention check."""
    asked_questions = load_questionnaire(trial)
    items = asked_questions.items.items() if asked_questions else ()
    checks = [key for key, item in items if item.question.attention]
    failed = Q(answers__passed=False, answers__page_finished=True, answers__at__lte=until)
    return _collect_keys(_query_stayed(trial).filter(failed & Q(answers__key__in=checks)))


def find_browser_sharers(trial: Trial, until: datetime) -> set[int]:
    """Return participants who used the same browser: they may be one person, or may have watched
    each other."""
    return _collect_keys(_query_stayed(trial).filter(query_shared_browser(until)))


def _query_stayed(trial: Trial) -> QuerySet[Participant]:
    return trial.participants.filter(STAYED)


def _collect_keys(participants: QuerySet[Participant]) -> set[int]:
    return set(participants.values_list("pk", flat=True))


EXCLUSIONS: Mapping[str, ExclusionRule] = {
    rule.name: rule
    for rule in (
        ExclusionRule(
            "failed_attention",
            "people who failed an attention check",
            lambda trial, until, _number: find_inattentive_people(trial, until),
        ),
        ExclusionRule(
            "shared_browser",
            "people who shared a browser with another participant",
            lambda trial, until, _number: find_browser_sharers(trial, until),
        ),
        ExclusionRule(
            "hasty",
            "people whose median decision takes less than %(number)s milliseconds",
            find_hasty_people,
            takes_number=True,
            most=60_000,
        ),
        ExclusionRule(
            "fewer_games",
            "people who finished fewer than %(number)s games",
            find_with_fewer_games,
            takes_number=True,
        ),
        ExclusionRule(
            "too_good",
            (
                "people who lose so few points that an honest grandmaster would do so less often"
                " than once in %(number)s times"
            ),
            find_too_good_people,
            takes_number=True,
            most=1_000_000,
        ),
    )
}


def find_excluded(trial: Trial, until: datetime, chosen: Mapping[str, int]) -> dict[str, set[int]]:
    """Return the keys of excluded people for each rule. Skip rules of other versions."""
    return {
        name: EXCLUSIONS[name].finds(trial, until, number)
        for name, number in chosen.items()
        if name in EXCLUSIONS
    }
