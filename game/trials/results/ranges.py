"""Ranges as they are told, by one rule: a range ends where what it is about can go no further, at
both ends, and one that is wider than all that is possible is not told: so few people tell nothing.

What is worked out stays as it is; files for programs have it whole.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

from solver.dp.outcomes import most_points
from solver.rules import Ruleset
from solver.statistics.arm_figures import (
    MEASURES,
    ArmDifference,
    ArmMean,
    ArmsAnalysis,
    PhaseFigures,
)
from solver.statistics.estimating import EstimandAnswer, PairAnswer
from solver.statistics.inference import Interval
from solver.statistics.randomisation import Randomised
from solver.statistics.trial import Analysis, Conditions, Estimate, Person


@dataclass(frozen=True, slots=True)
class PossibleMeans:
    """The possible means of scores or costs, from ``low`` to ``high``."""

    low: float
    high: float

    def told(self, span: Interval | None) -> Interval | None:
        if span is None or span.high - span.low > self.high - self.low:
            return None
        return replace(span, low=max(span.low, self.low), high=min(span.high, self.high))

    def told_apart(self, span: Interval | None) -> Interval | None:
        """Return the interval of a difference of two such means."""
        most = self.high - self.low
        return PossibleMeans(-most, most).told(span)


@cache
def possible_scores(rules: Ruleset) -> PossibleMeans:
    return PossibleMeans(0.0, float(most_points(rules)))


def possible_skill(conditions: Conditions, rules: Ruleset) -> PossibleMeans:
    """Nobody is better than perfect play; what decisions cost has the same bounds."""
    start = conditions.value_start
    return possible_scores(rules) if start is None else PossibleMeans(0.0, start)


def analysis_told(of: Analysis, conditions: Conditions, rules: Ruleset) -> Analysis:
    scores, skill = possible_scores(rules), possible_skill(conditions, rules)
    return replace(
        of,
        raw=_estimate(of.raw, scores),
        skill=_estimate(of.skill, skill),
        people=tuple(_person(one, scores, skill) for one in of.people),
        against_perfect=scores.told_apart(of.against_perfect),
    )


def _estimate(of: Estimate | None, means: PossibleMeans) -> Estimate | None:
    if of is None:
        return None
    return replace(
        of,
        these_people=means.told(of.these_people),
        these_people_alike=means.told(of.these_people_alike),
        people_like_these=means.told(of.people_like_these),
    )


def _person(of: Person, scores: PossibleMeans, skill: PossibleMeans) -> Person:
    return replace(
        of,
        skill=skill.told(of.skill),
        against_others=scores.told_apart(of.against_others),
        against_perfect=scores.told_apart(of.against_perfect),
    )


def _by_measure(rulesets: Sequence[Ruleset]) -> dict[str, PossibleMeans]:
    """Return the possible means of each measure. A game costs at most the highest score and has at
    least one decision a box; of several rulesets the largest value holds."""
    highest = [possible_scores(rules).high for rules in rulesets]
    means = PossibleMeans(0.0, max(highest))
    each = (most / len(rules.categories) for most, rules in zip(highest, rulesets, strict=True))
    decisions = PossibleMeans(0.0, max(each))
    return {measure: decisions if measure == "cost_a_decision" else means for measure in MEASURES}


def answer_told(of: EstimandAnswer, *rulesets: Ruleset) -> EstimandAnswer:
    """Two means lie no further apart than all that is possible."""
    means = _by_measure(rulesets)[of.estimand.measure]
    return replace(of, pairs=tuple(_answer(pair, means.high - means.low) for pair in of.pairs))


def _answer(pair: PairAnswer, most: float) -> PairAnswer:
    if pair.low is not None and pair.high is not None and pair.high - pair.low > 2 * most:
        return replace(pair, estimate=None, p=None, different=False, alike=False)
    return replace(
        pair,
        low=_cut(pair.low, most),
        high=_cut(pair.high, most),
        alike_low=_cut(pair.alike_low, most),
        alike_high=_cut(pair.alike_high, most),
    )


def _cut(end: float | None, most: float) -> float | None:
    return None if end is None else max(-most, min(end, most))


def pair_told(pair: ArmDifference, measure: str, *rulesets: Ruleset) -> ArmDifference:
    return _differences([pair], _by_measure(rulesets)[measure])[0]


def arms_told(of: ArmsAnalysis, *rulesets: Ruleset) -> ArmsAnalysis:
    by = _by_measure(rulesets)
    return replace(
        of,
        main=_figures(of.main, by[of.main.measure]) if of.main else None,
        phases=tuple(_figures(one, by[one.measure]) for one in of.phases),
    )


def _figures(of: PhaseFigures, means: PossibleMeans) -> PhaseFigures:
    return replace(
        of,
        arms=tuple(_mean(one, means) for one in of.arms),
        comparisons=_differences(of.comparisons, means),
    )


def _mean(of: ArmMean, means: PossibleMeans) -> ArmMean:
    return replace(of, interval=means.told(of.interval))


def _differences(pairs: Sequence[ArmDifference], means: PossibleMeans) -> tuple[ArmDifference, ...]:
    return tuple(
        replace(pair, model=means.told_apart(pair.model), lot=_lot(pair.lot, means))
        for pair in pairs
    )


def _lot(of: Randomised | None, means: PossibleMeans) -> Randomised | None:
    if of is None or of.low is None or of.high is None:
        return of
    most = means.high - means.low
    if of.high - of.low > 2 * most:
        return replace(of, low=None, high=None)
    return replace(of, low=max(of.low, -most), high=min(of.high, most))
