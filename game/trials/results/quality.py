"""The quality of each participant's games: haste, a hidden page, and play that is too good.

Exports contain these figures, and rules of exclusion use them. Games with a coach count only for
haste and the hidden page.
"""

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from statistics import median

from django.db.models import Count, QuerySet, Sum
from django.db.models.functions import Coalesce

from game.core.worth.too_good import read_expert_losses
from game.models import Decision, Game
from game.trials.files.export_queries import STAYED
from game.trials.models import Participant, Trial, TrialEvent
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
    seconds, hidden = calculate_medians(times), calculate_hidden_shares(trial, until, times)
    chances = calculate_chances(trial, until)
    keys = {*seconds, *chances}
    return {key: Quality(seconds.get(key), hidden.get(key), chances.get(key)) for key in keys}


def map_decision_times(trial: Trial, until: datetime) -> Mapping[int, list[int]]:
    """Return milliseconds per decision, by participant; prefer times measured in the browser."""
    waited = Coalesce("client_milliseconds", "milliseconds")
    times: dict[int, list[int]] = defaultdict(list)
    rows = _list_choices(trial, until).values_list("game__trial_game__participant", waited)
    for key, milliseconds in rows.iterator():
        times[key].append(milliseconds)
    return times


def calculate_medians(times: Mapping[int, list[int]]) -> Mapping[int, float]:
    """Return each participant's median seconds per decision."""
    return {key: median(each) / 1000 for key, each in times.items()}


def calculate_hidden_shares(
    trial: Trial, until: datetime, times: Mapping[int, list[int]]
) -> Mapping[int, float]:
    """Return each participant's share of decisions during which the page was hidden."""
    moments = _map_hidden_moments(trial)
    during = _count_hidden(trial, until, moments) if moments else Counter[int]()
    return {key: during[key] / len(each) for key, each in times.items()}


def calculate_chances(trial: Trial, until: datetime) -> Mapping[int, float]:
    """Return for each participant the chance that an expert loses no more points in as many games.
    Count only games without a coach, by the trial's own rules, and with a known cost."""
    honest = read_expert_losses(trial.rules)
    if not honest:
        return {}
    judged = Game.objects.filter(
        trial_game__participant__in=_query_people(trial),
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


def _query_people(trial: Trial) -> QuerySet[Participant]:
    return trial.participants.filter(STAYED)


def _list_choices(trial: Trial, until: datetime) -> QuerySet[Decision]:
    """Return the decisions with several options, except those after a turn's first roll."""
    made = Decision.objects.filter(
        game__trial_game__participant__in=_query_people(trial), created_at__lte=until
    )
    return made.filter(roll__gt=0, forced=False)


def _map_hidden_moments(trial: Trial) -> Mapping[int, list[datetime]]:
    hidden = trial.events.filter(kind=TrialEvent.Kind.HIDDEN)
    moments: dict[int, list[datetime]] = defaultdict(list)
    for key, at in hidden.order_by("at").values_list("participant_id", "at"):
        moments[key].append(at)
    return moments


def _count_hidden(
    trial: Trial, until: datetime, moments: Mapping[int, list[datetime]]
) -> Counter[int]:
    counts: Counter[int] = Counter()
    decided = _list_choices(trial, until).filter(game__trial_game__participant__in=moments)
    rows = decided.values_list("game__trial_game__participant", "created_at", "milliseconds")
    for key, at, waited in rows.iterator():
        began = at - timedelta(milliseconds=waited)
        counts[key] += bisect_right(moments[key], at) > bisect_right(moments[key], began)
    return counts
