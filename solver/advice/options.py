"""The options of a position, which are holds and boxes, with their values, the best first."""

from collections.abc import Sequence
from math import sqrt
from typing import Literal, NamedTuple

from solver.dp.space import TIE
from solver.rules.dice import Dice


def is_mistake(loss: float) -> bool:
    """Return whether a loss in points is larger than a rounding error."""
    return loss > TIE


def sort_by_cost(costs: Sequence[float]) -> list[int]:
    """Return the indices sorted by cost, lowest first. Neighbours whose costs differ by at most
    ``TIE`` are a tie and keep their order, so rounding cannot change the order."""
    order = sorted(range(len(costs)), key=costs.__getitem__)
    start = 0
    for end in range(1, len(order) + 1):
        if end == len(order) or costs[order[end]] - costs[order[end - 1]] > TIE:
            order[start:end] = sorted(order[start:end])
            start = end
    return order


class Outlook(NamedTuple):
    bonus_chance: float
    expected_rest: float  # expected points in the rest of the game after this option
    deviation: float  # standard deviation of the final score

    @classmethod
    def from_moments(cls, carried: Sequence[float], value: float, points: int) -> "Outlook":
        """Return the outlook from the bonus chance and the mean square of the points to come."""
        chance, second_moment = carried
        deviation = sqrt(max(0.0, second_moment - value * value))
        return cls(min(1.0, max(0.0, chance)), value - points, deviation)


class Option(NamedTuple):
    action: Literal["hold", "score"]
    dice: Dice  # the dice that are held or scored
    category: str  # box id; empty for a hold
    points: int
    value: float
    regret: float
    outlook: Outlook | None = None

    @property
    def best(self) -> bool:
        return not is_mistake(self.regret)


class Advice(NamedTuple):
    """All options, the best first. Ties: holds before boxes, and holds of more dice first."""

    value: float
    options: tuple[Option, ...]

    @property
    def best(self) -> Option:
        return self.options[0]
