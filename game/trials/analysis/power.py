"""The power of a planned trial, estimated from simulated trials.

Simulated trials go through the same analysis as real results. Standard deviations are in points per
game. People's means differ by ``between`` (a skewed gamma distribution). Each person's mean changes
by a different amount after the baseline games (``change``). The games of one person differ by
``within``. The default values come from bots that make mistakes as people do. The planner can use
the values of closed trials instead.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from math import sqrt

import numpy as np

from game.trials.analysis.lots import EITHER, MORE
from game.trials.analysis.primary import (
    A_DECISION,
    ALPHA,
    COST,
    SCORE,
    ArmPerson,
    Estimand,
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
        deviations = [between, change, score if measure == SCORE else cost]
        if measure == A_DECISION:
            boxes = len(find_ruleset(ruleset, PLAYED).categories)
            deviations = [each / boxes / DECISIONS_A_BOX for each in deviations]
        return cls(*deviations)


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
    """The shares of simulated trials that find a difference. ``power`` is for the control arm and
    any other arm, ``any_power`` is for any two other arms, and ``false_findings`` is for arms
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


@lru_cache(maxsize=256)
def simulate_power(plan: PlannedTrial, trials: int = TRIALS) -> Power:
    """Simulate trials with this plan. Equal plans give equal results."""
    rng = np.random.default_rng(SEED)
    estimand = replace(plan.estimand, smallest=None)  # the p-value does not depend on ``smallest``
    rises = estimand.direction == MORE
    if estimand.direction == EITHER:
        rises = estimand.measure == SCORE
    gained = plan.effect if rises else -plan.effect
    detections, false, halves = [], [], []
    for number in range(trials):
        people = _make_up_people(plan, rng)
        helped = [
            replace(person, value=(person.value or 0.0) + gained) if person.arm else person
            for person in people
        ]
        seed = SEED + number * LOT_SETS // trials
        false.append(any(_list_detections(estimand, people, seed)))
        if plan.effect:
            detections.append(_list_detections(estimand, helped, seed))
        if number < MEASURED:
            either = replace(estimand, direction=EITHER)
            halves += [
                (pair.high - pair.low) / 2
                for pair in compare_arms(either, helped, SEED, draws=LOTS).pairs
                if pair.low is not None and pair.high is not None
            ]
    return Power(
        trials,
        float(np.mean(detections)) if detections else None,
        float(np.mean(list(map(any, detections)))) if detections else None,
        float(np.mean(false)),
        float(np.mean(halves)) if halves else None,
    )


def _make_up_people(plan: PlannedTrial, rng: np.random.Generator) -> list[ArmPerson]:
    people, spread = round(plan.people * (1 - plan.missing)), plan.spread
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
    return [
        ArmPerson(
            str(who),
            who % len(plan.estimand.arms),
            float(values[who]),
            float(before[who]) if before is not None and plan.before else None,
        )
        for who in range(people)
    ]


def _list_detections(estimand: Estimand, people: list[ArmPerson], seed: int) -> list[bool]:
    """Return for each pair of arms whether the test finds a difference."""
    pairs = compare_arms(estimand, people, seed, draws=LOTS, full=False).pairs
    return [pair.p is not None and pair.p <= ALPHA for pair in pairs]


def calculate_half_widths(
    people: int, games: int, spread: Spread
) -> tuple[float | None, float | None]:
    """Return half the width of the intervals for the same people and for similar people."""
    spare, within = people * (games - 1), spread.within / sqrt(people * games)
    these = t_quantile(spare) * within if spare else None
    apart = sqrt(spread.between**2 / people + within**2)
    return these, t_quantile(people - 1) * apart if people > 1 else None
