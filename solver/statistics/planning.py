"""Power of a trial: half widths and power for a number of people with a number of games.

How far values lie apart is taken as known (``Spread``): people differ by ``between``, in how they
change by ``change``, and a person's games by ``within``, of whose variance the ``dice`` share is
common to all who play the same dice. With N people, G games each, and s for the spreads:

    these people        s_within^2 / NG                               N (G - 1) degrees of freedom
    people like these   (s_between^2 + s_within^2 / G) / N            N - 1
    two arms            the same bracket (1 / n1 + 1 / n2)            N - 2
    before and after    (s_change^2 + s_within^2 (1/b + 1/a)) / N     N - 1
    gains of two arms   the same bracket (1 / n1 + 1 / n2)            N - 2

where n1 + n2 = N, and of the G games b are played before and a after. On shared dice everybody's
luck is the same: arms are compared without it, and everything else has the dice as one more sample
(as ``solver.statistics.inference`` does, with the rest in both errors). A half width is Student's
t times the root of such a variance.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from math import erfc, exp, lgamma, log, sqrt

import numpy as np

from solver.statistics.student import t_quantile

POWER = 0.8
MOST_PEOPLE = 100_000
NODES = np.polynomial.legendre.leggauss(256)
REACH = 9.0  # deviations to either side, beyond which an estimated error never lies

Part = tuple[float, float]  # a variance, with its degrees of freedom


class Design(StrEnum):
    """The questions of a trial. The first two are about a mean, the others about a difference."""

    THESE = "these"
    LIKE_THESE = "like_these"
    TWO_ARMS = "two_arms"
    BEFORE_AFTER = "before_after"
    GAINS = "gains"


COMPARISONS = (Design.TWO_ARMS, Design.BEFORE_AFTER, Design.GAINS)


@dataclass(frozen=True, slots=True)
class Spread:
    """Standard deviations, in points a game; ``dice`` is a share of the variance within."""

    between: float
    change: float
    within: float
    dice: float

    @property
    def by_dice(self) -> float:
        """The variance that games on the same dice share."""
        return self.dice * self.within**2

    @property
    def by_game(self) -> float:
        """The variance that is left to each game of its own."""
        return (1.0 - self.dice) * self.within**2


@dataclass(frozen=True, slots=True)
class Plan:
    """``games`` of each; with two phases the first half is played before, the rest after."""

    people: int
    games: int
    shared_dice: bool = False

    @property
    def before(self) -> int:
        return self.games // 2

    @property
    def after(self) -> int:
        return self.games - self.before

    @property
    def played(self) -> int:
        return self.people * self.games

    @property
    def phases(self) -> float:
        """The variance of a difference of two phases, relative to a game."""
        return 1 / self.before + 1 / self.after if self.before else float("inf")

    @property
    def arms(self) -> float:
        """The variance of a difference of two arms, relative to a person."""
        first = self.people // 2
        return 1 / first + 1 / (self.people - first) if first else float("inf")


@dataclass(frozen=True, slots=True)
class Sureness:
    """``error`` is the standard error to be expected, ``half`` that of a 95 % range."""

    error: float
    degrees: float

    @property
    def half(self) -> float:
        return t_quantile(self.degrees) * self.error

    @property
    def smallest(self) -> float:
        """The difference that is found four times in five."""
        return effect_found(self.degrees) * self.error

    def power(self, effect: float) -> float:
        """Return how often a difference of this size is detected at 5 %."""
        return power_of(effect / self.error, self.degrees)


def sureness(plan: Plan, spread: Spread, design: Design) -> Sureness | None:
    """Return how sure the result would be; None for too few people or games."""
    if design in (Design.BEFORE_AFTER, Design.GAINS) and not plan.before:
        return None
    parts = PARTS[design](plan, spread)
    if any(degrees < 1 for _variance, degrees in parts):
        return None
    variance = sum(part for part, _degrees in parts)
    doubt = sum(part**2 / degrees for part, degrees in parts)
    return Sureness(sqrt(variance), variance**2 / doubt) if doubt > 0 else None


def surenesses(plan: Plan, spread: Spread) -> Mapping[Design, Sureness | None]:
    return {design: sureness(plan, spread, design) for design in Design}


def _these(plan: Plan, spread: Spread) -> Sequence[Part]:
    if plan.shared_dice:
        return [(_dice(plan, spread, 1 / plan.games), plan.games - 1)]
    return [(spread.within**2 / plan.played, plan.people * (plan.games - 1))]


def _like_these(plan: Plan, spread: Spread) -> Sequence[Part]:
    between, people = spread.between**2, plan.people
    if plan.shared_dice:
        own = (between + spread.by_game / plan.games) / people
        return [(own, people - 1), *_these(plan, spread)]
    return [((between + spread.within**2 / plan.games) / people, people - 1)]


def _two_arms(plan: Plan, spread: Spread) -> Sequence[Part]:
    person = spread.between**2 + _of_a_game(plan, spread) / plan.games
    return [(person * plan.arms, plan.people - 2)]


def _before_after(plan: Plan, spread: Spread) -> Sequence[Part]:
    person = spread.change**2 + _of_a_game(plan, spread) * plan.phases
    own = (person / plan.people, plan.people - 1)
    if plan.shared_dice:
        return [own, (_dice(plan, spread, plan.phases), plan.games - 2)]
    return [own]


def _gains(plan: Plan, spread: Spread) -> Sequence[Part]:
    person = spread.change**2 + _of_a_game(plan, spread) * plan.phases
    return [(person * plan.arms, plan.people - 2)]


def _of_a_game(plan: Plan, spread: Spread) -> float:
    """Return the variance that a game adds to differences of people; shared dice are left out."""
    return spread.by_game if plan.shared_dice else spread.within**2


def _dice(plan: Plan, spread: Spread, times: float) -> float:
    """Return the variance of the mean of everyone's games on the same dice."""
    return (spread.by_dice + spread.by_game / plan.people) * times


