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
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from game.trials.analysis.lots import DRAWS, EITHER, LabelTest, find_limit
from solver.statistics.chi_squared import Floats

ANALYSIS = "free permutation"  # the name of this analysis in a locked plan
COST, A_DECISION, SCORE = ("cost", "cost_a_decision", "score")
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
        return cls(**known | {"arms": tuple(facts["arms"])})  # JSON has a list


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
    people: tuple[int, ...]
    means: tuple[float | None, ...]
    deviations: tuple[float | None, ...]
    missing: tuple[int, ...]
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
    counted = _list_counted(drawn)
    values, missing = [], []  # by arm: the people's values, and the number of people without one
    for arm in range(len(estimand.arms)):
        values.append(np.array([person.value for person in counted if person.arm == arm], float))
        missing.append(sum(person.arm == arm for person in drawn) - len(values[arm]))
    enough = [arm for arm, known in enumerate(values) if len(known) >= LEAST]
    everybody = [person for person in drawn if person.arm in enough]
    test = None
    if len(enough) > 1 and enough[0] == 0:
        test = _build_test(estimand, everybody, enough, seed, draws)
    pairs = []
    for arm in range(1, len(estimand.arms)):
        both = [values[arm], values[0]]
        answer = PairAnswer(
            estimand.arms[arm],
            estimand.arms[0],
            tuple(map(len, both)),
            tuple(float(known.mean()) if len(known) else None for known in both),
            tuple(float(known.std(ddof=1)) if len(known) > 1 else None for known in both),
            (missing[arm], missing[0]),
        )
        if test is not None and arm in enough:
            pair, smallest = enough.index(arm) - 1, estimand.smallest
            p, low, high, low_90, high_90 = test.calculate_p(pair), None, None, None, None
            if full:
                low, high = test.ends(pair, ALPHA)
            if full and smallest:
                low_90, high_90 = replace(test, direction=EITHER).ends(pair, ALPHA_ALIKE)
            inside = smallest is not None and all(
                end is not None and abs(end) <= smallest for end in (low_90, high_90)
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
            if full and any(person.value is None for person in everybody):
                point = _find_tipping_point(estimand, everybody, arm, enough, answer, seed)
                answer = replace(answer, tipping_point=point)
        pairs.append(answer)
    return PrimaryAnswer(estimand, seed, _list_baselines(counted) is not None, tuple(pairs))


def _list_counted(people: Sequence[ArmPerson]) -> list[ArmPerson]:
    """Return the people with a value. Sort them by value, so that others can repeat the test
    without knowing the order of arrival."""

    def get_sort_key(person: ArmPerson) -> tuple[int, float, float]:
        before = float("-inf") if person.before is None else round(person.before, 9)
        return person.arm, round(person.value or 0.0, 9), before

    return sorted((person for person in people if person.value is not None), key=get_sort_key)


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
    people = _list_counted(people)
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
    values, known = np.array([person.value for person in counted], float), _list_baselines(counted)
    slope, level, average = 0.0, float(values.mean()), 0.0
    if known is not None:
        slope, level = map(float, np.polyfit(known, values, 1))
        average = float(known.mean())
    worst = -1.0 if estimand.measure == SCORE else 1.0
    better = arm if worst * (answer.estimate or 0.0) < 0 else 0

    def fill_and_test(worse: float) -> tuple[float, float] | None:
        filled = []
        for person in people:
            if person.value is None:
                due = level + slope * (average if person.before is None else person.before)
                due += worst * worse if person.arm == better else 0.0
                person = replace(person, value=due)
            filled.append(person)
        test = _build_test(estimand, filled, arms, seed, DRAWS)
        pair = arms.index(arm) - 1
        return (test.estimates[pair], test.calculate_p(pair)) if test else None

    outcome, limit = fill_and_test(0.0), None
    if outcome is None:
        return None
    if outcome[1] > ALPHA:
        limit = 0.0 if answer.verdict == DIFFERENT else None
    elif any(person.value is None and person.arm == better for person in people):
        limit = find_limit(
            lambda worse: (at := fill_and_test(worse)) is None or at[1] > ALPHA,
            start=0.0,
            first=1.0,
            doublings=13,
            halvings=16,
        )
    return TippingPoint(len(people) - len(counted), *outcome, limit)
