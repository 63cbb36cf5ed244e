"""The quality of each participant's games, and the rules of a locked analysis that exclude people.

Exports contain the quality: haste, a hidden page, and play that is too good. Games with a coach
count only for haste and the hidden page.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from statistics import median

from django.db.models import Count, Q, QuerySet, Sum
from django.db.models.functions import Coalesce

from game.core.worth.too_good import read_expert_losses
from game.models import Decision, Game
from game.trials.analysis.describe import group_values
from game.trials.files.export_queries import STAYED
from game.trials.models import MOST_GAMES, Participant, Trial, TrialEvent
from game.trials.questions.reading import map_question_items
from game.trials.reading import query_shared_browser
from solver.statistics.chi_squared import bound_chance


@dataclass(frozen=True, slots=True)
class Quality:
    """A participant's speed, attention and expert chance. A figure is None if there are no data for
    it. ``hidden`` is the share of decisions during which the page was hidden."""

    seconds: float | None = None
    hidden: float | None = None
    chance: float | None = None  # chance that an expert loses no more points


def measure_quality(trial: Trial, until: datetime) -> Mapping[int, Quality]:
    """Return the figures by key, for all who agreed, did not withdraw and made a decision."""
    times = map_decision_times(trial, until)
    events = trial.events.filter(kind=TrialEvent.Kind.HIDDEN)
    # times at which each participant's page was hidden
    moments = group_values(events.order_by("at").values_list("participant_id", "at"))
    during: Counter[int] = Counter()  # number of decisions during which the page was hidden
    if moments:
        decided = _list_choices(trial, until).filter(game__trial_game__participant__in=moments)
        rows = decided.values_list("game__trial_game__participant", "created_at", "milliseconds")
        for key, at, waited in rows.iterator():
            began = at - timedelta(milliseconds=waited)
            during[key] += bisect_right(moments[key], at) > bisect_right(moments[key], began)
    chances = calculate_chances(trial, until)
    return {
        key: Quality(
            median(times[key]) / 1000 if key in times else None,
            during[key] / len(times[key]) if key in times else None,
            chances.get(key),
        )
        for key in {**times, **chances}
    }


def map_decision_times(trial: Trial, until: datetime) -> Mapping[int, list[int]]:
    """Return milliseconds per decision, by participant; prefer times measured in the browser."""
    waited = Coalesce("client_milliseconds", "milliseconds")
    rows = _list_choices(trial, until).values_list("game__trial_game__participant", waited)
    return group_values(rows.iterator())


def calculate_chances(trial: Trial, until: datetime) -> Mapping[int, float]:
    """Return for each participant the chance that an expert loses no more points in as many games.
    Count only games without a coach, by the trial's own rules, and with a known cost."""
    honest = read_expert_losses(trial.rules)
    if not honest:
        return {}
    judged = Game.objects.filter(
        trial_game__participant__in=_query_stayed(trial),
        ruleset=trial.ruleset,
        coach=Game.Coach.OFF,
        finished_at__lte=until,
        regret__isnull=False,
    )
    rows = (
        judged.order_by()
        .values_list("trial_game__participant")
        .annotate(n=Count("pk"), lost=Sum("regret"))
    )
    return {key: bound_chance(honest, games, points_lost) for key, games, points_lost in rows}


def _list_choices(trial: Trial, until: datetime) -> QuerySet[Decision]:
    """Return the decisions with several options, except those after a turn's first roll."""
    made = Decision.objects.filter(
        game__trial_game__participant__in=_query_stayed(trial), created_at__lte=until
    )
    return made.filter(roll__gt=0, forced=False)


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


def _query_stayed(trial: Trial) -> QuerySet[Participant]:
    return trial.participants.filter(STAYED)


def find_inattentive_people(trial: Trial, until: datetime) -> set[int]:
    """Return the participants who failed an attention check. A question about the rules of the game
    is no attention check."""
    items = map_question_items(trial).items()
    checks = [key for key, item in items if item.question.attention]
    failed = Q(answers__passed=False, answers__page_finished=True, answers__at__lte=until)
    return _collect_keys(_query_stayed(trial).filter(failed, answers__key__in=checks))


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
            lambda trial, until, _number: _collect_keys(
                _query_stayed(trial).filter(query_shared_browser(until))
            ),
        ),
        ExclusionRule(
            "hasty",
            "people whose median decision takes less than %(number)s milliseconds",
            lambda trial, until, milliseconds: {
                key
                for key, times in map_decision_times(trial, until).items()
                if median(times) < milliseconds
            },
            takes_number=True,
            most=60_000,
        ),
        ExclusionRule(
            "fewer_games",
            "people who finished fewer than %(number)s games",
            lambda trial, until, least: _collect_keys(
                _query_stayed(trial)
                .annotate(ended=Count("games", filter=Q(games__game__finished_at__lte=until)))
                .filter(ended__lt=least)
            ),
            takes_number=True,
        ),
        ExclusionRule(
            "too_good",
            (
                "people who lose so few points that an honest grandmaster would do so less often"
                " than once in %(number)s times"
            ),
            lambda trial, until, once_in: {
                key
                for key, chance in calculate_chances(trial, until).items()
                if chance * once_in < 1
            },
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
