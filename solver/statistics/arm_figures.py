"""The games of a trial with arms as the statistics take them, and the figures that they give."""

from dataclasses import asdict, dataclass
from typing import Any, Literal

from solver.statistics.inference import Interval, Significance
from solver.statistics.randomisation import Randomised

Measure = Literal["cost_a_decision", "cost", "score"]
MEASURES: tuple[Measure, ...] = ("cost_a_decision", "cost", "score")

BEFORE, TRAINING, AFTER, FOLLOW_UP = PHASES = ("before", "training", "after", "follow_up")


@dataclass(frozen=True, slots=True)
class ArmPerson:
    """``arm`` is what was drawn, in this block; of a within-person design, which order.

    ``planned``: games up to the follow-up, after which everything has been played as it was meant.
    """

    person: str
    arm: str
    block: str = ""
    stratum: str = ""
    planned: int = 0


@dataclass(frozen=True, slots=True)
class ArmGame:
    """A game in the condition in which it was dealt; a trial without phases has training alone.

    ``regret`` is that of all decisions that were judged, ``decisions`` those of them in which
    there was something to choose; both are None where some were not judged. ``deal`` is the same
    for the same dice.
    """

    person: str
    arm: str
    phase: str
    number: int
    finished: bool = True
    score: int | None = None
    regret: float | None = None
    decisions: int | None = None
    deal: str = ""

    def measured(self, by: Measure) -> float | None:
        if by == "score":
            return None if self.score is None else float(self.score)
        if self.regret is None or by == "cost":
            return self.regret
        return self.regret / self.decisions if self.decisions else None


@dataclass(frozen=True, slots=True)
class ArmDesign:
    """The first arm is the one that others stand beside; without arms it is one without a name.

    ``outcome`` is the phase that the trial asks about: the games afterwards, where there are any,
    for they tell what is left when nobody is coached any more.
    """

    arms: tuple[str, ...]
    outcome: str = TRAINING
    within: bool = False
    shared_dice: bool = False


@dataclass(frozen=True, slots=True)
class ArmDifference:
    """An arm beside the first one. ``model`` is about people like these, ``lot`` about these.

    ``means`` are those of the people's means, as they are; the difference is adjusted for what
    was ``before`` where that is known. The lot's p and range allow for several arms; where every
    pair was compared ``singly``, ``p_of_several`` does (Holm), and the range is each for itself.
    """

    arm: str
    beside: str
    people: tuple[int, int]
    means: tuple[float, float]
    difference: float
    model: Interval | None
    test: Significance | None
    lot: Randomised | None
    adjusted: bool = False
    p_of_several: float | None = None
    by_lot: bool = True  # not where more than two conditions are compared within people

    @property
    def p(self) -> float | None:
        """The lot's, where enough lots were possible for it to have a range; else the model's."""
        if self.lot is not None and self.lot.low is not None:
            return self.lot.p
        return None if self.test is None else self.test.p

    @property
    def shown(self) -> Randomised | None:
        """Difference, range and p by one procedure: the lot's, or nothing of the lot at all."""
        if self.by_lot or self.model is None or self.test is None:
            return self.lot
        model = self.model
        return Randomised(model.mean, self.test.p, model.low, model.high, 0, listed=False)


@dataclass(frozen=True, slots=True)
class ArmMean:
    """An arm alone: the mean of its people's means, for people like these."""

    arm: str
    people: int
    games: int
    mean: float
    interval: Interval | None


@dataclass(frozen=True, slots=True)
class PhaseFigures:
    phase: str
    measure: Measure
    arms: tuple[ArmMean, ...]
    comparisons: tuple[ArmDifference, ...]


@dataclass(frozen=True, slots=True)
class Staying:
    """The people assigned to an arm: how many began, and how many finished what was planned."""

    arm: str
    given: int
    began: int
    ended: int
    share_lost: float | None
    lost_range: tuple[float, float] | None


@dataclass(frozen=True, slots=True)
class Dropouts:
    """``p``: how often the lot alone makes arms lose people as unevenly (Fisher's exact test)."""

    arms: tuple[Staying, ...]
    p: float | None


@dataclass(frozen=True, slots=True)
class ArmsAnalysis:
    """``main`` is the difference that the trial was made for: cost a decision, outcome phase."""

    design: ArmDesign
    main: PhaseFigures | None
    phases: tuple[PhaseFigures, ...]
    dropouts: Dropouts

    def facts(self) -> dict[str, Any]:
        return asdict(self)
