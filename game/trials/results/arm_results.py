"""The results of a trial with arms or phases: figures, sentences, charts and tables.

The rows that the comparison of arms is made of: who was given what, and what came of it.

Everybody who was given an arm is a row, those who withdrew too: that they left is all that is
kept of them, and no arm may lose people unseen.
"""

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import count, islice
from math import sqrt
from typing import Any

from django.db.models import Count, Q, QuerySet, Sum
from django.utils.functional import cached_property

from game.core.words.phrases import percent, points, signed
from game.models import Game, Participant, Trial
from game.trials.design.phases import AFTER, TRAINING, TrialDesign, permuted, seed_of, steps
from game.trials.design.reading import design_of, rulesets_of
from game.trials.files.export_queries import STAYED
from game.trials.results import words_arms
from game.trials.results.charts import Drawing, arm_drawings
from game.trials.results.ranges import answer_told, arms_told
from game.trials.results.words_arms import DIGITS, chance
from game.trials.results.words_estimand import MEASURED, PHASES
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
from solver.statistics.estimating import Estimand, EstimandAnswer, answered
from solver.statistics.inference import Interval

ORDER = " → "  # between the arms of one who plays them all


def arm_design(trial: Trial) -> ArmDesign | None:
    """Return the design to compare; None if everybody plays the same games in one phase."""
    design = design_of(trial)
    if design.plain:
        return None
    return ArmDesign(
        arms=tuple(arm.name for arm in design.arms) or ("",),
        outcome=outcome_phase(design),
        within=design.within,
        shared_dice=trial.shared_dice and all(arm.shared_dice is not False for arm in design.arms),
    )


def outcome_phase(design: TrialDesign) -> str:
    if design.plain:
        return ""
    return AFTER if design.after and not design.within else TRAINING


def usual_estimand(trial: Trial) -> Estimand | None:
    """Return the usual estimand; None without several arms."""
    design = arm_design(trial)
    if design is None or len(design.arms) < 2:
        return None
    return Estimand.usual(design, before=trial.games_before > 0)


def arms_differ(trial: Trial) -> bool:
    arms = design_of(trial).arms
    return len({(arm.ruleset or trial.ruleset, arm.dice or trial.dice) for arm in arms}) > 1


def arm_people(trial: Trial, until: datetime) -> list[ArmPerson]:
    design = design_of(trial)
    joined = trial.participants.order_by("number")
    if not design.arms:
        planned = design.before + design.games_each + design.after
        return [ArmPerson(one.label, "", planned=planned) for one in _stayed(trial, until)]
    given = list(joined.filter(arm__isnull=False, assigned_at__lte=until))
    blocks = _blocks(trial, design, given)
    return [_person(design, blocks, one) for one in given]


def _stayed(trial: Trial, until: datetime) -> QuerySet[Participant]:
    joined = trial.participants.filter(STAYED, player__created_at__lte=until)
    return joined.order_by("number")


def _person(
    design: TrialDesign, blocks: Mapping[str, Sequence[int]], one: Participant
) -> ArmPerson:
    order = one.order
    name = ORDER.join(design.arms[arm].name for arm in order)
    planned = len(steps(design, order)) - design.follow_up
    block = f"{one.stratum}:{blocks[one.stratum][(one.draw or 1) - 1]}"
    return ArmPerson(one.label, name, block, one.stratum, planned)


def _blocks(
    trial: Trial, design: TrialDesign, given: Sequence[Participant]
) -> Mapping[str, Sequence[int]]:
    """Return the block of every draw, per stratum: the order within a block is random."""
    draws: dict[str, int] = {}
    for one in given:
        draws[one.stratum] = max(draws.get(one.stratum, 0), one.draw or 1)
    seed = seed_of(trial.seed)
    return {
        stratum: list(islice(_block_of_draws(seed, stratum, design.conditions), most))
        for stratum, most in draws.items()
    }


def _block_of_draws(seed: str, stratum: str, conditions: int) -> Iterator[int]:
    for block in count():
        yield from [block] * len(permuted(seed, stratum, block, conditions))


def arm_games(trial: Trial, until: datetime) -> Iterator[ArmGame]:
    """Games as they stood then: one that had not ended has what its decisions had cost."""
    free = Q(decisions__forced=False, decisions__regret__isnull=False)
    unjudged = Q(decisions__roll__gt=0, decisions__regret__isnull=True)
    games = _begun(trial, until).annotate(
        cost=Sum("decisions__regret", filter=Q(decisions__created_at__lte=until)),
        free=Count("decisions", filter=free & Q(decisions__created_at__lte=until)),
        blind=Count("decisions", filter=unjudged),
    )
    facts = ("participant__number", "arm__name", "phase", "trial_number", "finished_at")
    told = ("final_score", "cost", "free", "blind", "seed")
    for row in games.values_list(*facts, *told):
        yield _game(until, *row)


def _begun(trial: Trial, until: datetime) -> QuerySet[Game]:
    stayed = trial.participants.filter(STAYED)
    games = Game.objects.filter(participant__in=stayed, started_at__lte=until).exclude(phase="")
    return games.order_by("participant__number", "trial_number")


def _game(
    until: datetime,
    participant: int,
    arm: str | None,
    phase: str,
    number: int,
    finished_at: datetime | None,
    score: int | None,
    cost: float | None,
    free: int,
    blind: int,
    seed: str,
) -> ArmGame:
    finished = finished_at is not None and finished_at <= until
    known = cost is not None and free > 0 and not blind
    return ArmGame(
        person=Participant(number=participant).label,
        arm=arm or "",
        phase=phase,
        number=number,
        finished=finished,
        score=score if finished else None,
        regret=cost if known else None,
        decisions=free if known else None,
        deal=seed,
    )


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
    """Yield a line for each arm; only the first names the phase and the measure."""
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
        """The figures with intervals that are informative."""
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
        usual = self.usual.facts() if self.usual else None
        return self.analysis.facts() | {"usual": usual, "sentences": dict(self.sentences)}


@dataclass(frozen=True, slots=True)
class ArmData:
    """The allocation and the games that arms are compared by."""

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
    """Return the data of the arms at that time, ``without`` these people; None if there is
    nothing to compare."""
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
