"""The tables of a trial with arms: figures as a person reads them, a row an arm."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

from django.utils.functional import Promise

from game.coach.portrait import KINDS, kind_name
from game.trials.results.words_arms import DIGITS, PHASES, chance
from game.trials.results.words_estimand import MEASURED
from game.words.phrases import percent, points, signed
from solver.rules import Ruleset
from solver.statistics.arm_figures import (
    BEFORE,
    ArmDifference,
    ArmMean,
    ArmsAnalysis,
    Change,
    Staying,
)
from solver.statistics.inference import Interval

RULES: Mapping[str, Promise] = {
    "as_played": "those alone who played all that was planned, where they trained",
    "not_adjusted": "without regard to the games before",
    "missing_as_before": "whoever did not get so far, as they were before",
    "without_first": "without everybody's first game of the phase",
    "with_unfinished": "with the games that were not finished",
    "without_extremes": "without the best and the worst of each arm",
}


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


def kind_lines(of: ArmsAnalysis, rulesets: Sequence[Ruleset]) -> Iterator[ComparedLine]:
    """A kind is called otherwise where throws are saved; arms may play by either rules."""
    order = list(KINDS)
    for kind in sorted(of.kinds, key=lambda kind: order.index(kind.kind)):
        names = dict.fromkeys(kind_name(kind.kind, rules) for rules in rulesets)
        yield from _lines(" / ".join(names), "", kind.arms, kind.comparisons, DIGITS)


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


def change_lines(of: ArmsAnalysis) -> Iterator[ComparedLine]:
    """From the games before; an arm alone has no difference."""
    for change in of.changes:
        yield _change(change)


def _change(of: Change) -> ComparedLine:
    digits = DIGITS if of.measure == "cost_a_decision" else 1
    mean = signed(of.interval.mean, digits) if of.interval else "–"
    name, what = PHASES[of.phase], MEASURED[of.measure]
    return ComparedLine(name, what, of.arm, of.people, mean, others=span(of.interval, digits))


def sensitivity_lines(of: ArmsAnalysis) -> Iterator[ComparedLine]:
    """The first row is the difference itself."""
    if of.main is None or not of.sensitivity:
        return
    rows = [("as above", of.main.comparisons)]
    rows += [(RULES[one.rule], one.comparisons) for one in of.sensitivity]
    for name, pairs in rows:
        for at, pair in enumerate(pairs):
            people = sum(pair.people) if not of.design.within else pair.people[0]
            told = _told(pair, DIGITS)
            yield ComparedLine(name if at == 0 else "", "", pair.arm, people, "", *told)


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
