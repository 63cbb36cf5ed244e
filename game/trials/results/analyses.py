"""The outcomes and analyses that a researcher can plan, a line each.

An analysis is a function of a ``Basis`` and an outcome. It finds sentences and figures, and says
so where there is too little to find anything in.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from math import nan

from django.db.models import QuerySet

from game.core.words.phrases import points, signed
from game.models import Game, Trial
from game.trials.design.reading import rulesets_of
from game.trials.results.arm_results import ArmData, arm_data
from game.trials.results.ranges import (
    PossibleMeans,
    answer_told,
    pair_told,
    possible_scores,
    possible_skill,
)
from game.trials.results.words import ends, p_value
from game.trials.results.words_arms import chance
from game.trials.results.words_estimand import answer_words
from solver.rules import Ruleset
from solver.statistics.arm_figures import ArmDifference, Measure
from solver.statistics.estimating import Estimand, PairAnswer
from solver.statistics.inference import Interval, Significance, less
from solver.statistics.trial import Analysis, Conditions, Estimate

COST, SCORE, A_DECISION = "cost", "score", "cost_a_decision"
OUTCOMES: Mapping[str, str] = {
    COST: "What decisions cost, in points a game",
    A_DECISION: "What decisions cost, in points a decision",
    SCORE: "The score",
}
BETWEEN_ARMS = "between_arms"


@dataclass(frozen=True)
class Basis:
    trial: Trial
    games: QuerySet[Game]
    conditions: Conditions
    analysis: Analysis
    until: datetime
    left_out: Sequence[str] = ()
    estimand: Estimand | None = None  # None in what was locked before there were any


@dataclass(frozen=True, slots=True)
class AnalysisFinding:
    sentences: Sequence[str]
    figures: Mapping[str, float | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PlannedAnalysis:
    """``finds`` is asked with the name of one of its ``outcomes``."""

    name: str
    words: str
    finds: Callable[[Basis, str], AnalysisFinding]
    outcomes: tuple[str, ...] = (COST, SCORE)


def these_people(basis: Basis, outcome: str) -> AnalysisFinding:
    mean, found = _of_these(basis, outcome)
    if outcome == COST:
        text = "What decisions cost these people: %(mean)s points a game."
    else:
        text = "The mean score of these people: %(mean)s."
    return _range(text, mean, found, _possible(basis, outcome))


def people_like_these(basis: Basis, outcome: str) -> AnalysisFinding:
    """Its middle is the mean of the people's means, whoever played more."""
    estimate = _estimate(basis, outcome)
    found = estimate.people_like_these if estimate else None
    found = _as_cost(basis, found) if outcome == COST else found
    mean = found.mean if found else None
    if outcome == COST:
        text = "What decisions cost people like these: %(mean)s points a game."
    else:
        text = "The mean score of people like these: %(mean)s."
    return _range(text, mean, found, _possible(basis, outcome))


def against_perfect(basis: Basis, outcome: str) -> AnalysisFinding:
    of = basis.analysis
    if outcome == COST:
        text = "Against play without a mistake: decisions cost %(mean)s points a game (%(p)s)."
        return _test(text, of.lost.mean if of.lost else None, of.lost.test if of.lost else None)
    text = "Against perfect play: the mean score is %(mean)s points from its own (%(p)s)."
    start = basis.conditions.value_start
    apart = of.raw.mean - start if of.raw and start is not None else None
    return _test(text, apart, of.raw_against_perfect)


def learning(basis: Basis, _outcome: str) -> AnalysisFinding:
    found = basis.analysis.learning
    slope, test = (found.slope, found.test) if found else (None, None)
    if slope is None or test is None:
        return _too_little()
    text = (
        "From one game to the next what decisions cost changes by %(mean)s points, 95 %% range"
        " %(low)s to %(high)s (%(p)s)."
    )
    facts = {name: signed(getattr(slope, name), 2) for name in ("mean", "low", "high")}
    return AnalysisFinding([text % (facts | {"p": p_value(test)})], _figures(slope) | {"p": test.p})


def between_arms(basis: Basis, outcome: str) -> AnalysisFinding:
    """Return the comparison by the locked estimand."""
    found = arm_data(basis.trial, basis.until, basis.left_out)
    if found is None or len(found.design.arms) < 2:
        return AnalysisFinding(["This trial has no arms to compare."])
    if basis.estimand is None:
        return _singly(found, outcome, rulesets_of(basis.trial))
    answer = found.answered(basis.estimand)
    if not any(pair.told for pair in answer.pairs):
        return _too_little()
    figures = {name: value for pair in answer.pairs for name, value in _figures_of(pair).items()}
    told = answer_told(answer, *rulesets_of(basis.trial))
    return AnalysisFinding(answer_words(told), figures)


def _figures_of(pair: PairAnswer) -> Mapping[str, float | None]:
    facts = {"mean": pair.estimate, "low": pair.low, "high": pair.high, "p": pair.p}
    alike = {"one-sided low": pair.alike_low, "one-sided high": pair.alike_high}
    return {f"{pair.arm} beside {pair.beside}: {name}": of for name, of in (facts | alike).items()}


