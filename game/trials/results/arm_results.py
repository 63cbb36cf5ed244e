"""The results of a trial with arms or phases: figures, sentences, charts and tables."""

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from math import sqrt
from typing import Any

from django.utils.functional import cached_property

from game.models import Trial
from game.trials.design.reading import rulesets_of
from game.trials.results import words_arms
from game.trials.results.charts import Drawing, arm_drawings
from game.trials.results.ranges import answer_told, arms_told
from game.trials.results.reading_arms import (
    arm_design,
    arm_games,
    arm_people,
    arms_differ,
    usual_estimand,
)
from game.trials.results.words_arms import DIGITS, chance
from game.trials.results.words_estimand import MEASURED, PHASES
from game.words.phrases import percent, points, signed
from solver.rules import Ruleset
from solver.statistics.arm_compare import ArmComparison, Lots
from solver.statistics.arm_figures import (
    BEFORE,
    ArmDesign,
    ArmDifference,
    ArmGame,
    ArmMean,
    ArmPerson,
    ArmsAnalysis,
    Measure,
    Staying,
)
from solver.statistics.arms import analyse_arms, phase_figures
from solver.statistics.estimand import Estimand
from solver.statistics.estimating import EstimandAnswer, answered
from solver.statistics.inference import Interval


@dataclass(frozen=True, slots=True)
class ComparedLine:
    """An arm in a phase, and what lies between it and the first; empty where nothing does."""

    name: str
    what: str
    arm: str
    people: int
    mean: str
    difference: str = ""
    these: str = ""
    others: str = ""
    p: str = ""


@dataclass(frozen=True, slots=True)
class StayingLine:
    arm: str
    given: int
    began: int
    ended: int
    lost: str
    range: str


def phase_lines(of: ArmsAnalysis) -> Iterator[ComparedLine]:
    for figures in of.phases:
        name, what = PHASES[figures.phase], MEASURED[figures.measure]
        digits = DIGITS if figures.measure == "cost_a_decision" else 1
        found = (figures.arms, figures.comparisons, digits)
        yield from _lines(name, what, *found, spread=figures.phase == BEFORE)


def _lines(
    name: str,
    what: str,
    arms: Sequence[ArmMean],
    comparisons: Sequence[ArmDifference],
    digits: int,
    *,
    spread: bool = False,
) -> Iterator[ComparedLine]:
    """The phase and the measure are named in their first row alone."""
    pairs = {pair.arm: pair for pair in comparisons}
    for at, arm in enumerate(arms):
        named = (name, what) if at == 0 else ("", "")
        shown = _mean(arm, digits, spread=spread) if arm.people else "–"
        told = _told(pairs[arm.arm], digits) if arm.arm in pairs else ()
        yield ComparedLine(*named, arm.arm, arm.people, shown, *told)


def _mean(arm: ArmMean, digits: int, *, spread: bool) -> str:
    """With how far apart people lie, where it describes them before anything was done."""
    mean = points(arm.mean, digits)
    if not spread or arm.interval is None:
        return mean
    deviation = arm.interval.error * sqrt(arm.people)
    told = {"mean": mean, "deviation": points(deviation, digits)}
    return "{mean} (SD {deviation})".format(**told)


def _told(pair: ArmDifference, digits: int) -> tuple[str, str, str, str]:
    lot = pair.lot
    these = _span(lot.low, lot.high, digits) if lot else ""
    p = chance(pair.shown.p) if pair.shown else ""
    return signed(pair.difference, digits), these, span(pair.model, digits), p


def span(found: Interval | None, digits: int) -> str:
    return _span(found.low, found.high, digits) if found else ""


def _span(low: float | None, high: float | None, digits: int) -> str:
    if low is None or high is None:
        return ""
    return f"{signed(low, digits)} to {signed(high, digits)}"


def staying_lines(of: ArmsAnalysis) -> list[StayingLine]:
    return [_staying(arm) for arm in of.dropouts.arms]


def _staying(arm: Staying) -> StayingLine:
    lost = "–" if arm.share_lost is None else percent(arm.share_lost)
    facts = {"low": "", "high": ""}
    if arm.lost_range:
        low, high = arm.lost_range
        facts = {"low": percent(low), "high": percent(high)}
    shown = "{low} to {high}".format(**facts) if arm.lost_range else ""
    return StayingLine(arm.arm, arm.given, arm.began, arm.ended, lost, shown)


@dataclass(frozen=True)
class ArmResults:
    analysis: ArmsAnalysis
    rulesets: Sequence[Ruleset]  # of the trial, and of arms that have others
    usual: EstimandAnswer | None = None  # where several arms are compared
    other_rules: bool = False  # or other dice: not all arms play the same game

    @property
    def several(self) -> bool:
        return len(self.analysis.design.arms) > 1

    @cached_property
    def told(self) -> ArmsAnalysis:
        """With those ranges alone that tell something."""
        return arms_told(self.analysis, *self.rulesets)

    @cached_property
    def sentences(self) -> Mapping[str, list[str]]:
        of = self.told
        return {
            "main": words_arms.main(of, self.usual and answer_told(self.usual, *self.rulesets)),
            "about": words_arms.about(of)
            + ([words_arms.other_rules()] if self.other_rules else []),
            "phases": words_arms.other_phases(of),
            "dropouts": words_arms.dropouts(of),
        }

    @cached_property
    def drawings(self) -> list[Drawing]:
        return arm_drawings(self.told)

    @cached_property
    def charts(self) -> Mapping[str, Drawing]:
        return {drawing.name.replace("-", "_"): drawing for drawing in self.drawings}

    @property
    def phases(self) -> Sequence[ComparedLine]:
        return list(phase_lines(self.told))

    @property
    def staying(self) -> Sequence[StayingLine]:
        return staying_lines(self.analysis)

    def facts(self) -> dict[str, Any]:
        """As plain data, for JSON."""
        usual = self.usual.facts() if self.usual else None
        return self.analysis.facts() | {"usual": usual, "sentences": dict(self.sentences)}


@dataclass(frozen=True, slots=True)
class ArmData:
    """What arms are compared by: who was given what, and what they played."""

    design: ArmDesign
    people: Mapping[str, ArmPerson]
    games: Sequence[ArmGame]

    def answered(self, estimand: Estimand) -> EstimandAnswer:
        return answered(estimand, self.games, self.people, self.design)

    def singly(self, measure: Measure) -> Sequence[ArmDifference]:
        """Every arm beside the first, as it was locked before there were estimands."""
        by = ArmComparison(self.people, self.design, Lots(), singly=True)
        finished = [game for game in self.games if game.finished and game.person in self.people]
        return phase_figures(finished, by, self.design.outcome, measure).comparisons


def arm_data(trial: Trial, until: datetime, without: Container[str] = ()) -> ArmData | None:
    """As the trial stood then, ``without`` these people; None where there is nothing to compare."""
    design = arm_design(trial)
    if design is None:
        return None
    people = {one.person: one for one in arm_people(trial, until) if one.person not in without}
    return ArmData(design, people, list(arm_games(trial, until)))


def arm_results_of(
    trial: Trial, until: datetime, without: Container[str] = ()
) -> ArmResults | None:
    of = arm_data(trial, until, without)
    if of is None:
        return None
    analysis = analyse_arms(of.games, of.people.values(), of.design)
    usual = usual_estimand(trial)
    answer = of.answered(usual) if usual else None
    return ArmResults(analysis, rulesets_of(trial), answer, arms_differ(trial))