PARTS: Mapping[Design, Callable[[Plan, Spread], Sequence[Part]]] = {
    Design.THESE: _these,
    Design.LIKE_THESE: _like_these,
    Design.TWO_ARMS: _two_arms,
    Design.BEFORE_AFTER: _before_after,
    Design.GAINS: _gains,
}


def power_of(shift: float, degrees: float) -> float:
    """P(|T| > t) where T is Student's, moved by so many standard errors (noncentral t).

    Over every error u that may be estimated, in units of the true one: P(|Z + shift| > t u).
    """
    t = t_quantile(degrees)
    low, high = max(0.0, 1 - REACH / sqrt(2 * degrees)), 1 + REACH / sqrt(2 * degrees)
    nodes, weights = NODES
    middle, half = (high + low) / 2, (high - low) / 2
    found = 0.0
    for node, weight in zip(nodes.tolist(), weights.tolist(), strict=True):
        u = middle + half * node
        beyond = erfc((t * u - shift) / sqrt(2)) + erfc((t * u + shift) / sqrt(2))
        found += weight * half * _error_density(u, degrees) * beyond / 2
    return min(1.0, found)


def _error_density(u: float, degrees: float) -> float:
    """Return the density of the root of chi-squared over its degrees of freedom."""
    half = degrees / 2
    return 2 * exp(half * log(half) - lgamma(half) + (degrees - 1) * log(u) - half * u * u)


@lru_cache(maxsize=512)
def effect_found(degrees: float, power: float = POWER) -> float:
    """Return how many standard errors a difference must have to be found this often, by
    bisection."""
    low, high = 0.0, 2.0
    while power_of(high, degrees) < power:
        low, high = high, 2 * high
    while high - low > 1e-9 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if power_of(middle, degrees) < power else (low, middle)
    return high


def people_needed(plan: Plan, spread: Spread, design: Design, effect: float) -> int | None:
    """Return the number of people who detect such a difference four times in five; None if no
    number does, because on shared dice a change also has the luck of few dice."""

    def enough(people: int) -> bool:
        found = sureness(Plan(people, plan.games, plan.shared_dice), spread, design)
        return found is not None and found.power(effect) >= POWER

    few, many = 1, 2
    while not enough(many):
        if many > MOST_PEOPLE:
            return None
        few, many = many, 2 * many
    while many - few > 1:
        middle = (few + many) // 2
        few, many = (few, middle) if enough(middle) else (middle, many)
    return many


def as_much_play(plan: Plan, games: Sequence[int]) -> list[Plan]:
    """Return the same play with other numbers of games each, from many people to few."""
    found = {each: round(plan.played / each) for each in games} | {plan.games: plan.people}
    plans = (Plan(people, each, plan.shared_dice) for each, people in sorted(found.items()))
    return [one for one in plans if one.people > 1 or one == plan]
