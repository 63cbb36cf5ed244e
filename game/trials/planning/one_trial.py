"""A simulated trial, from the lot to what its results say.

Who gets which arm is drawn as in every trial (``assignment``), everybody plays the games of their
plan (``phases``), some leave, and what is left is analysed as results are. The same people are
looked at in several worlds: where coached games cost less, where they do not, and, where everybody
plays every arm, where half of what was learnt stays when the coach is gone.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count, islice

import numpy as np
import numpy.typing as npt

from game.trials.design.assignment import permuted
from game.trials.design.phases import BEFORE, TRAINING, PlannedGame, steps
from game.trials.planning.population import Drawn, population
from game.trials.planning.simulated import SimulatedTrial
from solver.statistics.arm_compare import Lots
from solver.statistics.arm_figures import ArmDesign, ArmGame, ArmPerson, Measure
from solver.statistics.chi_squared import Floats
from solver.statistics.estimand import SINGLY, Estimand
from solver.statistics.estimating import EstimandAnswer, answered

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
    """What coached games gain, and in which share it stays; nothing is asked without an effect."""
    if trial.effect is None:
        return {NONE: None}
    kept = {KEPT: HALF} if trial.within else {}
    return {EFFECT: 0.0, NONE: None, **kept}


def findings(trial: SimulatedTrial, number: int) -> Mapping[str, TrialFinding]:
    """Of the trial with this number, by world; always the same."""
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
    """How many games each has finished."""
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
    """Those that the difference is found from."""
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
    """What the results of a trial find, each further arm beside the first."""
    measure: Measure = "score" if trial.outcome == "score" else "cost"
    names = tuple(arm.name for arm in trial.design.arms)
    design = ArmDesign(names, trial.asks, trial.within, trial.shared_dice)
    asked = replace(Estimand.usual(design, before=BEFORE in trial.order), measure=measure)
    if not trial.together:
        asked = replace(asked, multiplicity=SINGLY)
    return answered(asked, games, {one.person: one for one in people}, design, Lots(LOTS))


def _finding(trial: SimulatedTrial, answer: EstimandAnswer) -> TrialFinding:
    """A difference that cannot be tested is not found."""
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
