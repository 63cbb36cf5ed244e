"""The results of a trial with arms or phases: figures, sentences, charts and tables."""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.functional import cached_property

from game.models import Trial
from game.trials.design.reading import rulesets_of
from game.trials.results import words_arms
from game.trials.results.arm_tables import (
    ComparedLine,
    StayingLine,
    phase_lines,
    staying_lines,
)
from game.trials.results.charts import Drawing
from game.trials.results.charts_arms import arm_drawings
from game.trials.results.ranges import answer_told, arms_told
from game.trials.results.reading_arms import (
    arm_design,
    arm_games,
    arm_people,
    arms_differ,
    usual_estimand,
)
from solver.rules import Ruleset
from solver.statistics.arm_compare import ArmComparison, Lots
from solver.statistics.arm_figures import (
    ArmDesign,
    ArmDifference,
    ArmGame,
    ArmPerson,
    ArmsAnalysis,
    Measure,
)
from solver.statistics.arms import analyse_arms, phase_figures
from solver.statistics.estimand import Estimand
from solver.statistics.estimating import EstimandAnswer, answered


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
