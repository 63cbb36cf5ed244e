"""The quality of each participant's games: haste, a hidden page, and play that is too good.

Pages show these figures to the researcher, exports contain them, and exclusion rules use them.
Games with a coach count only for haste and the hidden page.
"""

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from statistics import median, quantiles

from django.db.models import Count, QuerySet, Sum
from django.db.models.functions import Coalesce

from game.core.words.phrases import format_percent, format_points
from game.core.worth.too_good import read_expert_losses
from game.models import Decision, Game
from game.trials.files.export_queries import STAYED
from game.trials.models import Participant, Trial, TrialEvent
from solver.statistics.chi_squared import bound_chance


@dataclass(frozen=True, slots=True)
class Likeness:
    """The ``chance`` that an expert loses at most ``lost`` points in ``games`` games."""

    games: int
    lost: float
    chance: float

    @property
    def lost_a_game(self) -> float:
        return self.lost / self.games


@dataclass(frozen=True, slots=True)
class Quality:
    """A participant's speed, attention and similarity to perfect play. Missing figures are None.

    ``hidden`` is the share of decisions during which the page was hidden."""

    seconds: float | None = None
    hidden: float | None = None
    likeness: Likeness | None = None


def measure_quality(trial: Trial, until: datetime) -> Mapping[int, Quality]:
    """Return the figures by key, for everyone who agreed, did not withdraw and made a decision."""
    times = map_decision_times(trial, until)
    seconds, hidden = calculate_medians(times), calculate_hidden_shares(trial, until, times)
    alike = measure_likeness(trial, until)
    keys = {*seconds, *alike}
    return {key: Quality(seconds.get(key), hidden.get(key), alike.get(key)) for key in keys}


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


def measure_likeness(trial: Trial, until: datetime) -> Mapping[int, Likeness]:
    """Compare uncoached games of known cost with perfect play, only by the trial's own rules."""
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
    return {
        key: Likeness(games, points_lost, bound_chance(honest, games, points_lost))
        for key, games, points_lost in rows
    }


def _query_people(trial: Trial) -> QuerySet[Participant]:
    return trial.participants.filter(STAYED)


def _list_choices(trial: Trial, until: datetime) -> QuerySet[Decision]:
    """Return the decisions with more than one option. Omit the first rolls of turns."""
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


FEWEST = 4  # fewest people for whom the page shows quartiles
SELDOM = 0.01  # the page shows smaller chances as "once in N"

Written = Callable[[float], str]


@dataclass(frozen=True, slots=True)
class QualityLine:
    name: str
    seconds: str = ""
    hidden: str = ""
    games: str = ""
    lost: str = ""
    chance: str = ""


@dataclass(frozen=True, slots=True)
class QualityPage:
    """The lines of the page, one per participant. ``usual`` has, for each column, the range of the
    middle half of participants, or None if there are too few participants."""

    lines: Sequence[QualityLine]
    usual: QualityLine | None


def make_quality_page(trial: Trial, until: datetime) -> QualityPage:
    by_participant = measure_quality(trial, until)
    people = trial.participants.filter(STAYED).order_by("number")
    lines = [
        _make_line(participant.label, by_participant.get(participant.pk, Quality()))
        for participant in people
    ]
    return QualityPage(lines, _find_middle_half(by_participant.values()))


def _make_line(name: str, quality: Quality) -> QualityLine:
    alike = quality.likeness
    return QualityLine(
        name,
        seconds=_format_seconds(quality.seconds) if quality.seconds is not None else "",
        hidden=format_percent(quality.hidden) if quality.hidden is not None else "",
        games=str(alike.games) if alike else "",
        lost=_format_loss(alike.lost_a_game) if alike else "",
        chance=_format_chance(alike) if alike else "",
    )


def _find_middle_half(everybody: Iterable[Quality]) -> QualityLine | None:
    """Return the range of the middle half of people per column; None for too few people."""
    known = list(everybody)
    alike = [quality.likeness.lost_a_game if quality.likeness else None for quality in known]
    usual = QualityLine(
        "Half of the participants are between",
        seconds=_format_middle_half([quality.seconds for quality in known], _format_seconds),
        hidden=_format_middle_half([quality.hidden for quality in known], format_percent),
        lost=_format_middle_half(alike, _format_loss),
    )
    return usual if usual.seconds else None


def _format_middle_half(values: Iterable[float | None], written: Written) -> str:
    known = [value for value in values if value is not None]
    if len(known) < FEWEST:
        return ""
    low, _median, high = quantiles(known, n=4, method="inclusive")
    return f"{written(low)} to {written(high)}"


def _format_seconds(seconds: float) -> str:
    return f"{format_points(seconds, 1)} s"


def _format_loss(points_lost: float) -> str:
    return format_points(points_lost, 2)


def _format_chance(likeness: Likeness) -> str:
    if likeness.chance >= SELDOM:
        return format_percent(likeness.chance)
    return f"once in {format_points(1 / likeness.chance, 0)}"
