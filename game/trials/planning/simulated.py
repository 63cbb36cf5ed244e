"""What is simulated: a trial with arms and phases, and whom it loses on the way."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from json import dumps
from typing import Any

from game.trials.design.phases import AFTER, TRAINING, ArmSettings, TrialDesign, steps
from game.trials.planning.bots import digest
from solver.rules import PLAYED, find_ruleset
from solver.statistics.planning import Spread

FORMAT = 2  # of what is stored; another one is never read


@dataclass(frozen=True, slots=True)
class Phases:
    """How many games everybody plays in each."""

    baseline: int
    training: int
    test: int
    followup: int

    @property
    def games(self) -> int:
        return self.baseline + self.training + self.test + self.followup


@dataclass(frozen=True, slots=True)
class SimulatedTrial:
    """The first arm is silent, in each of the others games cost ``effect`` less.

    ``screened`` are given an arm and play nothing; ``dropouts`` stop somewhere on their way, with
    ``weak_leave`` the sooner somebody the more the games cost. Both are shares of all people.
    """

    ruleset: str
    outcome: str
    people: int
    arms: int
    phases: Phases
    spread: Spread
    effect: float | None = None
    within: bool = False
    shared_dice: bool = False
    screened: float = 0.0
    dropouts: float = 0.0
    weak_leave: bool = False
    together: bool = True

    @property
    def design(self) -> TrialDesign:
        return TrialDesign(
            games_each=self.phases.training,
            arms=tuple(ArmSettings(str(arm)) for arm in range(self.arms)),
            before=self.phases.baseline,
            after=self.phases.test,
            follow_up=self.phases.followup,
            within=self.within,
        )

    @property
    def asks(self) -> str:
        """The phase in which arms are compared, as the results choose it."""
        return AFTER if self.phases.test and not self.within else TRAINING

    @property
    def order(self) -> Sequence[str]:
        """The phase of every game that somebody plays; it is the same in every arm."""
        design = self.design
        return [phase for phase, _arm in steps(design, design.order(0))]

    @property
    def key(self) -> str:
        """Whatever another simulation would come of is in it."""
        facts: dict[str, Any] = asdict(self) | {"format": FORMAT}
        told = dumps(facts | {"games": digest(find_ruleset(self.ruleset, PLAYED))}, sort_keys=True)
        return sha256(told.encode()).hexdigest()[:20]
