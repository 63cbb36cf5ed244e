"""A trial beside the published study's people, with everybody's own spread: appendix B as a sample.

The study takes all games as one sample, whoever played them, and so do these figures; those that
allow for what the games of a person have in common stand elsewhere.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from game.trials.results.ranges import possible_scores
from game.trials.results.words import p_value
from game.words.phrases import points, signed
from solver.statistics.inference import Interval, Significance, difference, t_test
from solver.statistics.trial_figures import Analysis, Conditions
from solver.study.histograms import HUMANS, published_of
from solver.study.people import by_own_spread, study_against_perfect, study_by_own_spread
from solver.study.published import RULES


@dataclass(frozen=True, slots=True)
class SpreadLine:
    """How far a mean lies above perfect play, in standard errors: by perfect play's spread of the
    scores, and by their own."""

    name: str
    games: str
    mean: str
    deviation: str
    error: str
    by_perfect: str
    by_own: str


@dataclass(frozen=True, slots=True)
class SpreadOfScores:
    """``mean`` is a range from their own spread; the tests compare it with perfect play."""

    games: int
    deviation: float
    mean: Interval
    by_perfect: Significance
    by_own: Significance


@dataclass(frozen=True, slots=True)
class BesideStudy:
    """``own`` is None of a trial with too few games for a spread."""

    own: SpreadOfScores | None
    study: SpreadOfScores
    apart: Interval | None
    title: str
    perfect_deviation: float

    @property
    def lines(self) -> list[SpreadLine]:
        own = [_line(self.title, self.own)] if self.own else []
        return [*own, _line("The published study's people", self.study)]

    @property
    def sentences(self) -> list[str]:
        return [_spread(self.study, self.perfect_deviation), *_apart(self.apart)]

    def facts(self) -> dict[str, Any]:
        return {name: getattr(self, name) and asdict(getattr(self, name)) for name in FACTS}


FACTS = ("own", "study", "apart")


def beside_study(title: str, of: Analysis, conditions: Conditions) -> BesideStudy | None:
    """None where the table of perfect play is missing."""
    start, theirs = conditions.value_start, published_of(HUMANS)
    test = study_against_perfect(conditions)
    if start is None or conditions.deviation is None or test is None:
        return None
    mean = study_by_own_spread()
    study = _of(theirs.stated, theirs.deviation_of_counts, mean, test, start)
    own = _own(of, start)
    apart = difference(own.mean, mean) if own else None
    return BesideStudy(own, study, apart, title, conditions.deviation)


def _own(of: Analysis, start: float) -> SpreadOfScores | None:
    scores, test = of.scores, of.raw_against_perfect
    if scores is None or scores.deviation is None or test is None:
        return None
    mean = by_own_spread(scores.mean, scores.deviation, of.games)
    return _of(of.games, scores.deviation, mean, test, start) if mean else None


def _of(
    games: int, deviation: float, mean: Interval, by_perfect: Significance, start: float
) -> SpreadOfScores:
    by_own = t_test(mean, start)
    assert by_own is not None  # noqa: S101
    return SpreadOfScores(games, deviation, mean, by_perfect, by_own)


def _line(name: str, of: SpreadOfScores) -> SpreadLine:
    return SpreadLine(
        name,
        points(of.games, 0),
        points(of.mean.mean, 2),
        points(of.deviation, 2),
        points(of.mean.error, 2),
        signed(of.by_perfect.statistic, 2),
        signed(of.by_own.statistic, 2),
    )


def _spread(study: SpreadOfScores, perfect: float) -> str:
    return (
        "The scores of the study's people lie further apart than those of perfect play: their"
        f" standard deviation is {points(study.deviation)}, by the tens of its table, and not "
        f"{points(perfect)}. By their"
        f" own spread their mean lies {points(study.by_own.statistic, 2)} standard errors "
        f"above perfect play ({p_value(study.by_own)}), and not"
        f" {points(study.by_perfect.statistic, 2)}."
    )


def _apart(apart: Interval | None) -> Sequence[str]:
    test, told = t_test(apart), possible_scores(RULES).told_apart(apart)
    if test is None or told is None:
        return ()
    text = (
        "The mean of this trial less that of the study's people is %(mean)s points (%(low)s to"
        " %(high)s, %(p)s), every game taken as one of a single sample."
    )
    facts = {"mean": signed(told.mean), "low": signed(told.low), "high": signed(told.high)}
    return [text % (facts | {"p": p_value(test)})]
