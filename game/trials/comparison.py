"""A trial beside perfect play, the strategies of the lab and the people of the published study."""

from dataclasses import dataclass

from django.utils.translation import gettext as _

from game.coach.words import points
from game.lab_pages import Told, everybody, percent
from game.models import Trial
from solver.lab.histograms import HUMANS, Published, published
from solver.lab.published import reported
from solver.lab.trial_figures import Analysis, Conditions


@dataclass(frozen=True, slots=True)
class Line:
    """As a person reads it; nothing stands where nothing is known."""

    name: str
    games: str = ""
    mean: str = ""
    median: str = ""
    deviation: str = ""
    most: str = ""
    least: str = ""
    range: str = ""
    bonus: str = ""
    own: bool = False
    unknown: bool = False  # until the lab has worked it out


def comparison(trial: Trial, of: Analysis, conditions: Conditions) -> list[Line]:
    perfect, *strategies = everybody()
    study = published(HUMANS)
    return [
        _own(trial, of),
        _perfect(perfect, conditions),
        *([_people(study)] if study else []),
        *(_exactly(told) for told in strategies),
    ]


def _own(trial: Trial, of: Analysis) -> Line:
    scores = of.scores
    if scores is None:
        return Line(trial.title, own=True, games="0")
    return Line(
        trial.title,
        games=points(of.games, 0),
        mean=points(scores.mean, 2),
        median=points(scores.median, 0 if scores.median % 1 == 0 else 1),
        deviation=points(scores.deviation, 2) if scores.deviation is not None else "",
        most=str(scores.most),
        least=str(scores.least),
        range=str(scores.range),
        bonus=percent(of.bonus_share or 0.0),
        own=True,
    )


def _people(study: Published) -> Line:
    return Line(
        _("The published study's people"),
        games=points(reported()[HUMANS]["games"], 0),
        mean=points(study.mean, 2),
        median=points(study.median, 0),
        most=str(study.most),
        least=str(study.least),
        range=str(study.most - study.least),
    )


def _perfect(told: Told, conditions: Conditions) -> Line:
    """What the table alone knows of it, while the lab does not know more."""
    start, deviation = conditions.value_start, conditions.deviation
    if told.exact or start is None:
        return _exactly(told)
    spread = points(deviation, 2) if deviation is not None else ""
    return Line(str(told.name), mean=points(start, 2), deviation=spread, unknown=True)


def _exactly(told: Told) -> Line:
    known = told.figures
    if known is None:
        return Line(str(told.name), unknown=True)
    return Line(
        str(told.name),
        mean=known.mean,
        median=str(known.median),
        deviation=known.deviation,
        bonus=known.bonus,
    )
