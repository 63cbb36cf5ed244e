"""The tables of a trial with arms: figures as a person reads them, a row an arm."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import sqrt

from game.trials.results.words_arms import DIGITS, chance
from game.trials.results.words_estimand import MEASURED, PHASES
from game.words.phrases import percent, points, signed
from solver.statistics.arm_figures import (
    BEFORE,
    ArmDifference,
    ArmMean,
    ArmsAnalysis,
    Staying,
)
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
