"""Learn from your mistakes: a decision again, without the answer, until it is tried."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from game.coach.review import Review, Step, step_of
from game.judgement.severity import INACCURACY, SEVERITIES
from solver.advice import is_mistake
from solver.rules import Action

Place = tuple[int, int]  # turn and throw, by which a decision of a game is found


@dataclass(frozen=True, slots=True)
class Stop:
    """One mistake in the row of all of them; ``told`` says how the first try at it went."""

    number: int
    turn: int
    throw: int
    current: bool
    result: str  # right, near, wrong, or nothing yet

    @property
    def told(self) -> str:
        match self.result:
            case "right":
                return _("right at once")
            case "near":
                return _("nearly right")
            case "wrong":
                return _("not found at once")
        return _("not tried yet")


@dataclass(frozen=True)
class Lesson:
    """``first`` is what the first try at each mistake cost, where one is known."""

    review: Review
    step: Step
    first: Mapping[Place, float]

    @property
    def mistakes(self) -> Sequence[Step]:
        return self.review.mistakes

    @property
    def stops(self) -> list[Stop]:
        return [
            Stop(one.number, one.turn, one.throw, one.number == self.step.number, self._result(one))
            for one in self.mistakes
        ]

    def _result(self, step: Step) -> str:
        cost = self.first.get((step.turn, step.throw))
        if cost is None:
            return ""
        if not is_mistake(cost):
            return "right"
        return "near" if cost < INACCURACY else "wrong"

    @property
    def place(self) -> int:
        """Of the mistakes, from 1; 0 for a decision that is none."""
        numbers = [one.number for one in self.mistakes]
        return numbers.index(self.step.number) + 1 if self.step.number in numbers else 0

    @property
    def slipped(self) -> bool:
        """Whether anything better could have been done."""
        return self.step.severity in SEVERITIES

    @property
    def next(self) -> Step | None:
        return next((one for one in self.mistakes if one.number > self.step.number), None)


@dataclass(frozen=True)
class Tried:
    """What somebody would do now, beside what was done in the game."""

    played: Step
    step: Step

    @property
    def right(self) -> bool:
        """What ties with the best is right too."""
        return not is_mistake(self.step.entry.regret)

    @property
    def result(self) -> str:
        return "right" if self.right else "near" if self.near else "wrong"

    @property
    def near(self) -> bool:
        return not self.right and not self.step.mistaken

    @property
    def verdict(self) -> str:
        facts = {"choice": self.step.label, "cost": self.step.cost}
        if self.right:
            return _("Right: %(choice)s.") % facts
        if self.near:
            return _("%(choice)s: %(cost)s. Nearly: one choice is better still.") % facts
        return _("%(choice)s: %(cost)s. There is something better.") % facts

    @property
    def before(self) -> str:
        """What was done when it counted."""
        facts = {"choice": self.played.label, "cost": self.played.cost}
        if self.step.entry.action == self.played.entry.action:
            return _("That is what was played in the game.")
        return _("In the game it was “%(choice)s”: %(cost)s.") % facts


def tried(played: Step, action: Action) -> Tried:
    return Tried(played, step_of(played.advisor, played.number, played.state, action))
