"""Made-up trials, whose truth is known: the analysis is tried on them before people are.

A person's games cost what the person's level makes of them, more on hard dice and on bad days,
less when something has been learnt or an arm helps, and otherwise by accident:

    cost = level x learning x arm x day x dice x accident,    score = V(start) + luck - cost

Every factor but learning and the arm is 1 on average. The figures are those of rehearsals, whose
bots err as people do: games cost 20 points, between people by 10 and between games by 45 % of
their mean more or less, and scores then spread by 38, as they do in perfect play.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from solver.statistics.arm_figures import AFTER, BEFORE, TRAINING, ArmGame, ArmPerson
from solver.statistics.chi_squared import Floats
from solver.statistics.trial import TrialGame

START = 248.44
COST, PEOPLE_SPREAD = 20.0, 10.0
ACCIDENT = 0.45
LUCK = 36.5
DICE_HARDER, SHARED_LUCK = 0.2, 0.7  # of shared dice: spread of what they cost, share of luck
FEWEST_DECISIONS, MOST_DECISIONS = 32, 39
LEARNING_PACE = 10.0  # games in which two thirds of what is learnt are learnt
PLACES = 2  # of each arm in a block

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class World:
    """``learning`` and ``effect``: shares of the cost that games, and the arm, take away.

    ``days``: spread of the factor that is new in every session of ``sitting`` games. Arms, if any,
    are two, and one more for each of the ``further`` effects; ``within``: everybody plays half of
    the games in each of two, in an order that is drawn, and of what the arm takes away ``carry``
    is still gone in the half that comes after it.
    """

    people: int = 6
    games: int = 50
    before: int = 0
    shared_dice: bool = False
    learning: float = 0.0
    days: float = 0.0
    sitting: int = 10
    fewest: int | None = None  # games of each are drawn from here to ``games``
    weak_leave: bool = False  # whoever costs most plays least
    arms: bool = False
    within: bool = False
    effect: float = 0.0
    further: tuple[float, ...] = ()
    carry: float = 0.0

    @property
    def effects(self) -> tuple[float, ...]:
        """Of every arm, the first of which does nothing."""
        return (0.0, self.effect, *self.further)

    @property
    def names(self) -> tuple[str, ...]:
        return ("off", "on", *(f"on-{at}" for at in range(2, len(self.effects))))


@dataclass(frozen=True)
class MadeUp:
    """A row a person, a column a game; those before come first. ``played``: what there is."""

    world: World
    levels: Floats
    given: Ints  # which arm, game by game
    drawn: Ints  # who has which arm, or has it first
    kept: Floats  # what the arm leaves of the cost, game by game
    learnt: Floats  # what is left of the cost, by the number of the game
    played: npt.NDArray[np.bool_]
    sessions: Ints
    costs: Floats
    luck: Floats
    decisions: Ints

    @cached_property
    def expected(self) -> Floats:
        """What every game costs on average, were it played over and over."""
        found: Floats = self.levels[:, None] * self.learnt[None, :] * self.kept
        return found

    @property
    def scores(self) -> Ints:
        return np.maximum(np.rint(START + self.luck - self.costs), 0).astype(np.int64)

    def trial_games(self, *, sittings: bool) -> list[TrialGame]:
        """With ``sittings`` they say in which of them every game was played."""
        scores = self.scores
        return [
            TrialGame(
                _name(who),
                number + 1,
                int(scores[who, number]),
                0,
                float(self.costs[who, number]),
                float(self.luck[who, number]),
                session=int(self.sessions[who, number]) if sittings else None,
            )
            for who, number in zip(*np.nonzero(self.played), strict=True)
        ]

    def arm_games(self) -> list[ArmGame]:
        scores, before, names = self.scores, self.world.before, self.world.names
        return [
            ArmGame(
                _name(who),
                names[self.given[who, number]],
                BEFORE if number < before else AFTER if before else TRAINING,
                int(number) + 1,
                score=int(scores[who, number]),
                regret=float(self.costs[who, number]),
                decisions=int(self.decisions[who, number]),
                deal=str(number),
            )
            for who, number in zip(*np.nonzero(self.played), strict=True)
        ]

    def arm_people(self) -> list[ArmPerson]:
        return [
            ArmPerson(_name(who), self.world.names[drawn], str(who // _block(self.world)))
            for who, drawn in enumerate(self.drawn)
        ]


def made_up(world: World, rng: np.random.Generator) -> MadeUp:
    """A trial of that world."""
    shape = world.people, world.before + world.games
    levels = _about(rng, COST, PEOPLE_SPREAD, world.people)
    learnt = learning_curve(world, shape[1])
    drawn = _drawn_arms(world, rng)
    given = _given(world, drawn, shape)
    kept = _kept(world, given)
    sessions = np.tile(np.arange(shape[1]) // world.sitting, (world.people, 1))
    days = _about(rng, 1.0, world.days, (world.people, sessions.max() + 1))
    factors = np.take_along_axis(days, sessions, axis=1)
    if world.shared_dice:
        factors = factors * _about(rng, 1.0, DICE_HARDER, shape[1])
    costs = levels[:, None] * learnt * kept * factors
    return MadeUp(
        world=world,
        levels=levels,
        given=given,
        drawn=drawn,
        kept=kept,
        learnt=learnt,
        played=_played(world, levels, rng),
        sessions=sessions,
        costs=costs * _about(rng, 1.0, ACCIDENT, shape),
        luck=_luck(world, rng, shape),
        decisions=rng.integers(FEWEST_DECISIONS, MOST_DECISIONS + 1, shape),
    )


def learning_curve(world: World, games: int) -> Floats:
    """What is left of the cost in each game, from 1 on."""
    gone = 1 - np.exp(-np.arange(games) / LEARNING_PACE)
    found: Floats = 1 - world.learning * gone
    return found


def mean_share() -> float:
    """The average of 1 / decisions of a game: of costs a game it makes costs a decision."""
    return float(np.mean(1 / np.arange(FEWEST_DECISIONS, MOST_DECISIONS + 1)))


def _about(
    rng: np.random.Generator, mean: float, spread: float, shape: int | Sequence[int]
) -> Floats:
    """Values above 0 with this mean and deviation; skewed, as costs are."""
    if not spread:
        return np.full(shape, mean)
    form = (mean / spread) ** 2
    return rng.gamma(form, mean / form, shape)


def _luck(world: World, rng: np.random.Generator, shape: tuple[int, int]) -> Floats:
    own = rng.normal(0.0, LUCK, shape)
    if not world.shared_dice:
        return own
    everybodys = rng.normal(0.0, LUCK, shape[1])
    found: Floats = everybodys * SHARED_LUCK**0.5 + own * (1 - SHARED_LUCK) ** 0.5
    return found


def _drawn_arms(world: World, rng: np.random.Generator) -> Ints:
    """In blocks with two places of each, as trials draw them."""
    if not world.arms:
        return np.zeros(world.people, dtype=np.int64)
    places = np.tile(np.arange(len(world.effects))[::-1], PLACES)
    blocks = [rng.permutation(places) for _block in range(-(-world.people // len(places)))]
    return np.concatenate(blocks)[: world.people]


def _block(world: World) -> int:
    return PLACES * len(world.effects)


def _given(world: World, drawn: Ints, shape: tuple[int, int]) -> Ints:
    """Those before are in no arm yet."""
    found = np.repeat(drawn[:, None], shape[1], axis=1)
    if world.within:
        found[:, _second(world) :] = 1 - found[:, _second(world) :]
    found[:, : world.before] = 0
    return found


def _second(world: World) -> int:
    """The first game of the second half."""
    return world.before + world.games // 2


def _kept(world: World, given: Ints) -> Floats:
    kept: Floats = 1 - np.array(world.effects)[given]
    if world.within:
        first = np.array(world.effects)[given[:, world.before]]
        kept[:, _second(world) :] *= 1 - world.carry * first[:, None]
    return kept


def _played(world: World, levels: Floats, rng: np.random.Generator) -> npt.NDArray[np.bool_]:
    counts = np.full(world.people, world.before + world.games)
    if world.fewest is not None:
        counts = world.before + rng.integers(world.fewest, world.games + 1, world.people)
    if world.weak_leave:
        counts = np.sort(counts)[np.argsort(np.argsort(-levels))]
    return np.arange(world.before + world.games)[None, :] < counts[:, None]


def _name(who: int) -> str:
    return f"P{who + 1:02}"
