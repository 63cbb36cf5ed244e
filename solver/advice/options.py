"""The options of a position: holds and boxes with their values, the best first."""

from collections.abc import Sequence
from math import sqrt
from typing import Literal, NamedTuple

from solver.dp.space import TIE
from solver.rules.dice import Dice


def is_mistake(loss: float) -> bool:
    """Return whether a loss in points is more than a rounding error."""
    return loss > TIE


def sort_by_cost(costs: Sequence[float]) -> list[int]:
    """Return the indices, the lowest cost first; ties keep their order. Costs tie if steps of at
    most ``TIE`` connect them, so rounding cannot change the order."""
    order = sorted(range(len(costs)), key=costs.__getitem__)
    start = 0
    for end in range(1, len(order) + 1):
        if end == len(order) or costs[order[end]] - costs[order[end - 1]] > TIE:
            order[start:end] = sorted(order[start:end])
            start = end
    return order


class Outlook(NamedTuple):
    bonus_chance: float
    expected_rest: float  # expected points still to come after this option
    deviation: float  # standard deviation of the final score

    @classmethod
    def from_moments(cls, carried: Sequence[float], value: float, points: int) -> "Outlook":
        """Return the outlook; ``carried`` has bonus chance and mean squared points from now on."""
        chance, second_moment = carried
        deviation = sqrt(max(0.0, second_moment - value * value))
        return cls(min(1.0, max(0.0, chance)), value - points, deviation)


class Option(NamedTuple):
    action: Literal["hold", "score"]
    dice: Dice  # the held or scored dice
    category: str  # empty for a hold
    points: int
    value: float
    regret: float
    outlook: Outlook | None = None

    @property
    def best(self) -> bool:
        return not is_mistake(self.regret)


class Advice(NamedTuple):
    """Every option, the best first; of equal options, holds of more dice come first, then boxes."""

    value: float
    options: tuple[Option, ...]

    @property
    def best(self) -> Option:
        return self.options[0]
