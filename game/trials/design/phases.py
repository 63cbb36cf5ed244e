"""The design of a trial: what is played in which order, and under which conditions.

Every participant plays ``before`` games, then those of the arm (or, within each person, those of
every arm, one arm after the other), then ``after`` games, and ``follow_up`` games some days later.
An arm's coach, its drill and its hidden points belong to the training alone.

The lot falls as late as it can: before the first game in which an arm has a say.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

BEFORE, TRAINING, AFTER, FOLLOW_UP = "before", "training", "after", "follow_up"
PHASES = (BEFORE, TRAINING, AFTER, FOLLOW_UP)


@dataclass(frozen=True, slots=True)
class ArmSettings:
    """What an arm sets; empty or None is as the trial says."""

    name: str
    coach: str = "off"
    offered_points: bool = True
    ruleset: str = ""
    dice: str = ""
    shared_dice: bool | None = None
    games_each: int | None = None
    drill: bool = False


@dataclass(frozen=True, slots=True)
class TrialDesign:
    """``games_each`` is the training of an arm that says nothing else."""

    games_each: int
    arms: tuple[ArmSettings, ...] = ()
    before: int = 0
    after: int = 0
    follow_up: int = 0
    follow_up_days: int = 0
    within: bool = False
    own_games: bool = False  # some arm has rules or dice that are not the trial's

    @property
    def plain(self) -> bool:
        """Everybody plays the same games, and there is nothing to tell apart."""
        return not (self.arms or self.before or self.after or self.follow_up)

    @property
    def conditions(self) -> int:
        """What is assigned: an arm, or the order in which the arms are played."""
        return len(orders(len(self.arms))) if self.within else len(self.arms)

    def order(self, condition: int) -> tuple[int, ...]:
        """The arms of a condition, as they are played."""
        return orders(len(self.arms))[condition] if self.within else (condition,)

    def training(self, arm: int) -> int:
        games = self.arms[arm].games_each
        return self.games_each if games is None else games

    @property
    def common(self) -> int:
        """Games at the beginning that are the same whatever the lot will say: it falls after them.

        Rules and dice are those of the arm from the first game on, where everybody has one arm.
        """
        return 0 if self.own_games and not self.within else self.before

    @property
    def lengths(self) -> set[int]:
        """Games in all, by whatever the lot may say."""
        whole = (steps(self, self.order(condition)) for condition in range(self.conditions))
        return {len(plan) for plan in whole} or {len(steps(self, ()))}


class PlannedGame(NamedTuple):
    """A game of the plan. Arms are counted from 0; None where no arm has a say."""

    phase: str
    arm: int | None


def common_steps(design: TrialDesign) -> list[PlannedGame]:
    """The games before the lot, in which no arm has a say."""
    return [PlannedGame(BEFORE, None)] * design.common


def steps(design: TrialDesign, order: Sequence[int]) -> list[PlannedGame]:
    """Every game of a participant who plays these arms in this order, the first game first."""
    return list(_steps(design, order))


def _steps(design: TrialDesign, order: Sequence[int]) -> Iterator[PlannedGame]:
    whole = order[0] if order and not design.within else None
    yield from [PlannedGame(BEFORE, whole)] * design.before
    if design.arms:
        for arm in order:
            yield from [PlannedGame(TRAINING, arm)] * design.training(arm)
    else:
        yield from [PlannedGame("" if design.plain else TRAINING, None)] * design.games_each
    yield from [PlannedGame(AFTER, whole)] * design.after
    yield from [PlannedGame(FOLLOW_UP, whole)] * design.follow_up


def orders(arms: int) -> tuple[tuple[int, ...], ...]:
    """A balanced Latin square after Williams (1949): over all orders every arm is equally often at
    every place, and equally often right after every other. An odd number needs the mirror too."""
    zigzag = [(place + 1) // 2 if place % 2 else -(place // 2) for place in range(arms)]
    square = [tuple((start + step) % arms for step in zigzag) for start in range(arms)]
    mirrored = [row[::-1] for row in square] if arms % 2 and arms > 1 else []
    return tuple(square + mirrored)
