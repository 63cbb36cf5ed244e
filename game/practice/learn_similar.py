"""Positions of the pool that ask for the same idea as a decision of a game did.

The idea of a position is where the leak finder puts the best that can be done in it: a hold or a
box, after which throw, for which box, in which third of the game, with which hope of the bonus. A
box is like a box alone, and a hold like a hold. Of those the nearest is for the same box, after
the same throw, with about as many boxes open; what was met before gives way to what is new.
"""

from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache

from game.core.worth.drilled import DRILLED
from game.core.worth.leak_tree import Path, place
from game.practice.drill_pool import Exercise, exercises
from solver.advice import Advisor, Position, state_of
from solver.rules import Action, Hold, Score


def nearest(
    advisor: Advisor, positions: Sequence[Position], met: Collection[str] = ()
) -> list[Exercise]:
    """For each of them one that is another position, none twice; ``met`` are keys of the pool."""
    found: list[Exercise] = []
    for position in positions:
        found.append(_nearest(advisor, position, met, {one.key for one in found}))
    return found


def idea(advisor: Advisor, position: Position) -> Path:
    state, best = state_of(position), advisor.advise(position).best
    action: Action = Score(best.category) if best.category else Hold.of(best.dice, state.dice)
    return place(advisor, state, action)


@lru_cache(maxsize=len(DRILLED))
def _ideas(advisor: Advisor) -> Mapping[str, Path]:
    """Of the whole pool, worked out once: a tenth of a second or two."""
    pool = exercises(advisor.rules)
    return {name: idea(advisor, exercise.position) for name, exercise in pool.items()}


def _nearest(
    advisor: Advisor, position: Position, met: Collection[str], taken: Collection[str]
) -> Exercise:
    kind, throw, box, phase, bonus = idea(advisor, position)
    ideas, filled = _ideas(advisor), position.filled.bit_count()

    def apart(exercise: Exercise) -> tuple[float, ...]:
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
        for name, exercise in exercises(advisor.rules).items()
        if ideas[name][0] == kind and exercise.position != position and name not in taken
    ]
    return min(left, key=apart)
