"""The primary analysis, which compares the arms: estimand, test, interval, verdict, tipping point.

The estimand is the difference between an arm and the first arm in people's mean value, adjusted for
the baseline games. The analysis includes everyone who has an arm, finished a game of the outcome
phase and is not excluded by a locked rule. If everyone plays both arms, a person's value is half of
the difference between the first and the second period, the label is the order of the arms, and the
test is the same.

The sensitivity analysis calculates how bad the missing values must be for the effect to disappear.
The planner calls the same function with simulated people.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

import numpy as np

from game.trials.analysis.lots import DRAWS, EITHER, LESS, MORE, LabelTest
from solver.statistics.chi_squared import Floats

ANALYSIS = "free permutation"  # the name of this analysis in a locked plan
COST, A_DECISION, SCORE = ("cost", "cost_a_decision", "score")
DIRECTIONS = (EITHER, LESS, MORE)
ALPHA, ALPHA_ALIKE = 0.05, 0.10
LEAST = 6  # people per arm; an arm with fewer gets no verdict
LEAST_BEFORE = 4  # people with baseline games; with fewer people, values are not adjusted
DIFFERENT, EQUIVALENT, UNDECIDED, TOO_FEW = "different", "equivalent", "undecided", "too few"


@dataclass(frozen=True, slots=True)
class Estimand:
    """The comparison that a trial makes. ``smallest`` is the smallest difference that matters."""

    arms: tuple[str, ...]
    phase: str
    measure: str = COST
    direction: str = EITHER
    smallest: float | None = None
    within: bool = False

    @classmethod
    def from_facts(cls, facts: Mapping[str, Any]) -> "Estimand":
        known = {part.name: facts[part.name] for part in fields(cls)}
        return cls(**known | {"arms": tuple(facts["arms"])})

    def facts(self) -> dict[str, Any]:
        return asdict(self) | {"arms": list(self.arms)}


@dataclass(frozen=True, slots=True)
class ArmPerson:
    """A person with an arm, or with an order of two arms. ``value`` is None if the person finished
    no game of the outcome phase. ``left_out`` is true if a locked rule excludes the person."""

    name: str
    arm: int
    value: float | None
    before: float | None = None
    left_out: bool = False


@dataclass(frozen=True, slots=True)
class TippingPoint:
    """The sensitivity analysis. ``filled`` people have no value. Their values are predicted from
    their baseline games, and ``estimate`` and ``p`` include the predictions. The effect disappears
    if the predictions of the better arm worsen by ``worse`` points (None: it never does)."""

    filled: int
    estimate: float
    p: float
    worse: float | None


@dataclass(frozen=True, slots=True)
class PairAnswer:
    """A comparison of an arm with the first arm. Each pair of numbers has one number for each of
    these two arms. An end of the interval is None if the interval has no limit on this side."""

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


def compare_arms(
    estimand: Estimand,
    people: Sequence[ArmPerson],
    seed: int,
    *,
    draws: int = DRAWS,
    full: bool = True,
) -> PrimaryAnswer:
    """Compare every later arm with the first. Without ``full``, omit the intervals and the tipping
    point, which the planner's simulations do not need."""
    drawn = [person for person in people if not person.left_out]
    # Sort by value, so that others can repeat the test without knowing the order of arrival.
    counted = sorted((person for person in drawn if person.value is not None), key=_get_sort_key)
    missing = [person for person in drawn if person.value is None]
    sizes = [sum(person.arm == arm for person in counted) for arm in range(len(estimand.arms))]
    enough = [arm for arm, size in enumerate(sizes) if size >= LEAST]
    test = None
    if len(enough) > 1 and enough[0] == 0:
        test = _build_test(
            estimand, [person for person in counted if person.arm in enough], enough, seed, draws
        )
    pairs = []
    for arm in range(1, len(estimand.arms)):
        pair_values = [
            np.array([person.value for person in counted if person.arm == at], float)
            for at in (arm, 0)
        ]
        means = [float(values.mean()) if len(values) else None for values in pair_values]
        apart = [float(values.std(ddof=1)) if len(values) > 1 else None for values in pair_values]
        absent = [sum(person.arm == at for person in missing) for at in (arm, 0)]
        answer = PairAnswer(
            estimand.arms[arm],
            estimand.arms[0],
            (len(pair_values[0]), len(pair_values[1])),
            (means[0], means[1]),
            (apart[0], apart[1]),
            (absent[0], absent[1]),
        )
        if test is not None and arm in enough:
            pair, smallest = enough.index(arm) - 1, estimand.smallest
            p = test.calculate_p(pair)
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
            answer = replace(
                answer,
                verdict=DIFFERENT if p <= ALPHA else EQUIVALENT if inside else UNDECIDED,
                estimate=test.estimates[pair],
                p=p,
                low=low,
                high=high,
                low_90=low_90,
                high_90=high_90,
            )
            if full and any(person.arm in enough for person in missing):
                everybody = [person for person in drawn if person.arm in enough]
                answer = replace(
                    answer,
                    tipping_point=_find_tipping_point(
                        estimand, everybody, arm, enough, answer, seed
                    ),
                )
        pairs.append(answer)
    return PrimaryAnswer(estimand, seed, _list_baselines(counted) is not None, tuple(pairs))


