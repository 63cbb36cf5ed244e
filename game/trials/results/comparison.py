"""A trial beside perfect play, the strategies of the lab and the people of the published study."""

from collections.abc import Iterator
from dataclasses import dataclass

from game.core.words.phrases import lost as of_loss
from game.core.words.phrases import points, signed
from game.lab.labels import PLAYERS
from game.lab.players import LabPlayer, everybody, lab_player, percent
from game.models import Trial
from game.trials.results.words import ends
from solver.dp.arrays import Floats
from solver.exact.distribution import Distribution
from solver.rules import Ruleset
from solver.statistics.inference import Interval
from solver.statistics.trial import Analysis, Conditions, Person
from solver.study.published import HUMANS, Published, published, reported

PERFECT = "optimal"


@dataclass(frozen=True, slots=True)
class ComparisonLine:
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


@dataclass(frozen=True, slots=True)
class TrialTen:
    """A row of the study's table of people, for this trial; beside it what it is compared with."""

    low: int
    high: int
    count: int
    share: str
    up_to_here: str
    perfect: str
    study: str


@dataclass(frozen=True, slots=True)
class PersonLine:
    name: str
    games: int
    mean: str
    luck: str
    lost: str
    skill: str
    range: str
    bonus: str
    others: "ToldDifference | None"
    perfect: "ToldDifference | None"


@dataclass(frozen=True, slots=True)
class ToldDifference:
    mean: str
    range: str


def comparison(trial: Trial, of: Analysis, conditions: Conditions) -> list[ComparisonLine]:
    strategies = [player for player in everybody(trial.rules) if player.pk != PERFECT]
    study = published(HUMANS, trial.rules)
    return [
        _own(trial, of),
        _perfect(trial.rules, conditions),
        *([_people(study)] if study else []),
        *(_exactly(told) for told in strategies),
    ]


def _own(trial: Trial, of: Analysis) -> ComparisonLine:
    scores = of.scores
    if scores is None:
        return ComparisonLine(trial.title, own=True, games="0")
    return ComparisonLine(
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


def _people(study: Published) -> ComparisonLine:
    return ComparisonLine(
        "The published study's people",
        games=points(reported()[HUMANS]["games"], 0),
        mean=points(study.mean, 2),
        median=points(study.median, 0),
        deviation=points(study.deviation_of_counts, 2),
        most=str(study.most),
        least=str(study.least),
        range=str(study.most - study.least),
    )


def _perfect(rules: Ruleset, conditions: Conditions) -> ComparisonLine:
    """Return the line of perfect play, with its mean and spread alone for large rulesets."""
    if exact := lab_player(PERFECT, rules):
        return _exactly(exact)
    start, deviation = conditions.value_start, conditions.deviation
    return ComparisonLine(
        str(PLAYERS[PERFECT].name),
        mean=points(start, 2) if start is not None else "",
        deviation=points(deviation, 2) if deviation is not None else "",
    )


def _exactly(told: LabPlayer) -> ComparisonLine:
    known = told.figures
    return ComparisonLine(
        str(told.name),
        mean=known.mean,
        median=str(known.median),
        deviation=known.deviation,
        bonus=known.bonus,
    )


def tens(rules: Ruleset, of: Analysis, best: Distribution | None) -> Iterator[TrialTen]:
    """From the first ten that has a game to the last."""
    ideal = best.in_tens() if best else None
    study = published(HUMANS, rules)
    for ten in of.tens:
        at = ten.low // 10
        yield TrialTen(
            ten.low,
            ten.low + 9,
            ten.count,
            percent(ten.share),
            percent(ten.up_to_here),
            _share(ideal, at),
            _share(study.shares if study else None, at),
        )


def _share(shares: Floats | None, at: int) -> str:
    if shares is None:
        return ""
    return percent(float(shares[at]) if at < len(shares) else 0.0)


def person_line(of: Person, start: float | None) -> PersonLine:
    luck, lost = (of.luck, of.lost) if start is not None else (None, None)
    return PersonLine(
        name=of.participant,
        games=of.games,
        mean=points(of.mean),
        luck="" if luck is None else signed(luck),
        lost="" if lost is None else of_loss(lost),
        skill="" if lost is None or start is None else points(start - lost),
        range="{low} to {high}".format(**ends(of.skill)) if of.skill else "",
        bonus=percent(of.bonus_share),
        others=_difference(of.against_others),
        perfect=_difference(of.against_perfect),
    )


def _difference(span: Interval | None) -> ToldDifference | None:
    if span is None:
        return None
    told = {"low": signed(span.low), "high": signed(span.high)}
    return ToldDifference(signed(span.mean), "{low} to {high}".format(**told))
