"""The design of a trial: what is played in which order and condition, and who is given which.

Every participant plays ``before`` games, then those of the arm (or, within each person, those of
every arm, one arm after the other), then ``after`` games, and ``follow_up`` games some days later.
An arm's coach, its drill and its hidden points belong to the training alone.

The lot falls as late as it can: before the first game in which an arm has a say.

Who gets which condition: permuted blocks out of a seed, one list for every stratum.

    factor(block)    = 1 + (first byte of H(seed, stratum, block)) mod 2
    places(block)    = every condition, factor times: 0, 1, .. c-1, 0, 1, .. c-1
    order(block)     = the places, sorted by H(seed, stratum, block, place)
    H(a, b, ..)      = SHA-256 of the JSON list [a,b,..] in UTF-8, without blanks

Blocks, places and conditions are counted from 0.

The list of a stratum is its blocks one after the other; anyone who comes as number n (from 1) gets
its nth entry. It is fixed before anybody comes, by the seed alone: ``seal`` binds the server to it,
and
is shown at once, the seed when the trial is closed. Blocks of two lengths keep the last place of a
block from being guessed.

    seal             = H(seed, 2, "between" or "within", arm, arm, ..)
    arm              = its settings as pairs [name, value], sorted by their names
"""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count, islice
from typing import NamedTuple

BEFORE, TRAINING, AFTER, FOLLOW_UP = "before", "training", "after", "follow_up"
PHASES = (BEFORE, TRAINING, AFTER, FOLLOW_UP)


@dataclass(frozen=True, slots=True)
class ArmSettings:
    """The settings of an arm; empty or None is as in the trial."""

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
        """The number of conditions: arms, or orders of arms."""
        return len(orders(len(self.arms))) if self.within else len(self.arms)

    def order(self, condition: int) -> tuple[int, ...]:
        """Return the arms of a condition in playing order."""
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
        """The possible total numbers of games."""
        whole = (steps(self, self.order(condition)) for condition in range(self.conditions))
        return {len(plan) for plan in whole} or {len(steps(self, ()))}


class PlannedGame(NamedTuple):
    """A game of the plan. Arms are counted from 0; None where no arm has a say."""

    phase: str
    arm: int | None


def common_steps(design: TrialDesign) -> list[PlannedGame]:
    """Return the games before the lot, in which no arm has a say."""
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
    """Return a balanced Latin square after Williams (1949): over all orders every arm is equally
    often at every place, and equally often right after every other. An odd number needs the mirror
    too."""
    zigzag = [(place + 1) // 2 if place % 2 else -(place // 2) for place in range(arms)]
    square = [tuple((start + step) % arms for step in zigzag) for start in range(arms)]
    mirrored = [row[::-1] for row in square] if arms % 2 and arms > 1 else []
    return tuple(square + mirrored)


FACTORS = 2
SEAL = 2  # the version of those that are made


def condition(seed: str, stratum: str, number: int, conditions: int) -> int:
    """Return the condition of the ``number``-th person of this stratum, from 1."""
    return next(islice(entries(seed, stratum, conditions), number - 1, None))


def entries(seed: str, stratum: str, conditions: int) -> Iterator[int]:
    """Yield the allocation list, which is endless."""
    for block in count():
        yield from permuted(seed, stratum, block, conditions)


def permuted(seed: str, stratum: str, block: int, conditions: int) -> list[int]:
    factor = 1 + _hash(seed, stratum, block)[0] % FACTORS
    places = range(conditions * factor)
    ordered = sorted(places, key=lambda place: _hash(seed, stratum, block, place))
    return [place % conditions for place in ordered]


def seal(
    seed: str, arms: Sequence[Mapping[str, object]], *, within: bool, version: int = SEAL
) -> str:
    """Return a hash of all that the list follows from; nobody can make another list that has it.

    It binds every setting of every arm. Those of the first version, which trials keep that had one,
    bound the names alone.
    """
    kind = "within" if within else "between"
    if version == 1:
        return _hash(seed, kind, *(arm["name"] for arm in arms)).hex()
    return _hash(seed, version, kind, *(sorted(arm.items()) for arm in arms)).hex()


def seed_of(secret: str) -> str:
    """Return the assignment's own seed: telling it tells nothing of the trial's dice."""
    return _hash("yatzy assignment", secret).hex()


def _hash(*parts: object) -> bytes:
    text = json.dumps(parts, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).digest()