def _get_sort_key(person: ArmPerson) -> tuple[int, float, float]:
    before = float("-inf") if person.before is None else round(person.before, 9)
    return person.arm, round(person.value or 0.0, 9), before


def _list_baselines(people: Sequence[ArmPerson]) -> Floats | None:
    """Return each person's baseline value, with the average for unknown values. Return None if too
    few values are known."""
    known = [person.before for person in people if person.before is not None]
    if len(known) < LEAST_BEFORE or max(known) - min(known) <= 0:
        return None
    average = float(np.mean(known))
    return np.array([average if person.before is None else person.before for person in people])


def _build_test(
    estimand: Estimand, people: Sequence[ArmPerson], arms: Sequence[int], seed: int, draws: int
) -> LabelTest | None:
    values = np.array([person.value for person in people], float)
    labels = np.array([arms.index(person.arm) for person in people], np.int64)
    before, direction = _list_baselines(people), estimand.direction
    return LabelTest.prepare(values, labels, before, seed=seed, draws=draws, direction=direction)


def _find_tipping_point(
    estimand: Estimand,
    people: Sequence[ArmPerson],
    arm: int,
    arms: Sequence[int],
    answer: PairAnswer,
    seed: int,
) -> TippingPoint | None:
    """Predict missing values. Find how far the better arm's must worsen until p > 0.05."""
    counted = [person for person in people if person.value is not None]
    known = _list_baselines(counted)
    slope, level = (
        0.0,
        float(np.mean([person.value for person in counted if person.value is not None])),
    )
    values = np.array([person.value for person in counted], float)
    if known is not None:
        slope, level = (float(person) for person in np.polyfit(known, values, 1))
    average = float(known.mean()) if known is not None else 0.0
    worst = -1.0 if estimand.measure == SCORE else 1.0
    better = arm if worst * (answer.estimate or 0.0) < 0 else 0

    def fill_and_test(worse: float) -> tuple[float, float] | None:
        filled = []
        for person in people:
            if person.value is None:
                due = level + slope * (average if person.before is None else person.before)
                person = replace(
                    person, value=due + (worst * worse if person.arm == better else 0.0)
                )
            filled.append(person)
        test = _build_test(estimand, sorted(filled, key=_get_sort_key), arms, seed, DRAWS)
        pair = arms.index(arm) - 1
        return (test.estimates[pair], test.calculate_p(pair)) if test else None

    outcome = fill_and_test(0.0)
    if outcome is None:
        return None
    filled = sum(person.value is None for person in people)
    point = TippingPoint(filled, *outcome, None)
    absent = any(person.value is None and person.arm == better for person in people)
    if not absent or outcome[1] > ALPHA:
        return (
            replace(point, worse=0.0)
            if answer.p is not None and answer.p <= ALPHA < outcome[1]
            else point
        )
    near, far = 0.0, 1.0
    while far <= 2.0**12:
        at = fill_and_test(far)
        if at is None or at[1] > ALPHA:
            for _halving in range(16):
                middle = (near + far) / 2
                between = fill_and_test(middle)
                gone = between is None or between[1] > ALPHA
                near, far = (near, middle) if gone else (middle, far)
            return replace(point, worse=far)
        near, far = far, 2 * far
    return point
