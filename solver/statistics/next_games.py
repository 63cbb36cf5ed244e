"""What the next games would cost people who learn: from a curve fitted to those they played.

Whoever learns does not go on as before, so the mean of the games played says little of the next
ones. What decisions cost falls along one curve for all, everybody at a level of their own: half of
what is left to be learnt is learnt in so many games. In how many, the games tell but roughly, and
so every curve that fits them nearly as well as the best one has its say: the range is as wide as
all of theirs together.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from solver.statistics.chi_squared import Floats
from solver.statistics.inference import NOTHING, Games, Interval
from solver.statistics.sessions import Sample, Sessions, sample_of, weighted

# As parts of the games that were played; the longest is next to a straight line.
HALF_LIVES = (1 / 16, 1 / 8, 1 / 5, 1 / 3, 1 / 2, 1.0, 3.0)
NEARLY = 3.84  # chi-squared of one degree at 5 %: curves that fit no worse than that


@dataclass(frozen=True, slots=True)
class NextGames:
    """``lost`` is what decisions would cost in each of so many games to come."""

    games: int
    half_life: float  # of the curve that fits best, in games
    lost: Interval


def next_games(groups: Sequence[Games], sessions: Sequence[Sessions]) -> NextGames | None:
    """As many as most of these people have played: nothing tells of what is further away."""
    sample = sample_of(groups, sessions)
    if sample is None or len(sample.values) - len(np.unique(sample.people)) < 3:
        return None
    ahead = int(np.median(np.bincount(sample.people)))
    lives = [part * float(sample.numbers.max()) for part in HALF_LIVES]
    found = [one for life in lives if (one := _fitted(sample, life, ahead))]
    if not found:
        return None
    least = min(square for square, _life, _interval in found)
    spare = len(sample.values) - len(np.unique(sample.people)) - 2
    limit = least * (1 + NEARLY / max(spare, 1))
    _square, life, best = min(found, key=lambda one: one[0])
    return NextGames(ahead, life, _together(best, (it for of, _, it in found if of <= limit)))


def _together(best: Interval, others: Iterable[Interval]) -> Interval:
    """From the lowest to the highest of them; nothing costs less than nothing."""
    ranges = list(others)
    low, high = min(it.low for it in ranges), max(it.high for it in ranges)
    return Interval(max(best.mean, 0.0), max(low, 0.0), max(high, 0.0), best.error, best.degrees)


def _fitted(of: Sample, life: float, ahead: int) -> tuple[float, float, Interval] | None:
    """How badly the curve fits, and what it says of the games to come."""
    curve = _curve(of.numbers, life)
    xs = of.own(curve)
    across = float((xs**2).sum())
    if across <= NOTHING:
        return None
    counts = np.bincount(of.people)
    last = np.zeros(len(counts))
    np.maximum.at(last, of.people, of.numbers)
    coming = last[:, None] + np.arange(1, ahead + 1)
    to_come = float((_curve(coming, life).mean(1) * counts).sum() / counts.sum())
    weights = 1 / len(of.values) + (to_come - float(curve.mean())) * xs / across
    line = xs / np.sqrt(across)
    left = of.own(of.values)
    interval = weighted(of, weights, line)
    square = float(((left - line * float((line * left).sum())) ** 2).sum())
    return (square, life, interval) if interval else None


def _curve(numbers: Floats, life: float) -> Floats:
    curve: Floats = 0.5 ** ((numbers - 1) / life)
    return curve
