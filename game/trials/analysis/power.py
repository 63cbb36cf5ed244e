"""Simulated power: made-up trials of exactly its plan, through the one analysis.

People differ by ``between`` in the games that are compared (a skewed gamma distribution), each
changes from the games before by an amount of their own (``change``), and games of a person differ
by ``within``: standard deviations in points per game. They are those of bots that err as people do,
for nobody knows better before people have played.
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
    primary_answer,
)
from solver.rules import PLAYED, find_ruleset
from solver.statistics.student import t_quantile

# By ruleset: how people differ, how differently they change, and games by cost and by score.
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
MEASURED = 40  # of these trials, for the half width of the interval
LOTS = 499  # permutations of a made-up trial: a tenth of those of the results
DECISIONS_A_BOX = 2  # decisions with a choice, about
SHAPE = 2.0  # of the gamma distribution of people
SEED = 1


@dataclass(frozen=True, slots=True)
class Spread:
    """Standard deviations, in points of the measure per game."""

    between: float
    change: float
    within: float

    @classmethod
    def of(cls, ruleset: str, measure: str = COST) -> "Spread":
        between, change, cost, score = SPREADS[ruleset]
        found = cls(between, change, score if measure == SCORE else cost)
        if measure != A_DECISION:
            return found
        boxes = len(find_ruleset(ruleset, PLAYED).categories)
        return cls(*(getattr(found, one.name) / boxes / DECISIONS_A_BOX for one in fields(cls)))


@dataclass(frozen=True, slots=True)
class PlannedTrial:
    """``effect`` is what every further arm changes, ``missing`` the share of every arm that drops
    out or is left out by a rule. ``games`` are those of the compared phase."""

    estimand: Estimand
    people: int
    games: int
    before: int
    spread: Spread
    effect: float = 0.0
    missing: float = 0.0


@dataclass(frozen=True, slots=True)
class Power:
    """``power`` is the share of trials that find a given further arm, ``any_power`` at least one;
    ``false_findings`` is that share if the arms do nothing; ``half`` of a 95 % interval."""

    trials: int
    power: float | None
    any_power: float | None
    false_findings: float
    half: float | None

    def margin(self, share: float) -> float:
        """Return half a 95 % interval of a simulated share (Agresti and Coull)."""
        share = (share * self.trials + 2) / (self.trials + 4)
        return 1.96 * sqrt(share * (1 - share) / (self.trials + 4))

    def facts(self) -> dict[str, Any]:
        return asdict(self)


@lru_cache(maxsize=256)
def simulated_power(plan: PlannedTrial, trials: int = TRIALS) -> Power:
    """Simulate the plan; the same plan always gives the same figures."""
    rng = np.random.default_rng(SEED)
    made_up = [_made_up(plan, rng) for _trial in range(trials)]
    found = [_found(plan, one, plan.effect) for one in made_up] if plan.effect else []
    false = [_found(plan, one, 0.0) for one in made_up]
    measured = [
        (pair.high - pair.low) / 2
        for one in made_up[:MEASURED]
        for pair in _answer(plan, one, plan.effect, full=True).pairs
        if pair.low is not None and pair.high is not None
    ]
    return Power(
        trials,
        float(np.mean(found)) if found else None,
        float(np.mean([any(one) for one in found])) if found else None,
        float(np.mean([any(one) for one in false])),
        float(np.mean(measured)) if measured else None,
    )


def _made_up(plan: PlannedTrial, rng: np.random.Generator) -> list[ArmPerson]:
    """Return the people of a made-up trial in which no arm does anything."""
    people, of = round(plan.people * (1 - plan.missing)), plan.spread
    change = rng.normal(0.0, of.change, people)
    noise = rng.normal(0.0, of.within / sqrt(plan.games), people)
    if plan.estimand.within:  # half of what the first period has over the second
        values = (change + noise - rng.normal(0.0, of.within / sqrt(plan.games), people)) / 2
        before = None
    else:
        level = of.between * rng.gamma(SHAPE, 1 / sqrt(SHAPE), people)
        values = level + noise
        before = level + change + rng.normal(0.0, of.within / sqrt(max(1, plan.before)), people)
    return [
        ArmPerson(
            str(who),
            who % len(plan.estimand.arms),
            float(values[who]),
            float(before[who]) if before is not None and plan.before else None,
        )
        for who in range(people)
    ]


def _answer(
    plan: PlannedTrial, people: list[ArmPerson], effect: float, *, full: bool = False
) -> PrimaryAnswer:
    rises = plan.estimand.direction == MORE
    if plan.estimand.direction == EITHER:
        rises = plan.estimand.measure == SCORE
    gained = effect if rises else -effect
    helped = [replace(one, value=(one.value or 0.0) + gained) if one.arm else one for one in people]
    estimand = replace(plan.estimand, smallest=None)  # which no p depends on
    if full:  # for the width of an interval, which has both ends
        estimand = replace(estimand, direction=EITHER)
    return primary_answer(estimand, helped, SEED, draws=LOTS, full=full)


def _found(plan: PlannedTrial, people: list[ArmPerson], effect: float) -> list[bool]:
    pairs = _answer(plan, people, effect).pairs
    return [pair.p is not None and pair.p <= ALPHA for pair in pairs]


def half_widths(people: int, games: int, spread: Spread) -> tuple[float | None, float | None]:
    """Return half the 95 % interval of a mean without arms: of these people, if they went on, and
    of people like them."""
    spare, within = people * (games - 1), spread.within / sqrt(people * games)
    these = t_quantile(spare) * within if spare else None
    apart = sqrt(spread.between**2 / people + within**2)
    return these, t_quantile(people - 1) * apart if people > 1 else None
