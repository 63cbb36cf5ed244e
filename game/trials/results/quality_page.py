"""The page that tells how far each participant's games can be relied on, beside what is usual."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from statistics import quantiles

from game.models import Trial
from game.selectors.export import STAYED
from game.trials.results.quality import Likeness, Quality, qualities
from game.words.phrases import percent, points

FEWEST = 4  # people of whom a middle half can be told
SELDOM = 0.01  # from here on a chance is told as once in so many times

Written = Callable[[float], str]


@dataclass(frozen=True, slots=True)
class QualityLine:
    """As a person reads it; nothing stands where nothing is known."""

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
    if trial.masked:  # what their games cost is told with the results
        found = {key: replace(one, likeness=None) for key, one in found.items()}
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
    """What each column has in its middle half, of whom it knows enough."""
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
