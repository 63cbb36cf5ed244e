"""The spread of people and of a person's games, from games that were played.

Variances are taken apart by the method of moments, with unequal numbers of games allowed. Groups
of people (trials) keep a level of their own, so that an easy trial and a hard one do not look like
people who differ.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import sqrt

import numpy as np

from solver.statistics.inference import Games
from solver.statistics.planning import Spread


@dataclass(frozen=True, slots=True)
class Group:
    """People who are compared with each other; on shared dice luck is no difference of theirs."""

    people: Sequence[Games]
    shared_dice: bool = False

    def of_their_own(self, dice: float) -> float:
        """Return the share of the variance within people by which they differ from each other."""
        return 1.0 - dice if self.shared_dice else 1.0


def spread_of(groups: Iterable[Group], dice: float) -> Spread | None:
    """Return the spreads of people and of games; None unless they can be told apart (two of each
    somewhere)."""
    known = [replace(group, people=[one for one in group.people if one]) for group in groups]
    known = [group for group in known if len(group.people) > 1]
    within = _within(list(games.values()) for group in known for games in group.people)
    if within is None:
        return None
    between, change = _between(known, within, dice), _change(known, within, dice)
    return Spread(sqrt(between), sqrt(change), sqrt(within), dice)


def dice_share(groups: Iterable[Group]) -> float | None:
    """Return the share of the variance within people that comes from shared dice, by game
    number."""
    products, squares, pairs, values = 0.0, 0.0, 0, 0
    for group in (one for one in groups if one.shared_dice):
        by_number: dict[int, list[float]] = {}
        for games in (one for one in group.people if len(one) > 1):
            mean = sum(games.values()) / len(games)
            for number, value in games.items():
                by_number.setdefault(number, []).append(value - mean)
        for left in (one for one in by_number.values() if len(one) > 1):
            square = sum(value**2 for value in left)
            products += sum(left) ** 2 - square
            pairs += len(left) * (len(left) - 1)
            squares += square
            values += len(left)
    if not squares or not pairs:
        return None
    return min(1.0, max(0.0, products / pairs / (squares / values)))


def _within(people: Iterable[Sequence[float]]) -> float | None:
    """Return the variance about everybody's own mean."""
    known = [np.array(values, float) for values in people if len(values)]
    spare = sum(len(values) - 1 for values in known)
    if not spare:
        return None
    return sum(float(((values - values.mean()) ** 2).sum()) for values in known) / spare


def _between(groups: Sequence[Group], within: float, dice: float) -> float:
    """Return the variance of people's means, without the part that comes from single games."""
    square, noise, weight = 0.0, 0.0, 0.0
    for group in groups:
        counts = np.array([len(games) for games in group.people], float)
        means = np.array([sum(games.values()) / len(games) for games in group.people])
        level = float(counts @ means / counts.sum())
        square += float(counts @ (means - level) ** 2)
        noise += (len(counts) - 1) * within * group.of_their_own(dice)
        weight += float(counts.sum() - counts @ counts / counts.sum())
    return max(0.0, (square - noise) / weight)


def _change(groups: Sequence[Group], within: float, dice: float) -> float:
    """Return how differently people change from the first half of their games to the second. The
    noise within the halves is subtracted."""
    halved = [
        (group, [_halves(games) for games in group.people if len(games) > 1]) for group in groups
    ]
    within = _within(half for _, people in halved for halves in people for half in halves) or within
    square, noise, spare = 0.0, 0.0, 0
    for group, people in ((group, people) for group, people in halved if len(people) > 1):
        changes = np.array([float(np.mean(last) - np.mean(first)) for first, last in people])
        parts = float(np.mean([1 / len(first) + 1 / len(last) for first, last in people]))
        square += float(((changes - changes.mean()) ** 2).sum())
        noise += (len(people) - 1) * parts * within * group.of_their_own(dice)
        spare += len(people) - 1
    return max(0.0, (square - noise) / spare) if spare else 0.0


def _halves(games: Games) -> tuple[list[float], list[float]]:
    values = [games[number] for number in sorted(games)]
    half = len(values) // 2
    return values[:half], values[half:]
