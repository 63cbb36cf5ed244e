"""Conclusions from the arms of a trial: the difference first, and what it covers."""

from collections.abc import Sequence

from game.core.words.phrases import percent, points, signed
from game.trials.results.words import p_value
from game.trials.results.words_estimand import PHASES, answer_words
from solver.statistics.arm_figures import (
    BEFORE,
    ArmDifference,
    ArmsAnalysis,
    PhaseFigures,
    Staying,
)
from solver.statistics.estimating import EstimandAnswer
from solver.statistics.inference import Significance

DIGITS = 3  # of points a decision, of which a game has some thirty
DOUBT = 0.05


def main(of: ArmsAnalysis, usual: EstimandAnswer | None) -> list[str]:
    """Return the difference that the trial was made for, by the ``usual`` estimand."""
    if of.main is None:
        return ["No game of the phase that the arms are compared in is finished yet."]
    if usual is None:
        return []
    if not any(pair.told for pair in usual.pairs):
        return ["Too few people have finished a game to compare the arms."]
    return answer_words(usual) + _in_points(of)


def _pair(figures: PhaseFigures, pair: ArmDifference) -> list[str]:
    facts = {
        "phase": PHASES[figures.phase],
        "arm": pair.arm,
        "beside": pair.beside,
        "size": points(abs(pair.difference), DIGITS),
    }
    shown = pair.shown
    if shown is None or shown.low is None or shown.high is None:
        text = "%(phase)s: these are too few people to tell “%(arm)s” from “%(beside)s”."
        return [text % facts]
    ends = {"low": signed(shown.low, DIGITS), "high": signed(shown.high, DIGITS)}
    return [_difference(pair, shown.p) % (facts | ends | {"p": chance(shown.p)})]


def chance(p: float) -> str:
    return p_value(Significance(0.0, p))


def _difference(pair: ArmDifference, p: float) -> str:
    if p > DOUBT:
        return (
            "%(phase)s: no difference shows in what a decision costs under “%(arm)s” and under "
            "“%(beside)s”; it may be anything from %(low)s to %(high)s points (%(p)s)."
        )
    if pair.difference < 0:
        return (
            "%(phase)s: a decision under “%(arm)s” costs %(size)s points less than under "
            "“%(beside)s” (the difference lies from %(low)s to %(high)s, %(p)s)."
        )
    return (
        "%(phase)s: a decision under “%(arm)s” costs %(size)s points more than under "
        "“%(beside)s” (the difference lies from %(low)s to %(high)s, %(p)s)."
    )


def _in_points(of: ArmsAnalysis) -> list[str]:
    """Return the same difference in points a game, by decisions and by scores."""
    if len(of.design.arms) != 2:
        return []
    costs, scores = (
        next(
            (one for one in of.phases if (one.phase, one.measure) == (of.design.outcome, by)), None
        )
        for by in ("cost", "score")
    )
    if not (costs and scores and costs.comparisons and scores.comparisons):
        return []
    cost, score = costs.comparisons[0].model, scores.comparisons[0].model
    if cost is None or score is None:
        return []
    facts = {
        "cost": signed(cost.mean),
        "cost_low": signed(cost.low),
        "cost_high": signed(cost.high),
        "score": signed(score.mean),
        "score_low": signed(score.low),
        "score_high": signed(score.high),
    }
    text = (
        "In points a game, what decisions cost differs by %(cost)s (%(cost_low)s to "
        "%(cost_high)s for people like these), and final scores by %(score)s (%(score_low)s to "
        "%(score_high)s): they have the luck of the dice in them."
    )
    return [text % facts]


def about(of: ArmsAnalysis) -> list[str]:
    if of.main is None or not of.main.comparisons:
        return []
    pairs = of.main.comparisons
    told = []
    if any(pair.lot and pair.lot.low is not None for pair in pairs):
        told.append(
            "This range needs nothing but the lot that gave people their arms: it has every "
            "difference that the lot does not contradict, and is about those who took part."
        )
    told += [_others(pair) for pair in pairs if pair.model]
    if any(pair.adjusted for pair in pairs):
        told.append(
            "What everybody's games before had cost is taken into account, so that no arm "
            "gains by having been given better people."
        )
    if len(pairs) > 1:
        told.append(
            "With several arms, one of them looks different by accident more easily; p and "
            "the ranges by the lot allow for that, the others do not."
        )
    return told + _within(of)


def other_rules() -> str:
    return (
        "The arms play by different rules or with different dice, so a difference is not what a "
        "coach does, and scores cannot be compared."
    )


def _others(pair: ArmDifference) -> str:
    low, high = (pair.model.low, pair.model.high) if pair.model else (0.0, 0.0)
    facts = {"arm": pair.arm, "low": signed(low, DIGITS), "high": signed(high, DIGITS)}
    text = (
        "For people like these, the difference that “%(arm)s” makes lies somewhere from %(low)s "
        "to %(high)s points a decision."
    )
    return text % facts


def _within(of: ArmsAnalysis) -> list[str]:
    if not of.design.within:
        return []
    return [
        (
            "Everybody played under every condition, in an order drawn by lot. What all gain with "
            "time is taken off first; what one condition leaves behind for the next is not."
        )
    ]


def other_phases(of: ArmsAnalysis) -> list[str]:
    """Return a sentence for each other phase in which arms can be told apart."""
    if of.design.within:
        return []
    return _before(of) + [
        sentence
        for figures in of.phases
        if figures.measure == "cost_a_decision" and figures.phase != of.design.outcome
        for pair in figures.comparisons
        for sentence in _pair(figures, pair)
    ]


def _before(of: ArmsAnalysis) -> list[str]:
    """Explain that differences before the arms began are not tested."""
    if all(figures.phase != BEFORE for figures in of.phases) or len(of.design.arms) < 2:
        return []
    return [
        (
            "Before the arms began people are described and not compared: what lies between the "
            "arms then was made by the lot. SD is the standard deviation of the people."
        )
    ]


def dropouts(of: ArmsAnalysis) -> list[str]:
    arms = of.dropouts.arms
    lost, given = sum(arm.given - arm.ended for arm in arms), sum(arm.given for arm in arms)
    if not given:
        return []
    if not lost:
        return ["Nobody has left: all have played what was planned."]
    text = "Of %(given)s people, %(lost)s (%(share)s) have not played all that was planned."
    told = [text % {"given": given, "lost": lost, "share": percent(lost / given)}]
    if of.dropouts.p is not None:
        text = "That the lot alone spreads them over the arms so unevenly has %(p)s."
        told.append(text % {"p": chance(of.dropouts.p)})
    return told + _as_given(arms)


def _as_given(arms: Sequence[Staying]) -> list[str]:
    if len(arms) < 2:
        return []
    return [
        (
            "Everybody counts in the arm that the lot gave them, with the games they finished. If "
            "people left because of their arm, the difference is off."
        )
    ]
