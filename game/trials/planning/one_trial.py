"""One simulated trial: what is simulated, its people, and what the analysis of results finds in it.

Shapes are those of bots: everybody has a temperature between a grandmaster's and a casual player's,
which falls from game to game, and a game lies as far from what its level is good for as one that
was drawn from the bank. Sizes are those of the plan's ``Spread``, as its formulas take them: in the
games that the trial asks about people differ by ``between``, from the games before to these they
change differently by ``change``, and games differ by ``within``, of whose variance the ``dice``
are common to all who play the same ones. So formulas and simulation may be held together.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from hashlib import sha256
from itertools import count, islice
from json import dumps
from random import Random
from typing import Any

import numpy as np
import numpy.typing as npt

from game.trials.design.phases import (
    AFTER,
    BEFORE,
    TRAINING,
    ArmSettings,
    PlannedGame,
    TrialDesign,
    permuted,
    steps,
)
from game.trials.planning.bots import Bank, bank, digest
from solver.players.erring import Bot
from solver.rules import PLAYED, find_ruleset
from solver.statistics.arm_compare import Lots
from solver.statistics.arm_figures import ArmDesign, ArmGame, ArmPerson, Measure
from solver.statistics.chi_squared import Floats
from solver.statistics.estimating import SINGLY, Estimand, EstimandAnswer, answered
from solver.statistics.planning import Spread

FORMAT = 2  # of what is stored; another one is never read


@dataclass(frozen=True, slots=True)
class Phases:
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
        """The key of a simulation; every setting that changes it is in it."""
        facts: dict[str, Any] = asdict(self) | {"format": FORMAT}
        told = dumps(facts | {"games": digest(find_ruleset(self.ruleset, PLAYED))}, sort_keys=True)
        return sha256(told.encode()).hexdigest()[:20]


PEOPLE = 400  # of whom everybody who takes part is one, at levels that are evenly spread
PERFECT = 245.0  # about what scores lie around; no difference depends on it


@dataclass(frozen=True)
class Population:
    """A row a person, a column a game; ``levels`` are what a game of theirs costs on average.

    ``at`` is the place of each game among the levels of the bank, whose ``accidents`` are how far
    games lie from their level's mean; ``deals``: what dice are worth to all, in deviations.
    """

    levels: Floats
    at: Floats
    accidents: Floats
    deals: Floats
    dice: float
    shared_dice: bool
    scored: bool

    def drawn(self, people: int, rng: np.random.Generator) -> "Drawn":
        who = rng.integers(len(self.levels), size=people)
        at = self.at[who]
        rows = (at + rng.random(at.shape)).astype(np.int64)
        accidents = self.accidents[rows, rng.integers(len(self.deals), size=at.shape)]
        if self.shared_dice:
            accidents = accidents * np.sqrt(1 - self.dice) + self._luck(rows, rng)
        costs = self.levels[who]
        values = PERFECT - costs + accidents if self.scored else costs + accidents
        return Drawn(costs[:, 0], values)

    def _luck(self, rows: npt.NDArray[np.int64], rng: np.random.Generator) -> Floats:
        """Return the luck of each game, as far as games of one level vary."""
        games = rows.shape[1]
        dealt = self.deals[rng.choice(len(self.deals), games, replace=games > len(self.deals))]
        found: Floats = self.accidents.std(1)[rows] * dealt[None, :] * np.sqrt(self.dice)
        return found


@dataclass(frozen=True)
class Drawn:
    """The people of a simulated trial: the average cost of a first game, and a value per game."""

    levels: Floats
    values: Floats


@cache
def population(trial: SimulatedTrial) -> Population:
    of = bank(find_ruleset(trial.ruleset, PLAYED))
    phases = np.array(trial.order)
    asked, before = phases == trial.asks, phases == BEFORE
    heats = _temperatures(of, len(phases))
    costs = np.interp(heats, of.temperatures, of.cost.mean(1))
    games = of.score if trial.outcome == "score" else of.cost
    accidents = games - games.mean(1, keepdims=True)
    noise = np.interp(heats[:, asked], of.temperatures, accidents.var(1)).mean()
    apart = np.interp(heats[:, asked], of.temperatures, accidents.std(1)).mean()
    return Population(
        levels=_levels(costs, asked, before, trial),
        at=np.interp(heats, of.temperatures, np.arange(len(games), dtype=float)),
        accidents=accidents * trial.spread.within / np.sqrt(noise),
        deals=_deals(accidents),
        # What two of different levels share is less than what is of the dice for each of them.
        dice=min(1.0, trial.spread.dice * noise / apart**2),
        shared_dice=trial.shared_dice,
        scored=trial.outcome == "score",
    )


def _temperatures(of: Bank, games: int) -> Floats:
    learner = Bot(1.0, Random())  # noqa: S311 - of which nothing is drawn
    unlearnt = np.array([learner.temperature_in(game) for game in range(1, games + 1)])
    found: Floats = np.linspace(*of.ends, PEOPLE)[:, None] * unlearnt
    return found


def _levels(
    costs: Floats,
    asked: npt.NDArray[np.bool_],
    before: npt.NDArray[np.bool_],
    trial: SimulatedTrial,
) -> Floats:
    """All learn as bots do on average, and differ as far as the plan says."""
    mean = costs.mean(0)
    apart = costs - mean
    there = apart[:, asked].mean(1)
    wider = trial.spread.between / there.std()
    course = apart - there[:, None]
    if before.any():
        changes = (apart[:, before].mean(1) - there).std()
        course = course * trial.spread.change / changes
    else:
        course = course * wider
    found: Floats = mean + wider * there[:, None] + course
    return found


def _deals(accidents: Floats) -> Floats:
    """Return the luck that all levels share on the dice of each game, with a deviation of 1."""
    worth = (accidents / accidents.std(1, keepdims=True)).mean(0)
    found: Floats = (worth - worth.mean()) / worth.std()
    return found


SEED = 1
LOTS = 499  # of the randomisation test: a tenth of those of results
EFFECT, NONE, KEPT = "effect", "none", "kept"
HALF = 0.5  # of the effect is what is kept in that world

Truths = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class TrialFinding:
    """``found``: the share of differences that were told from none; ``gained``: their mean, in
    points that an arm makes better; ``people`` counted."""

    found: float
    any_found: bool
    half: float | None
    gained: float | None
    people: int


def worlds(trial: SimulatedTrial) -> Mapping[str, float | None]:
    """Return the gain of coached games per scenario, and the share of it that stays; empty
    without an effect."""
    if trial.effect is None:
        return {NONE: None}
    kept = {KEPT: HALF} if trial.within else {}
    return {EFFECT: 0.0, NONE: None, **kept}


def findings(trial: SimulatedTrial, number: int) -> Mapping[str, TrialFinding]:
    """Return the findings of the trial with this number, by scenario; always the same."""
    rng = np.random.default_rng([SEED, number])
    drawn = population(trial).drawn(trial.people, rng)
    places = list(islice(_places(trial, f"{SEED}:{number}"), trial.people))
    played = _played(trial, drawn, rng)
    plans = [steps(trial.design, trial.design.order(at)) for at in range(trial.design.conditions)]
    found = {}
    for world, kept in worlds(trial).items():
        values = drawn.values
        if trial.effect is not None and kept is not None:
            helped = np.array([_helped(plan, kept, within=trial.within) for plan in plans])
            gain = trial.effect * helped[[condition for condition, _block in places]]
            values = values + gain if trial.outcome == "score" else values - gain
        games = _games(trial, values, played, [plans[at] for at, _block in places])
        found[world] = _finding(trial, analysed(trial, games, _people(trial, places)))
    return found


def _places(trial: SimulatedTrial, seed: str) -> Iterator[tuple[int, str]]:
    """Conditions in the order in which people come, each with its block."""
    for block in count():
        for condition in permuted(seed, "", block, trial.design.conditions):
            yield condition, str(block)


def _helped(plan: Sequence[PlannedGame], kept: float, *, within: bool) -> Sequence[float]:
    """In every game the share of the effect that is there: from the coach on, else as far as it is
    kept."""
    found, coached = [], False
    for phase, arm in plan:
        if phase == TRAINING and arm:
            coached = True
            found.append(1.0)
        else:
            found.append((kept if within else 1.0) if coached else 0.0)
    return found


def _played(trial: SimulatedTrial, drawn: Drawn, rng: np.random.Generator) -> npt.NDArray[np.int64]:
    people, games = drawn.values.shape
    found = np.full(people, games)
    ranks = np.argsort(np.argsort(drawn.levels)) + 1.0
    odds = ranks if trial.weak_leave else np.ones(people)
    leave = rng.choice(
        people, rng.binomial(people, trial.dropouts), replace=False, p=odds / odds.sum()
    )
    found[leave] = rng.integers(games, size=len(leave))
    found[rng.random(people) < trial.screened] = 0
    return found


def _people(trial: SimulatedTrial, places: Sequence[tuple[int, str]]) -> list[ArmPerson]:
    return [
        ArmPerson(str(who), "" if trial.within else str(condition), block)
        for who, (condition, block) in enumerate(places)
    ]


def _games(
    trial: SimulatedTrial,
    values: Floats,
    played: npt.NDArray[np.int64],
    plans: Sequence[Sequence[PlannedGame]],
) -> list[ArmGame]:
    scored = trial.outcome == "score"
    asked = [at for at, phase in enumerate(trial.order) if phase in (BEFORE, trial.asks)]
    return [
        ArmGame(
            person=str(who),
            arm="" if arm is None else str(arm),
            phase=phase,
            number=at,
            score=round(row[at]) if scored else None,
            regret=None if scored else row[at],
            deal=str(at),
        )
        for who, (row, plan) in enumerate(zip(values.tolist(), plans, strict=True))
        for at in asked
        if at < played[who]
        for phase, arm in (plan[at],)
    ]


def analysed(
    trial: SimulatedTrial, games: Sequence[ArmGame], people: Sequence[ArmPerson]
) -> EstimandAnswer:
    """Return the result of a trial, comparing each further arm with the first."""
    measure: Measure = "score" if trial.outcome == "score" else "cost"
    names = tuple(arm.name for arm in trial.design.arms)
    design = ArmDesign(names, trial.asks, trial.within, trial.shared_dice)
    asked = replace(Estimand.usual(design, before=BEFORE in trial.order), measure=measure)
    if not trial.together:
        asked = replace(asked, multiplicity=SINGLY)
    return answered(asked, games, {one.person: one for one in people}, design, Lots(LOTS))


def _finding(trial: SimulatedTrial, answer: EstimandAnswer) -> TrialFinding:
    """Return the finding; an untestable difference is not found."""
    told = [one for one in answer.pairs if one.estimate is not None]
    found = [one.different for one in told]
    sign = 1 if trial.outcome == "score" else -1
    halves = [
        (one.high - one.low) / 2 for one in told if one.low is not None and one.high is not None
    ]
    gained = [sign * one.estimate for one in told if one.estimate is not None]
    return TrialFinding(
        found=sum(found) / (trial.arms - 1),
        any_found=any(found),
        half=float(np.mean(halves)) if halves else None,
        gained=float(np.mean(gained)) if gained else None,
        people=answer.people,
    )
