"""*Learn from your mistakes*: the questions about a game, and similar drill positions."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from django.utils.functional import cached_property
from django.utils.translation import gettext as _

from game.coach.review import Review, Step
from game.core.words.equation import AllRegained, Regained
from game.core.worth.drilled import DRILLED
from game.core.worth.leak_tree import Path, find_path
from game.core.worth.severity import INACCURACY, SEVERITIES
from game.practice.drill_pool import Exercise, load_exercises
from solver.advice import Advisor, Position, build_state, is_mistake
from solver.rules import Action, Hold, Score


def find_similar(
    advisor: Advisor, positions: Sequence[Position], met: Collection[str] = ()
) -> list[Exercise]:
    """Return a different similar exercise for each position, new to the player if possible."""
    exercises: list[Exercise] = []
    for position in positions:
        exercises.append(
            _find_nearest(advisor, position, met, {exercise.key for exercise in exercises})
        )
    return exercises


def find_idea(advisor: Advisor, position: Position) -> Path:
    state, best = build_state(position), advisor.advise(position).best
    action: Action = (
        Score(best.category) if best.category else Hold.from_faces(best.dice, state.dice)
    )
    return find_path(advisor, state, action)


@lru_cache(maxsize=len(DRILLED))
def _map_ideas(advisor: Advisor) -> Mapping[str, Path]:
    """Map each exercise to the idea of its best move (cached, because this takes 0.1 to 0.2 s)."""
    pool = load_exercises(advisor.rules)
    return {name: find_idea(advisor, exercise.position) for name, exercise in pool.items()}


def _find_nearest(
    advisor: Advisor, position: Position, met: Collection[str], taken: Collection[str]
) -> Exercise:
    """Return the exercise whose idea is most like that of this position, not yet ``taken``."""
    kind, throw, box, phase, bonus = find_idea(advisor, position)
    ideas, filled = _map_ideas(advisor), position.filled.bit_count()

    def measure_distance(exercise: Exercise) -> tuple[float, ...]:
        _kind, its_throw, its_box, its_phase, its_bonus = ideas[exercise.key]
        return (
            exercise.key in met,
            its_box != box,
            its_throw != throw,
            abs(exercise.position.filled.bit_count() - filled),
            its_bonus != bonus,
            its_phase != phase,
        )

    left = [
        exercise
        for name, exercise in load_exercises(advisor.rules).items()
        if ideas[name][0] == kind and exercise.position != position and name not in taken
    ]
    return min(left, key=measure_distance)


MOMENTS = 5  # number of key moments at the start of a lesson

Place = tuple[int, int]  # a turn and a roll, which identify a decision of a game


@dataclass(frozen=True, slots=True)
class Stop:
    """A line in the list of a game's mistakes. ``first_try`` describes the first answer."""

    number: int
    turn: int
    throw: int
    current: bool
    result: str  # right, near, wrong, or empty before the first try

    @property
    def first_try(self) -> str:
        match self.result:
            case "right":
                return _("right at the first try")
            case "near":
                return _("nearly right")
            case "wrong":
                return _("not right at the first try")
        return _("not tried yet")


@dataclass(frozen=True)
class Lesson:
    """The questions about a game's mistakes. ``first`` maps the (turn, roll) of each tried mistake
    to the points that the first try lost."""

    review: Review
    step: Step
    first: Mapping[Place, float]

    @property
    def mistakes(self) -> Sequence[Step]:
        """The mistakes in the order of the questions."""
        return [*self.moments, *self.rest]

    @cached_property
    def moments(self) -> Sequence[Step]:
        return sorted(self.review.mistakes, key=lambda mistake: -mistake.entry.regret)[:MOMENTS]

    @cached_property
    def rest(self) -> Sequence[Step]:
        return [mistake for mistake in self.review.mistakes if mistake not in self.moments]

    @property
    def at_a_moment(self) -> bool:
        return self.step in self.moments

    @property
    def stops(self) -> list[Stop]:
        return self._list_stops(self.mistakes)

    @property
    def first_stops(self) -> list[Stop]:
        return self._list_stops(self.moments)

    @property
    def more_stops(self) -> list[Stop]:
        return self._list_stops(self.rest)

    def _list_stops(self, steps: Sequence[Step]) -> list[Stop]:
        at, stops = self.step.number, []
        for step in steps:
            cost = self.first.get((step.turn, step.throw))
            if cost is None:
                first_try = ""
            elif is_mistake(cost):
                first_try = "wrong" if cost >= INACCURACY else "near"
            else:
                first_try = "right"
            stops.append(Stop(step.number, step.turn, step.throw, step.number == at, first_try))
        return stops

    @property
    def _row(self) -> Sequence[Step]:
        """The current mistake's group (key moments or others); empty if it is no mistake."""
        row = self.moments if self.at_a_moment else self.rest
        return row if self.step in row else ()

    @property
    def place(self) -> int:
        """The current mistake's number in its group, from 1; 0 if the move is not a mistake."""
        return self._row.index(self.step) + 1 if self._row else 0

    @property
    def places(self) -> int:
        return len(self._row)

    @property
    def slipped(self) -> bool:
        return self.step.severity in SEVERITIES

    @property
    def next(self) -> Step | None:
        """The next mistake in the group or, if the current move is not a mistake, in the game."""
        if self._row:
            return next(iter(self._row[self.place :]), None)
        return next(
            (mistake for mistake in self.review.mistakes if mistake.number > self.step.number), None
        )

    @cached_property
    def regained(self) -> list[tuple[Step, Regained]]:
        """The mistakes that the player tried, each with the points that the first try won back."""
        tried = (
            (mistake, self.first.get((mistake.turn, mistake.throw))) for mistake in self.mistakes
        )
        return [
            (mistake, Regained(mistake.entry.regret, cost))
            for mistake, cost in tried
            if cost is not None
        ]

    @property
    def all_regained(self) -> AllRegained:
        return AllRegained([part for _step, part in self.regained])


@dataclass(frozen=True)
class Tried:
    played: Step
    step: Step

    @property
    def right(self) -> bool:
        """True if the answer is the best option, or just as good."""
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
            return _("%(choice)s: %(cost)s. Close: one option is better.") % facts
        return _("%(choice)s: %(cost)s. There is a better option.") % facts

    @property
    def before(self) -> str:
        facts = {"choice": self.played.label, "cost": self.played.cost}
        if self.step.entry.action == self.played.entry.action:
            return _("Your answer was also the move in the game.")
        return _("The move in the game was “%(choice)s”: %(cost)s.") % facts
