"""The design of a trial: the order of games and arms, and the random assignment of people.

Every participant plays ``before`` baseline games, then the training games of the participant's arm,
then ``after`` games, and days later ``follow_up`` games. If ``within``, a participant plays the
training games of every arm, one arm after another. The coach, the drill and the hidden points of an
arm apply only in the training.

A participant's arm is drawn as late as possible: before the first game that depends on the arm.

A condition is an arm or, if everyone plays both arms, an order of the arms. An allocation list
assigns the conditions in permuted blocks, which a seed determines:

    factor(block)    = 1 + (first byte of H(seed, "", block)) mod 2
    places(block)    = every condition, factor times: 0, 1, .. c-1, 0, 1, .. c-1
    order(block)     = the places, sorted by H(seed, "", block, place)
    H(a, b, ..)      = SHA-256 of the JSON list [a,b,..] in UTF-8, without blanks

Blocks, places and conditions are counted from 0. The "" was the stratum in older trials.

The list consists of the blocks in order. The nth person (n from 1) gets the nth entry. The seed
determines the list before anyone joins. The ``seal`` commits the server to the list: pages show the
seal from the start, and the seed once the trial is closed and unblinded. Blocks have two lengths,
so that people cannot guess the last place of a block.

    seal             = H(seed, 2, "between" or "within", arm, arm, ..)
    arm              = its settings as pairs [name, value], sorted by their names
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, count, islice
from typing import NamedTuple

BEFORE, TRAINING, AFTER, FOLLOW_UP = "before", "training", "after", "follow_up"
PHASES = (BEFORE, TRAINING, AFTER, FOLLOW_UP)


@dataclass(frozen=True, slots=True)
class ArmSettings:
    """The settings of an arm. For an empty string or None, the trial's own setting applies."""

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
    """Phases and arms. An arm that sets no number of training games has ``games_each`` of them."""

    games_each: int
    arms: tuple[ArmSettings, ...] = ()
    before: int = 0
    after: int = 0
    follow_up: int = 0
    follow_up_days: int = 0
    within: bool = False
    own_games: bool = False  # True if an arm has another ruleset or other dice than the trial

    @property
    def plain(self) -> bool:
        """True if the trial has no arms and only one phase."""
        return not (self.arms or self.before or self.after or self.follow_up)

    @property
    def conditions(self) -> int:
        """The number of arms or, if everyone plays both arms, of orders of the arms."""
        return len(self.arms)

    def find_arm_order(self, condition: int) -> tuple[int, ...]:
        return (condition, 1 - condition) if self.within else (condition,)

    @property
    def common(self) -> int:
        """The number of games before the arm is drawn; 0 if arms have other rules or dice."""
        return 0 if self.own_games and not self.within else self.before

    @property
    def lengths(self) -> set[int]:
        """The possible total numbers of games of a participant, which depend on the arm."""
        orders = [self.find_arm_order(condition) for condition in range(self.conditions)] or [()]
        return {len(list_games(self, order)) for order in orders}


class PlannedGame(NamedTuple):
    """A planned game. ``arm`` counts from 0, and is None if the game is the same in every arm."""

    phase: str
    arm: int | None


def list_games(design: TrialDesign, order: Sequence[int]) -> list[PlannedGame]:
    whole = order[0] if order and not design.within else None
    games = [PlannedGame(BEFORE, whole)] * design.before
    if design.arms:
        for arm in order:
            number = design.arms[arm].games_each
            games += [PlannedGame(TRAINING, arm)] * (
                design.games_each if number is None else number
            )
    else:
        games += [PlannedGame("" if design.plain else TRAINING, None)] * design.games_each
    games += [PlannedGame(AFTER, whole)] * design.after
    return games + [PlannedGame(FOLLOW_UP, whole)] * design.follow_up


FACTORS = 2
SEAL = 2  # version of the seals that are made today


def draw_condition(seed: str, number: int, conditions: int) -> int:
    """Return the condition (from 0) of person ``number`` (from 1)."""
    blocks = (permute_block(seed, block, conditions) for block in count())
    return next(islice(chain.from_iterable(blocks), number - 1, None))


def permute_block(seed: str, block: int, conditions: int) -> list[int]:
    factor = 1 + _hash(seed, "", block)[0] % FACTORS
    places = range(conditions * factor)
    ordered = sorted(places, key=lambda place: _hash(seed, "", block, place))
    return [place % conditions for place in ordered]


def make_seal(
    seed: str, arms: Sequence[Mapping[str, object]], *, within: bool, version: int = SEAL
) -> str:
    """Return the hash that commits the server to the seed, the kind of design and the settings of
    all arms. No one can find another list with the same hash. In older trials (version 1), the hash
    covers only the names of the arms."""
    kind = "within" if within else "between"
    if version == 1:
        return _hash(seed, kind, *(arm["name"] for arm in arms)).hex()
    return _hash(seed, version, kind, *(sorted(arm.items()) for arm in arms)).hex()


def derive_list_seed(secret: str) -> str:
    """Derive the allocation list's seed from the trial's secret. The seed reveals no dice."""
    return _hash("yatzy assignment", secret).hex()


def _hash(*parts: object) -> bytes:
    text = json.dumps(parts, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).digest()
