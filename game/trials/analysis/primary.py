"""The one analysis of arms: the locked estimand, its test and interval, a verdict, a tipping point.

The estimand is the difference between a further arm and the first in the mean of a person's value,
adjusted for the games before, over everybody who was given an arm, finished a game of the outcome
phase and is left out by no locked rule. Where everybody plays both arms, a person's value is half
of what the first period has over the second, the label is the order, and the same test does it.

The sensitivity analysis asks how much worse the people without a value would have to be for the
finding to go away. The planner calls the same function with made-up people.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

import numpy as np

from game.trials.analysis.lots import DRAWS, EITHER, LESS, MORE, LabelTest
from solver.statistics.chi_squared import Floats

ANALYSIS = "free permutation"  # the name that a lock has for it
COST, A_DECISION, SCORE = MEASURES = ("cost", "cost_a_decision", "score")
DIRECTIONS = (EITHER, LESS, MORE)
ALPHA, ALPHA_ALIKE = 0.05, 0.10
LEAST = 6  # people in an arm; with fewer there is no verdict
LEAST_BEFORE = 4  # people whose games before are known, to adjust by them
DIFFERENT, EQUIVALENT, UNDECIDED, TOO_FEW = "different", "equivalent", "undecided", "too few"


@dataclass(frozen=True, slots=True)
class Estimand:
    """``smallest`` is the smallest difference that matters, in points of the measure."""

    arms: tuple[str, ...]
    phase: str
    measure: str = COST
    direction: str = EITHER
    smallest: float | None = None
    within: bool = False

    @classmethod
    def from_facts(cls, facts: Mapping[str, Any]) -> "Estimand":
        known = {one.name: facts[one.name] for one in fields(cls)}
        return cls(**known | {"arms": tuple(facts["arms"])})

    def facts(self) -> dict[str, Any]:
        return asdict(self) | {"arms": list(self.arms)}


@dataclass(frozen=True, slots=True)
class ArmPerson:
    """A person who was given an arm, or an order of two. ``value`` is None without a finished game
    of the outcome phase; ``left_out`` by a locked rule."""

    name: str
    arm: int
    value: float | None
    before: float | None = None
    left_out: bool = False


@dataclass(frozen=True, slots=True)
class TippingPoint:
    """``filled`` people count as predicted from their games before, which gives ``estimate`` and
    ``p``; ``worse`` is how many points worse those in the better arm would have to be for the
    finding to go away. It is None where nothing was found, or where no number is enough."""

    filled: int
    estimate: float
    p: float
    worse: float | None


@dataclass(frozen=True, slots=True)
class PairAnswer:
    """A further arm and the first. An end of an interval that is None is open."""

    arm: str
    reference: str
    people: tuple[int, int]
    means: tuple[float | None, float | None]
    deviations: tuple[float | None, float | None]
    missing: tuple[int, int]
    verdict: str = TOO_FEW
    estimate: float | None = None
    p: float | None = None
    low: float | None = None
    high: float | None = None
    low_90: float | None = None
    high_90: float | None = None
    tipping_point: TippingPoint | None = None


@dataclass(frozen=True, slots=True)
class PrimaryAnswer:
    estimand: Estimand
    seed: int
    adjusted: bool
    pairs: tuple[PairAnswer, ...]

    def facts(self) -> dict[str, Any]:
        return asdict(self) | {"estimand": self.estimand.facts()}


def primary_answer(
    estimand: Estimand,
    people: Sequence[ArmPerson],
    seed: int,
    *,
    draws: int = DRAWS,
    full: bool = True,
) -> PrimaryAnswer:
    """Answer the question of the trial; without ``full`` p alone, as the planner needs it."""
    drawn = [one for one in people if not one.left_out]
    # In an order that follows from the values, so that no file has to tell who came when.
    counted = sorted((one for one in drawn if one.value is not None), key=_place)
    missing = [one for one in drawn if one.value is None]
    sizes = [sum(one.arm == arm for one in counted) for arm in range(len(estimand.arms))]
    enough = [arm for arm, size in enumerate(sizes) if size >= LEAST]
    test = None
    if len(enough) > 1 and enough[0] == 0:
        test = _test(estimand, [one for one in counted if one.arm in enough], enough, seed, draws)
    pairs = []
    for arm in range(1, len(estimand.arms)):
        told = _described(estimand, counted, missing, arm)
        if test is not None and arm in enough:
            told = _answered(estimand, told, test, enough.index(arm) - 1, full=full)
            if full and any(one.arm in enough for one in missing):
                everybody = [one for one in drawn if one.arm in enough]
                told = replace(
                    told, tipping_point=_tipping(estimand, everybody, arm, enough, told, seed)
                )
        pairs.append(told)
    return PrimaryAnswer(estimand, seed, _before(counted) is not None, tuple(pairs))


def _place(one: ArmPerson) -> tuple[int, float, float]:
    before = float("-inf") if one.before is None else round(one.before, 9)
    return one.arm, round(one.value or 0.0, 9), before


def _before(people: Sequence[ArmPerson]) -> Floats | None:
    """Return the games before, unknown ones as average; None if too few are known."""
    known = [one.before for one in people if one.before is not None]
    if len(known) < LEAST_BEFORE or max(known) - min(known) <= 0:
        return None
    average = float(np.mean(known))
    return np.array([average if one.before is None else one.before for one in people])


def _test(
    estimand: Estimand, people: Sequence[ArmPerson], arms: Sequence[int], seed: int, draws: int
) -> LabelTest | None:
    values = np.array([one.value for one in people], float)
    labels = np.array([arms.index(one.arm) for one in people], np.int64)
    before, direction = _before(people), estimand.direction
    return LabelTest.of(values, labels, before, seed=seed, draws=draws, direction=direction)


def _described(
    estimand: Estimand, counted: Sequence[ArmPerson], missing: Sequence[ArmPerson], arm: int
) -> PairAnswer:
    own = [np.array([one.value for one in counted if one.arm == at], float) for at in (arm, 0)]
    means = [float(of.mean()) if len(of) else None for of in own]
    apart = [float(of.std(ddof=1)) if len(of) > 1 else None for of in own]
    absent = [sum(one.arm == at for one in missing) for at in (arm, 0)]
    return PairAnswer(
        estimand.arms[arm],
        estimand.arms[0],
        (len(own[0]), len(own[1])),
        (means[0], means[1]),
        (apart[0], apart[1]),
        (absent[0], absent[1]),
    )


def _answered(
    estimand: Estimand, told: PairAnswer, test: LabelTest, pair: int, *, full: bool
) -> PairAnswer:
    p, smallest = test.p(pair), estimand.smallest
    low, high = test.ends(pair, ALPHA) if full else (None, None)
    both = replace(test, direction=EITHER)
    low_90, high_90 = both.ends(pair, ALPHA_ALIKE) if full and smallest else (None, None)
    inside = (
        smallest is not None
        and low_90 is not None
        and high_90 is not None
        and -smallest <= low_90
        and high_90 <= smallest
    )
    return replace(
        told,
        verdict=DIFFERENT if p <= ALPHA else EQUIVALENT if inside else UNDECIDED,
        estimate=test.estimates[pair],
        p=p,
        low=low,
        high=high,
        low_90=low_90,
        high_90=high_90,
    )


def _tipping(
    estimand: Estimand,
    people: Sequence[ArmPerson],
    arm: int,
    arms: Sequence[int],
    told: PairAnswer,
    seed: int,
) -> TippingPoint | None:
    """Fill the missing values, and make those of the better arm worse until p passes 0.05."""
    counted = [one for one in people if one.value is not None]
    known = _before(counted)
    slope, level = 0.0, float(np.mean([one.value for one in counted if one.value is not None]))
    values = np.array([one.value for one in counted], float)
    if known is not None:
        slope, level = (float(one) for one in np.polyfit(known, values, 1))
    average = float(known.mean()) if known is not None else 0.0
    worst = -1.0 if estimand.measure == SCORE else 1.0
    better = arm if worst * (told.estimate or 0.0) < 0 else 0

    def tested(worse: float) -> tuple[float, float] | None:
        filled = []
        for one in people:
            if one.value is None:
                due = level + slope * (average if one.before is None else one.before)
                one = replace(one, value=due + (worst * worse if one.arm == better else 0.0))
            filled.append(one)
        test = _test(estimand, sorted(filled, key=_place), arms, seed, DRAWS)
        pair = arms.index(arm) - 1
        return (test.estimates[pair], test.p(pair)) if test else None

    found = tested(0.0)
    if found is None:
        return None
    filled = sum(one.value is None for one in people)
    point = TippingPoint(filled, *found, None)
    absent = any(one.value is None and one.arm == better for one in people)
    if not absent or found[1] > ALPHA:
        return (
            replace(point, worse=0.0)
            if told.p is not None and told.p <= ALPHA < found[1]
            else point
        )
    near, far = 0.0, 1.0
    while far <= 2.0**12:
        at = tested(far)
        if at is None or at[1] > ALPHA:
            for _halving in range(16):
                middle = (near + far) / 2
                between = tested(middle)
                gone = between is None or between[1] > ALPHA
                near, far = (near, middle) if gone else (middle, far)
            return replace(point, worse=far)
        near, far = far, 2 * far
    return point
