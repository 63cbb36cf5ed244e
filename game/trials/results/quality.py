"""The quality of each participant's games: haste, a hidden page, and playing too well.

A number of each for everybody, as the trial stood at a moment: shown to its researcher, exported,
and what rules of exclusion ask about. Games with a coach count for haste and the page alone.
"""

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from statistics import median, quantiles

from django.db.models import Count, QuerySet, Sum
from django.db.models.functions import Coalesce

from game.core.words.phrases import percent, points
from game.core.worth.too_good import expert_games
from game.models import Decision, Game, Participant, Trial, TrialEvent
from game.trials.files.export_queries import STAYED
from solver.statistics.likeness import chance


@dataclass(frozen=True, slots=True)
class Likeness:
    """``chance`` is that of an honest expert to lose as little in so many games, at most."""

    games: int
    lost: float
    chance: float

    @property
    def lost_a_game(self) -> float:
        return self.lost / self.games


@dataclass(frozen=True, slots=True)
class Quality:
    """None where nothing was decided yet, or no game could be compared.

    ``hidden`` is the share of decisions in whose time the page was hidden.
    """

    seconds: float | None = None
    hidden: float | None = None
    likeness: Likeness | None = None


def qualities(trial: Trial, until: datetime) -> Mapping[int, Quality]:
    """Return the quality figures of everyone who agreed, stayed and has done anything, by key."""
    times = times_of_decisions(trial, until)
    seconds, hidden = medians(times), hidden_shares(trial, until, times)
    alike = likenesses(trial, until)
    keys = {*seconds, *alike}
    return {key: Quality(seconds.get(key), hidden.get(key), alike.get(key)) for key in keys}


def times_of_decisions(trial: Trial, until: datetime) -> Mapping[int, list[int]]:
    """In milliseconds, by participant: the browser's time where it told one, which leaves out what
    the way to the server took."""
    waited = Coalesce("client_milliseconds", "milliseconds")
    times: dict[int, list[int]] = defaultdict(list)
    found = _decided(trial, until).values_list("game__participant_id", waited)
    for key, milliseconds in found.iterator():
        times[key].append(milliseconds)
    return times


def medians(times: Mapping[int, list[int]]) -> Mapping[int, float]:
    """Return the median seconds per decision."""
    return {key: median(each) / 1000 for key, each in times.items()}


def hidden_shares(
    trial: Trial, until: datetime, times: Mapping[int, list[int]]
) -> Mapping[int, float]:
    """When decisions were made is looked at of those alone whose page was ever hidden."""
    moments = _moments_hidden(trial)
    during = _hidden_meanwhile(trial, until, moments) if moments else Counter[int]()
    return {key: during[key] / len(each) for key, each in times.items()}


def likenesses(trial: Trial, until: datetime) -> Mapping[int, Likeness]:
    """Return how likely each player's loss is, by the trial's own rules, in judged games without
    a coach."""
    honest = expert_games(trial.rules)
    if not honest:
        return {}
    judged = Game.objects.filter(
        participant__in=_people(trial),
        ruleset=trial.ruleset,
        coach=Game.Coach.OFF,
        finished_at__lte=until,
        regret__isnull=False,
    )
    found = judged.order_by().values("participant_id").annotate(n=Count("pk"), lost=Sum("regret"))
    facts = {row["participant_id"]: (row["n"], row["lost"]) for row in found}
    return {
        key: Likeness(games, lost, chance(honest, games, lost))
        for key, (games, lost) in facts.items()
    }


def _people(trial: Trial) -> QuerySet[Participant]:
    return trial.participants.filter(STAYED)


def _decided(trial: Trial, until: datetime) -> QuerySet[Decision]:
    """Return the decisions with a choice; the first roll of a turn decides nothing."""
    made = Decision.objects.filter(game__participant__in=_people(trial), created_at__lte=until)
    return made.filter(roll__gt=0, forced=False)


def _moments_hidden(trial: Trial) -> Mapping[int, list[datetime]]:
    hidden = trial.events.filter(kind=TrialEvent.Kind.HIDDEN)
    moments: dict[int, list[datetime]] = defaultdict(list)
    for key, at in hidden.order_by("at").values_list("participant_id", "at"):
        moments[key].append(at)
    return moments


def _hidden_meanwhile(
    trial: Trial, until: datetime, moments: Mapping[int, list[datetime]]
) -> Counter[int]:
    """Count each person's decisions during which the page was hidden."""
    found: Counter[int] = Counter()
    decided = _decided(trial, until).filter(game__participant__in=moments)
    rows = decided.values_list("game__participant_id", "created_at", "milliseconds")
    for key, at, waited in rows.iterator():
        began = at - timedelta(milliseconds=waited)
        found[key] += bisect_right(moments[key], at) > bisect_right(moments[key], began)
    return found


FEWEST = 4  # people of whom a middle half can be told
SELDOM = 0.01  # from here on a chance is told as once in so many times

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
    """``usual`` is the middle half of the participants; None of too few."""

    lines: Sequence[QualityLine]
    usual: QualityLine | None


def quality_page(trial: Trial, until: datetime) -> QualityPage:
    found = qualities(trial, until)
    people = trial.participants.filter(STAYED).order_by("number")
    lines = [_line(one.label, found.get(one.pk, Quality())) for one in people]
    return QualityPage(lines, _usual(found.values()))


def _line(name: str, of: Quality) -> QualityLine:
    alike = of.likeness
    return QualityLine(
        name,
        seconds=_seconds(of.seconds) if of.seconds is not None else "",
        hidden=percent(of.hidden) if of.hidden is not None else "",
        games=str(alike.games) if alike else "",
        lost=_lost(alike.lost_a_game) if alike else "",
        chance=_chance(alike) if alike else "",
    )


def _usual(everybody: Iterable[Quality]) -> QualityLine | None:
    """Return the middle half of each column."""
    known = list(everybody)
    alike = [one.likeness.lost_a_game if one.likeness else None for one in known]
    usual = QualityLine(
        "Half of them are between",
        seconds=_middle_half([one.seconds for one in known], _seconds),
        hidden=_middle_half([one.hidden for one in known], percent),
        lost=_middle_half(alike, _lost),
    )
    return usual if usual.seconds else None


def _middle_half(values: Iterable[float | None], written: Written) -> str:
    known = [value for value in values if value is not None]
    if len(known) < FEWEST:
        return ""
    low, _median, high = quantiles(known, n=4, method="inclusive")
    return f"{written(low)} to {written(high)}"


def _seconds(of: float) -> str:
    return f"{points(of, 1)} s"


def _lost(of: float) -> str:
    return points(of, 2)


def _chance(of: Likeness) -> str:
    if of.chance >= SELDOM:
        return percent(of.chance)
    return f"once in {points(1 / of.chance, 0)}"
