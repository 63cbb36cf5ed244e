"""An estimand is carried out: one function takes it and the data, and gives every figure.

Estimate, range and p of a pair are of one and the same test, so that p is at most 0.05 exactly
where the 95 % range leaves nought out. With Holm the range of a pair has the level at which Holm
tests it; with max-t all ranges together hold the truth in 95 of 100 trials. Two arms count as alike
where both one-sided tests at 5 % (TOST, by the same procedure) reject the smallest difference of
interest: nothing follows from a p that is large. Who has looked before asks for less than 0.05.

An estimand is chosen before anybody plays, locked in the preregistration, and carried out with
nothing but the games and the people. A planner that asks how sure a trial will be asks about the
same object.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from itertools import combinations
from typing import Any, Protocol

import numpy as np

from solver.statistics.arm_compare import ArmComparison, Lots, holm, known_before
from solver.statistics.arm_figures import (
    AFTER,
    BEFORE,
    FOLLOW_UP,
    TRAINING,
    ArmDesign,
    ArmGame,
    ArmPerson,
    Measure,
)
from solver.statistics.chi_squared import Floats
from solver.statistics.crossover import Crossed, crossed
from solver.statistics.randomisation import (
    ALPHA,
    GREATER,
    LESS,
    TWO_SIDED,
    LotTest,
    StudentTest,
    welch_test,
)

FIRST, ALL, CHOSEN = PAIRS = ("first", "all", "chosen")
CHANGE = "change"  # from the games before to those that the trial asks about
ESTIMAND_PHASES = (TRAINING, AFTER, FOLLOW_UP, CHANGE)
SIDES: Mapping[str, int] = {"two_sided": TWO_SIDED, "greater": GREATER, "less": LESS}
NO_COVARIATE = "none"
COVARIATES = (BEFORE, NO_COVARIATE)
LOT, WELCH = TESTS = ("lot", "welch")
MAX_T, HOLM, SINGLY = MULTIPLICITIES = ("max_t", "holm", "none")
COMPLETE, WORST, MEAN = MISSING = ("complete", "worst", "mean")

Compared = tuple[str, str]  # an arm, and the one beside which it stands


@dataclass(frozen=True, slots=True)
class Estimand:
    """The difference between ``pairs`` of arms in the mean of what people were worth in ``phase``.

    ``smallest`` is the smallest difference of interest, in the measure's own points; differences
    that are surely less than it count as none. Whom rules of exclusion name is left out before.
    """

    pairs: str = FIRST
    chosen: Compared | None = None
    phase: str = TRAINING
    measure: Measure = "cost_a_decision"
    direction: str = "two_sided"
    smallest: float | None = None
    covariate: str = BEFORE
    test: str = LOT
    multiplicity: str = MAX_T
    missing: str = COMPLETE

    @classmethod
    def usual(cls, design: ArmDesign, *, before: bool = True) -> "Estimand":
        """Return the usual estimand if none was chosen beforehand; ``before``: there are games
        to adjust by."""
        if not design.within:
            covariate = BEFORE if before else NO_COVARIATE
            return cls(phase=design.outcome, covariate=covariate)
        if len(design.arms) == 2:
            return cls(covariate=NO_COVARIATE)
        return cls(covariate=NO_COVARIATE, test=WELCH, multiplicity=HOLM)

    @classmethod
    def from_facts(cls, facts: Mapping[str, Any]) -> "Estimand":
        """Return the locked estimand; what it does not name is as usual."""
        known = {one.name: facts[one.name] for one in fields(cls) if one.name in facts}
        if known.get("chosen"):
            known["chosen"] = tuple(known["chosen"])
        return cls(**known)

    def facts(self) -> dict[str, Any]:
        return asdict(self) | {"chosen": list(self.chosen) if self.chosen else None}

    @property
    def side(self) -> int:
        return SIDES[self.direction]

    def compared(self, arms: Sequence[str]) -> list[Compared]:
        if self.pairs == CHOSEN:
            return [self.chosen] if self.chosen and {*self.chosen} <= {*arms} else []
        if self.pairs == ALL:
            return [(later, earlier) for earlier, later in combinations(arms, 2)]
        return [(arm, arms[0]) for arm in arms[1:]]

    def faults(
        self, *, arms: Sequence[str], phases: Collection[str], within: bool
    ) -> Iterator[tuple[str, str]]:
        """Yield the choices that are impossible in such a trial, with the reason."""
        if self.pairs == CHOSEN and not self._names_two(arms):
            yield "chosen", "two_arms"
        if self.multiplicity == MAX_T and self.test != LOT:
            yield "multiplicity", "needs_lot"
        if self.smallest is not None and self.smallest <= 0:
            yield "smallest", "above_nought"
        if within:
            yield from self._faults_within(arms)
            return
        needed = {CHANGE: BEFORE}.get(self.phase, self.phase)
        if needed not in phases:
            yield "phase", "not_played"
        if self.covariate == BEFORE and BEFORE not in phases:
            yield "covariate", "not_played"

    def _names_two(self, arms: Sequence[str]) -> bool:
        return self.chosen is not None and len({*self.chosen} & {*arms}) == 2

    def _faults_within(self, arms: Sequence[str]) -> Iterator[tuple[str, str]]:
        """Yield faults of a crossover, which compares people with themselves, in the training
        only."""
        usual = {"phase": TRAINING, "covariate": NO_COVARIATE, "missing": COMPLETE}
        for name, value in usual.items():
            if getattr(self, name) != value:
                yield name, "within"
        if len(arms) > 2 and self.test == LOT:
            yield "test", "several_orders"


class PairTest(Protocol):
    """A test of a pair, or of several together; ``pair`` is its place among them."""

    @property
    def estimates(self) -> Sequence[float]: ...
    def p(self, pair: int, effect: float = ..., side: int = ...) -> float: ...
    def ends(
        self, pair: int, alpha: float = ..., side: int = ...
    ) -> tuple[float | None, float | None]: ...


_Place = tuple[PairTest, int]
_Tests = dict[Compared, _Place]


@dataclass(frozen=True, slots=True)
class PairAnswer:
    """An arm beside another. ``p`` and the range allow for several pairs, as the estimand says.

    An end that is None is open: in a one-sided question, or where too few lots were possible to
    reject anything. ``alike_low`` and ``alike_high`` are the ends of both one-sided ranges.
    """

    arm: str
    beside: str
    people: tuple[int, int]
    means: tuple[float, float]
    estimate: float | None = None
    p: float | None = None
    low: float | None = None
    high: float | None = None
    alike_low: float | None = None
    alike_high: float | None = None
    different: bool = False
    alike: bool = False  # surely less than the smallest difference of interest

    @property
    def told(self) -> bool:
        return self.estimate is not None

    def __contains__(self, value: float) -> bool:
        above = self.low is None or self.low < value
        return above and (self.high is None or value < self.high)


@dataclass(frozen=True, slots=True)
class EstimandAnswer:
    """``filled``: people without a value of their own, who count as the estimand says."""

    estimand: Estimand
    pairs: tuple[PairAnswer, ...]
    people: int
    filled: int = 0
    adjusted: bool = False
    lots: int = 0
    listed: bool = False

    def facts(self) -> dict[str, Any]:
        return asdict(self) | {"estimand": self.estimand.facts()}


@dataclass(frozen=True)
class _Sample:
    """Everybody who counts: a value each, in an arm, in a block."""

    people: Sequence[ArmPerson]
    values: Floats
    before: Mapping[str, float]
    filled: int = 0

    def of(self, arms: Sequence[str]) -> "_Sample":
        rows = [at for at, one in enumerate(self.people) if one.arm in arms]
        return replace(self, people=[self.people[at] for at in rows], values=self.values[rows])

    def labels(self, arms: Sequence[str]) -> "np.typing.NDArray[np.int64]":
        return np.array([arms.index(one.arm) for one in self.people], dtype=np.int64)

    def count(self, arm: str) -> int:
        return sum(one.arm == arm for one in self.people)

    def means(self, pair: Compared) -> tuple[float, float]:
        arm, beside = (self.values[[one.arm == arm for one in self.people]] for arm in pair)
        return _mean(arm), _mean(beside)


def answered(
    estimand: Estimand,
    games: Sequence[ArmGame],
    people: Mapping[str, ArmPerson],
    design: ArmDesign,
    lots: Lots | None = None,
) -> EstimandAnswer:
    """Answer for those who were assigned an arm, with the games they finished."""
    by = ArmComparison(people, design, lots or Lots())
    finished = [game for game in games if game.finished and game.person in people]
    asked = estimand.compared(design.arms)
    if design.within:
        return _answered_within(estimand, finished, by, asked)
    sample = _sample(estimand, finished, by)
    counted = [
        PairAnswer(*pair, (sample.count(pair[0]), sample.count(pair[1])), sample.means(pair))
        for pair in asked
    ]
    tests = _tests(estimand, sample, [pair for pair in asked if _enough(sample, pair)], by.lots)
    adjusted = known_before(sample.people, sample.before)[1]
    return EstimandAnswer(
        estimand,
        _told(estimand, counted, tests),
        len(sample.people),
        sample.filled,
        adjusted,
        *_lots_of(tests),
    )


def _answered_within(
    estimand: Estimand,
    games: Sequence[ArmGame],
    by: ArmComparison,
    asked: Sequence[Compared],
) -> EstimandAnswer:
    of_phase = [game for game in games if game.phase == estimand.phase]
    found = crossed(of_phase, by, estimand.measure)
    if found is None:
        return EstimandAnswer(estimand, (), 0)
    counted = [
        PairAnswer(*pair, (len(found.people), len(found.people)), found.means(pair))
        for pair in asked
    ]
    tests: _Tests = {
        pair: (test, 0) for pair in asked if (test := _within_test(estimand, found, pair, by.lots))
    }
    told = _told(estimand, counted, tests)
    return EstimandAnswer(estimand, told, len(found.people), 0, False, *_lots_of(tests))


def _within_test(estimand: Estimand, found: Crossed, pair: Compared, lots: Lots) -> PairTest | None:
    if estimand.test != LOT:
        return StudentTest.of(found.interval(pair))
    gains, first, blocks = found.gains(pair)
    return LotTest.of(gains / 2, first.astype(int), blocks, [(1, 0)], None, lots.draws, lots.seed)


def _sample(estimand: Estimand, games: Sequence[ArmGame], by: ArmComparison) -> _Sample:
    before = by.levels(games, BEFORE, estimand.measure).by_person()
    phase = by.design.outcome if estimand.phase == CHANGE else estimand.phase
    values = by.levels(games, phase, estimand.measure).by_person()
    if estimand.phase == CHANGE:
        values = {who: value - before[who] for who, value in values.items() if who in before}
    missing = [who for who in by.people if who not in values] if values else []
    if estimand.missing in (WORST, MEAN):
        values |= dict.fromkeys(missing, _case(estimand, list(values.values())))
    known = before if estimand.covariate == BEFORE else {}
    filled = len(missing) if estimand.missing in (WORST, MEAN) else 0
    people = [by.people[who] for who in values]
    return _Sample(people, np.array(list(values.values()), float), known, filled)


def _mean(values: Floats) -> float:
    return float(values.mean()) if values.size else 0.0


def _case(estimand: Estimand, values: Sequence[float]) -> float:
    """Return the imputed value from all arms together, so that only the allocation says in which
    arm it counts."""
    if estimand.missing == MEAN or not values:
        return float(np.mean(values)) if values else 0.0
    return min(values) if estimand.measure == "score" else max(values)


def _enough(sample: _Sample, pair: Compared) -> bool:
    return min(map(sample.count, pair)) >= 2


def _tests(estimand: Estimand, sample: _Sample, pairs: Sequence[Compared], lots: Lots) -> _Tests:
    """With max-t all pairs are asked about together, else each by its own two arms alone."""
    if estimand.multiplicity == MAX_T and pairs:
        together = _test(estimand, sample, pairs, lots)
        return {pair: (together, at) for at, pair in enumerate(pairs)} if together else {}
    found = ((pair, _test(estimand, sample, [pair], lots)) for pair in pairs)
    return {pair: (test, 0) for pair, test in found if test}


def _test(
    estimand: Estimand, sample: _Sample, pairs: Sequence[Compared], lots: Lots
) -> PairTest | None:
    arms = list(dict.fromkeys(arm for pair in pairs for arm in pair))
    of = sample.of(arms)
    labels, covariates = of.labels(arms), known_before(of.people, of.before)[0]
    places = [(arms.index(arm), arms.index(beside)) for arm, beside in pairs]
    if estimand.test != LOT:
        return welch_test(of.values, labels, places[0], covariates)
    blocks = [one.block for one in of.people]
    return LotTest.of(of.values, labels, blocks, places, covariates, lots.draws, lots.seed)


def _lots_of(tests: _Tests) -> tuple[int, bool]:
    lots = [test for test, _at in tests.values() if isinstance(test, LotTest)]
    return (len(lots[0].lots), lots[0].listed) if lots else (0, False)


def _told(
    estimand: Estimand, counted: Sequence[PairAnswer], tests: _Tests
) -> tuple[PairAnswer, ...]:
    alone = {pair: test.p(at, 0.0, estimand.side) for pair, (test, at) in tests.items()}
    several = estimand.multiplicity == HOLM
    ps = holm(alone) if several else {pair: (p, 1) for pair, p in alone.items()}
    found = []
    for one in counted:
        pair = one.arm, one.beside
        if pair in tests:
            claims = len(tests) if several else 1
            one = _with_figures(one, tests[pair], ps[pair], estimand, claims)
        found.append(one)
    return tuple(found)


def _with_figures(
    one: PairAnswer,
    test: _Place,
    p: tuple[float, int],
    estimand: Estimand,
    claims: int,
) -> PairAnswer:
    """``p`` comes with how many times smaller the level is at which it was tested."""
    of, at = test
    low, high = of.ends(at, ALPHA / p[1], estimand.side)
    alike_low, alike_high = _one_sided(test, ALPHA / claims) if estimand.smallest else (None, None)
    alike = (
        estimand.smallest is not None
        and alike_low is not None
        and alike_high is not None
        and -estimand.smallest <= alike_low
        and alike_high <= estimand.smallest
    )
    figures = of.estimates[at], p[0], low, high, alike_low, alike_high
    return PairAnswer(one.arm, one.beside, one.people, one.means, *figures, p[0] <= ALPHA, alike)


def _one_sided(test: _Place, alpha: float) -> tuple[float | None, float | None]:
    of, at = test
    return of.ends(at, alpha, GREATER)[0], of.ends(at, alpha, LESS)[1]