def _singly(found: ArmData, outcome: str, rulesets: Sequence[Ruleset]) -> AnalysisFinding:
    """Every arm beside the first, in the phase that the trial asks about."""
    measure = _measure(outcome)
    pairs = [pair_told(pair, measure, *rulesets) for pair in found.singly(measure)]
    pairs = [pair for pair in pairs if _told_range(pair)]
    if not pairs:
        return _too_little()
    figures = {name: value for pair in pairs for name, value in _figures_of_pair(pair).items()}
    return AnalysisFinding([_told_pair(pair, outcome) for pair in pairs], figures)


def _measure(outcome: str) -> Measure:
    return "score" if outcome == SCORE else "cost"


def _told_range(pair: ArmDifference) -> tuple[float, float, float] | None:
    """With its p, which allows for several arms: that of the lot, else that of the model."""
    p = pair.p if pair.p_of_several is None else pair.p_of_several
    if p is None:
        return None
    if pair.lot and pair.lot.low is not None and pair.lot.high is not None:
        return pair.lot.low, pair.lot.high, p
    return (pair.model.low, pair.model.high, p) if pair.model else None


ANALYSES: Mapping[str, PlannedAnalysis] = {
    one.name: one
    for one in (
        PlannedAnalysis("these_people", "The mean of these people, with its range", these_people),
        PlannedAnalysis(
            "people_like_these",
            "The mean of people like these, with its range",
            people_like_these,
        ),
        PlannedAnalysis(
            "against_perfect",
            "The mean against that of perfect play",
            against_perfect,
        ),
        PlannedAnalysis(
            "learning",
            "Learning: the slope of the cost from game to game",
            learning,
            (COST,),
        ),
        PlannedAnalysis(
            BETWEEN_ARMS,
            "The difference between the arms",
            between_arms,
            (COST, A_DECISION, SCORE),
        ),
    )
}


def _estimate(basis: Basis, outcome: str) -> Estimate | None:
    return basis.analysis.skill if outcome == COST else basis.analysis.raw


def _of_these(basis: Basis, outcome: str) -> tuple[float | None, Interval | None]:
    """Everybody counts the same, however many games they have played."""
    estimate, start = _estimate(basis, outcome), basis.conditions.value_start
    if estimate is None:
        return None, None
    if outcome != COST:
        return estimate.first, estimate.these_people_alike
    mean = start - estimate.first if start is not None else None
    return mean, _as_cost(basis, estimate.these_people_alike)


def _as_cost(basis: Basis, skill: Interval | None) -> Interval | None:
    """Turn an interval of the skill estimate, which is perfect play less the cost, into one of the
    cost."""
    start = basis.conditions.value_start
    return less(start, skill) if skill and start is not None else None


def _possible(basis: Basis, outcome: str) -> PossibleMeans:
    rules = basis.trial.rules
    return possible_skill(basis.conditions, rules) if outcome == COST else possible_scores(rules)


def _range(
    text: str, mean: float | None, found: Interval | None, possible: PossibleMeans
) -> AnalysisFinding:
    """Return the finding with its figures; the sentence ends where nothing more is possible."""
    if mean is None:
        return _too_little()
    told = text % {"mean": points(mean)}
    figures = _figures(found) if found else {"mean": mean}
    span = possible.told(found)
    if span is None:
        return AnalysisFinding([told, "That is too little for a range."], figures)
    return AnalysisFinding([told, "95 % range: {low} to {high}.".format(**ends(span))], figures)


def _test(text: str, mean: float | None, test: Significance | None) -> AnalysisFinding:
    if mean is None or test is None:
        return _too_little()
    told = text % {"mean": signed(mean), "p": p_value(test)}
    return AnalysisFinding([told], {"mean": mean, "statistic": test.statistic, "p": test.p})


def _told_pair(pair: ArmDifference, outcome: str) -> str:
    if outcome == COST:
        text = (
            "“%(arm)s” beside “%(beside)s”: decisions cost %(mean)s points a game, 95 %% range"
            " %(low)s to %(high)s (%(p)s)."
        )
    else:
        text = (
            "“%(arm)s” beside “%(beside)s”: the score differs by %(mean)s points, 95 %% range"
            " %(low)s to %(high)s (%(p)s)."
        )
    low, high, p = _told_range(pair) or (nan, nan, nan)
    facts = {"mean": signed(pair.difference), "low": signed(low), "high": signed(high)}
    return text % (facts | {"arm": pair.arm, "beside": pair.beside, "p": chance(p)})


def _figures_of_pair(pair: ArmDifference) -> dict[str, float | None]:
    low, high, p = _told_range(pair) or (None, None, None)
    facts = {"mean": pair.difference, "low": low, "high": high, "p": p}
    return {f"{pair.arm} beside {pair.beside}: {name}": value for name, value in facts.items()}


def _figures(found: Interval) -> dict[str, float | None]:
    return {"mean": found.mean, "low": found.low, "high": found.high, "error": found.error}


def _too_little() -> AnalysisFinding:
    return AnalysisFinding(["There are too few games to tell."])
