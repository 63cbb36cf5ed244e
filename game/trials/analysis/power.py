"""The power of a planned trial, estimated from simulated trials.

Simulated trials go through the same analysis as real results. Standard deviations are in points per
game. People's means differ by ``between`` (a skewed gamma distribution). Each person's mean changes
by a different amount after the baseline games (``change``). The games of one person differ by
``within``. The default values come from bots that make mistakes as people do. The planner can use
the values of closed trials instead.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from functools import lru_cache
from math import sqrt
from typing import Any

import numpy as np

from game.trials.analysis.lots import EITHER, MORE
from game.trials.analysis.primary import (
    A_DECISION,
    ALPHA,
    COST,
    SCORE,
    ArmPerson,
    Estimand,
    PrimaryAnswer,
    compare_arms,
)
from solver.rules import PLAYED, find_ruleset
from solver.statistics.inference import t_quantile

# Standard deviations by ruleset: between, change, within (for the cost), within (for the score).
SPREADS: Mapping[str, tuple[float, float, float, float]] = {
    "yatzy": (17.958, 6.204, 7.397, 39.526),
    "yatzy-saved": (19.409, 6.312, 7.996, 42.956),
    "yahtzee": (15.684, 5.011, 7.549, 40.097),
    "yahtzee-free-joker": (15.659, 5.049, 7.479, 40.136),
    "yahtzee-plain": (15.484, 5.047, 7.266, 39.554),
    "maxi-yatzy": (26.671, 10.784, 9.861, 71.123),
    "maxi-yatzy-50": (27.147, 10.08, 9.221, 43.906),
}
TRIALS = 1_000
MEASURED = 40  # number of simulated trials that measure the width of the interval
LOTS = 499  # permutations per simulated trial, a tenth of the number for real results
DECISIONS_A_BOX = 2  # decisions with several options, per box (approximate)
SHAPE = 2.0  # shape of the gamma distribution of people's means
SEED = 1
LOT_SETS = 20  # number of sets of permutations; one unusual set cannot decide all trials


@dataclass(frozen=True, slots=True)
class Spread:
    """Standard deviations in points: per decision if the measure is per decision, else per game."""

    between: float
    change: float
    within: float

    @classmethod
    def find_usual(cls, ruleset: str, measure: str = COST) -> "Spread":
        between, change, cost, score = SPREADS[ruleset]
        per_game = cls(between, change, score if measure == SCORE else cost)
        if measure != A_DECISION:
            return per_game
        boxes = len(find_ruleset(ruleset, PLAYED).categories)
        return cls(
            *(getattr(per_game, part.name) / boxes / DECISIONS_A_BOX for part in fields(cls))
        )


@dataclass(frozen=True, slots=True)
class PlannedTrial:
    """A trial to simulate. ``effect`` is the difference in points between every later arm and the
    first. ``missing`` is the share of people in each arm who have no value. ``games`` is the number
    of compared games."""

    estimand: Estimand
    people: int
    games: int
    before: int
    spread: Spread
    effect: float = 0.0
    missing: float = 0.0


@dataclass(frozen=True, slots=True)
class Power:
    """How often the simulated trials find a difference, as shares. ``power`` is for the control arm
    and any other arm, ``any_power`` is for any two other arms, and ``false_findings`` is for arms
    without an effect. ``half`` is half the width of the 95 % confidence interval, in points."""

    trials: int
    power: float | None
    any_power: float | None
    false_findings: float
    half: float | None

    def calculate_margin(self, share: float) -> float:
        """Return half the width of the 95 % confidence interval of ``share`` (Agresti-Coull)."""
        share = (share * self.trials + 2) / (self.trials + 4)
        return 1.96 * sqrt(share * (1 - share) / (self.trials + 4))

    def facts(self) -> dict[str, Any]:
        return asdict(self)


@lru_cache(maxsize=256)
def simulate_power(plan: PlannedTrial, trials: int = TRIALS) -> Power:
    """Simulate trials with this plan. Equal plans give equal results."""
    rng = np.random.default_rng(SEED)
    people, spread = round(plan.people * (1 - plan.missing)), plan.spread
    made_up = []
    for _trial in range(trials):
        change = rng.normal(0.0, spread.change, people)
        noise = rng.normal(0.0, spread.within / sqrt(plan.games), people)
        before = None
        if plan.estimand.within:  # half of the difference between the two periods
            noise_of_second = rng.normal(0.0, spread.within / sqrt(plan.games), people)
            values = (change + noise - noise_of_second) / 2
        else:
            level = spread.between * rng.gamma(SHAPE, 1 / sqrt(SHAPE), people)
            noise_before = rng.normal(0.0, spread.within / sqrt(max(1, plan.before)), people)
            values, before = level + noise, level + change + noise_before
        trial = [
            ArmPerson(
                str(who),
                who % len(plan.estimand.arms),
                float(values[who]),
                float(before[who]) if before is not None and plan.before else None,
            )
            for who in range(people)
        ]
        made_up.append(trial)
    false = _list_detections(plan, made_up, 0.0)
    detections = _list_detections(plan, made_up, plan.effect) if plan.effect else []
    measured = [
        (pair.high - pair.low) / 2
        for trial in made_up[:MEASURED]
        for pair in _analyse_people(plan, trial, plan.effect, full=True).pairs
        if pair.low is not None and pair.high is not None
    ]
    return Power(
        trials,
        float(np.mean(detections)) if detections else None,
        float(np.mean([any(trial) for trial in detections])) if detections else None,
        float(np.mean([any(trial) for trial in false])),
        float(np.mean(measured)) if measured else None,
    )


def _analyse_people(
    plan: PlannedTrial,
    people: list[ArmPerson],
    effect: float,
    *,
    full: bool = False,
    seed: int = SEED,
) -> PrimaryAnswer:
    rises = plan.estimand.direction == MORE
    if plan.estimand.direction == EITHER:
        rises = plan.estimand.measure == SCORE
    gained = effect if rises else -effect
    helped = [
        replace(person, value=(person.value or 0.0) + gained) if person.arm else person
        for person in people
    ]
    estimand = replace(plan.estimand, smallest=None)  # the p-value does not depend on ``smallest``
    if full:  # two-sided, like the confidence interval
        estimand = replace(estimand, direction=EITHER)
    return compare_arms(estimand, helped, seed, draws=LOTS, full=full)


def _list_detections(
    plan: PlannedTrial, trials: list[list[ArmPerson]], effect: float
) -> list[list[bool]]:
    """Return whether the test finds a difference, for each trial and each of its pairs of arms."""
    answers = [
        _analyse_people(plan, people, effect, seed=SEED + number * LOT_SETS // len(trials))
        for number, people in enumerate(trials)
    ]
    return [[pair.p is not None and pair.p <= ALPHA for pair in answer.pairs] for answer in answers]


def calculate_half_widths(
    people: int, games: int, spread: Spread
) -> tuple[float | None, float | None]:
    """Return half the width of the intervals for the same people and for similar people."""
    spare, within = people * (games - 1), spread.within / sqrt(people * games)
    these = t_quantile(spare) * within if spare else None
    apart = sqrt(spread.between**2 / people + within**2)
    return these, t_quantile(people - 1) * apart if people > 1 else None
