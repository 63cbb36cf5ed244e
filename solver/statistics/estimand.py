"""One estimand: what a comparison of arms is to find out, and how, said once and done as said.

It is chosen before anybody plays, locked in the preregistration, and carried out by
``solver.statistics.estimating``, which takes nothing but this, the games and the people. A planner
that asks how sure a trial will be asks about the same object.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from itertools import combinations
from typing import Any

from solver.statistics.arm_figures import (
    AFTER,
    BEFORE,
    FOLLOW_UP,
    TRAINING,
    ArmDesign,
    Measure,
)
from solver.statistics.randomisation import GREATER, LESS, TWO_SIDED

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
        """Where nobody has said beforehand what was to be found out; ``before``: whether there are
        games to adjust by."""
        if not design.within:
            covariate = BEFORE if before else NO_COVARIATE
            return cls(phase=design.outcome, covariate=covariate)
        if len(design.arms) == 2:
            return cls(covariate=NO_COVARIATE)
        return cls(covariate=NO_COVARIATE, test=WELCH, multiplicity=HOLM)

    @classmethod
    def from_facts(cls, facts: Mapping[str, Any]) -> "Estimand":
        """As it was locked; whatever it does not name is as usual."""
        known = {one.name: facts[one.name] for one in fields(cls) if one.name in facts}
        if known.get("chosen"):
            known["chosen"] = tuple(known["chosen"])
        return cls(**known)

    def facts(self) -> dict[str, Any]:
        """As plain data, for JSON."""
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
        """Which choice cannot be carried out in such a trial, and why not."""
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
        """Whoever plays every arm is compared with themselves, in the training alone."""
        usual = {"phase": TRAINING, "covariate": NO_COVARIATE, "missing": COMPLETE}
        for name, value in usual.items():
            if getattr(self, name) != value:
                yield name, "within"
        if len(arms) > 2 and self.test == LOT:
            yield "test", "several_orders"
