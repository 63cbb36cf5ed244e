"""Inference from a sample: Student's t, intervals, and tests, with no dependency.

Games of people are values in groups, one group a person. Two questions have two answers. How
would *these people* do if they went on playing? Chance is then the dice, and the error comes from
how far the games of each person lie from that person's mean. How would *people like these* do?
Then the people are the sample, and the error comes from how far their means lie apart.

Nothing is said where nothing can be: None below two values, and None where values do not differ,
for then they do not tell how far others would.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np

from solver.statistics.chi_squared import Floats
from solver.statistics.student import normal_p, t_p, t_quantile

NOTHING = 1e-12  # a relative error that is only rounding

Games = Mapping[int, float]  # of one person: a value a game, by the game's number


@dataclass(frozen=True, slots=True)
class Interval:
    """``error`` is the standard error of the mean, with so many degrees of freedom."""

    mean: float
    low: float
    high: float
    error: float
    degrees: float

    @property
    def half(self) -> float:
        return (self.high - self.low) / 2

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high


@dataclass(frozen=True, slots=True)
class Significance:
    """``p``: how often chance alone gives a statistic at least as far from nought.

    Without degrees of freedom the statistic is a z, with them a t.
    """

    statistic: float
    p: float
    degrees: float | None = None


def z_test(
    mean: float, games: float, expected: float, deviation: float | None
) -> Significance | None:
    """Test whether a mean of games fits a known mean and deviation; None if it cannot be tested."""
    if games <= 0 or not deviation:
        return None
    z = (mean - expected) / (deviation / sqrt(games))
    return Significance(z, normal_p(z))


def t_test(estimate: Interval | None, expected: float = 0.0) -> Significance | None:
    """Test whether the mean of an interval differs from the expected one."""
    if estimate is None:
        return None
    t = (estimate.mean - expected) / estimate.error
    return Significance(t, t_p(t, estimate.degrees), estimate.degrees)


def around(mean: float, variance: float, degrees: float) -> Interval | None:
    """Return the interval around a mean, from the variance of that mean."""
    error = sqrt(max(0.0, variance))
    if degrees <= 0 or error <= NOTHING * max(1.0, abs(mean)):
        return None
    half = t_quantile(degrees) * error
    return Interval(mean, mean - half, mean + half, error, degrees)


def less(start: float, lost: Interval) -> Interval:
    """Return the skill: perfect play minus what decisions cost."""
    ends = (start - lost.high, start - lost.low)
    return Interval(start - lost.mean, *ends, lost.error, lost.degrees)


def interval(values: Iterable[float]) -> Interval | None:
    """Return the interval of the mean of independent values, or None."""
    of = np.asarray(list(values), float)
    if len(of) < 2:
        return None
    return around(float(of.mean()), float(of.var(ddof=1)) / len(of), len(of) - 1)


def paired(ones: Sequence[float], others: Sequence[float]) -> Interval | None:
    """Return the interval of the mean difference of paired values, or None."""
    return interval(one - other for one, other in zip(ones, others, strict=True))


def difference(one: Interval, other: Interval) -> Interval | None:
    """Between the means of two samples that have nothing to do with each other (Welch)."""
    parts = [(mean.error**2, mean.degrees) for mean in (one, other)]
    return welch(one.mean - other.mean, parts)


def stratified(groups: Iterable[Sequence[float]], *, each: bool = False) -> Interval | None:
    """Return the mean of all games of these people, whatever each one's mean and deviation.

    With ``each`` that of their means, in which everybody counts the same however many games.

    The degrees of freedom are those of Welch and Satterthwaite. Anyone who has a single game is
    taken to vary as the others do together.
    """
    people = [np.asarray(group, float) for group in groups if len(group)]
    total = sum(map(len, people))
    spare = total - len(people)
    if not spare:
        return None
    shared = sum(float(of.var()) * len(of) for of in people) / spare
    own = [
        (float(of.var(ddof=1)), len(of) - 1) if len(of) > 1 else (shared, spare) for of in people
    ]
    weights = [1 / len(people) if each else len(of) / total for of in people]
    parts = [
        (weight**2 * v / len(of), d)
        for of, weight, (v, d) in zip(people, weights, own, strict=True)
    ]
    mean = sum(weight * float(of.mean()) for of, weight in zip(people, weights, strict=True))
    return welch(mean, parts)


def across_people(groups: Iterable[Sequence[float]]) -> Interval | None:
    """Return the mean of the people's means: what people like these are good for."""
    return interval(float(np.mean(group)) for group in groups if len(group))


def same_dice(groups: Iterable[Games], *, each: bool = False) -> Interval | None:
    """Do as ``stratified`` does, for games in which everybody had the same dice.

    Luck is then shared as well, so not the games but the dice are independent: how far the games
    on the same dice lie together from their players' means is one value.
    """
    people = [group for group in groups if group]
    total = sum(map(len, people))
    weights = [1 / len(people) / len(group) if each else 1 / total for group in people]
    error = _dice_error(people, weights) if people else None
    mean = sum(w * sum(group.values()) for w, group in zip(weights, people, strict=True))
    return around(mean, *error) if error else None


def across_people_and_dice(groups: Sequence[Games]) -> Interval | None:
    """Do as ``across_people`` does, on shared dice: people and dice are both samples.

    The two errors are added up. What is neither of the person nor of the dice is in both. With
    two people, or two games each, either error is a guess, and the range somewhat too narrow.
    """
    people = [group for group in groups if group]
    persons = across_people([list(group.values()) for group in people])
    dice = _dice_error(people, [1 / len(people) / len(group) for group in people])
    if persons is None or dice is None:
        return None
    return welch(persons.mean, [(persons.error**2, persons.degrees), dice])


def _dice_error(people: Sequence[Games], weights: Sequence[float]) -> tuple[float, float] | None:
    """Return the variance of a weighted sum of games that the dice make, and its degrees of
    freedom.

    Taking everybody's own mean off takes some of the spread along, most of it where somebody has
    few games. How much depends on what games on the same dice share: with everything and with
    nothing the correction is known (after Bell and McCaffrey), and the more careful of the two is
    taken. None where nothing is left to tell the spread by.
    """
    seen, values = _table(people)
    weight = np.array(weights)[:, None]
    own_mean = values.sum(1, keepdims=True) / seen.sum(1, keepdims=True)
    square = float((((weight * seen * (values - own_mean)).sum(0)) ** 2).sum())
    everything = _taken_along(seen, weight)
    nothing = _taken_along(seen, weight**2)
    due = float(((weight * seen).sum(0) ** 2).sum()), float((weight**2 * seen).sum())
    kept = [everything @ everything, nothing]
    traces = [float(np.trace(one)) for one in kept]
    if any(trace <= NOTHING * all_of_it for trace, all_of_it in zip(traces, due, strict=True)):
        return None
    factors = [all_of_it / trace for trace, all_of_it in zip(traces, due, strict=True)]
    degrees = [t**2 / float((one**2).sum()) for t, one in zip(traces, kept, strict=True)]
    return square * max(factors), min(degrees)


def _taken_along(seen: Floats, weight: Floats) -> Floats:
    """Return the covariance of games on different dice, once each person's mean is subtracted."""
    share = weight * seen / seen.sum(1, keepdims=True)
    left: Floats = np.diag((weight * seen).sum(0)) - share.T @ seen
    return left


def _table(people: Sequence[Games]) -> tuple[Floats, Floats]:
    """Return a row for each person: whether they played each game, and its result."""
    numbers = {number: at for at, number in enumerate(sorted(set().union(*people)))}
    seen, values = np.zeros((2, len(people), len(numbers)))
    for row, group in enumerate(people):
        places = [numbers[number] for number in group]
        seen[row, places] = 1.0
        values[row, places] = list(group.values())
    return seen, values


def welch(mean: float, parts: Sequence[tuple[float, float]]) -> Interval | None:
    """Around a mean whose variance is a sum of variances, each with degrees of freedom."""
    variance = sum(part for part, _degrees in parts)
    doubt = sum(part**2 / degrees for part, degrees in parts)
    return around(mean, variance, variance**2 / doubt) if doubt > 0 else None


def slope(groups: Iterable[Games]) -> Interval | None:
    """Return the change of a value from one game to the next, within each person. Each person
    has an own level, so that good players who stop earlier or later do not look like learning."""
    xs, ys, people = _own_levels(groups)
    return _through_origin(xs, ys, np.ones_like(xs), len(xs) - people - 1)


def slope_same_dice(groups: Iterable[Games]) -> Interval | None:
    """Return the same on shared dice, of which some are harder: each game number is one value."""
    kept = [group for group in groups if group]
    xs, ys, _people = _own_levels(kept)
    numbers = np.array([number for group in kept for number in group], dtype=np.int64)
    found, at = np.unique(numbers, return_inverse=True)
    weights = np.bincount(at, minlength=len(found)).astype(float)
    mean_xs = np.bincount(at, xs, len(found)) / np.maximum(weights, 1)
    mean_ys = np.bincount(at, ys, len(found)) / np.maximum(weights, 1)
    return _through_origin(mean_xs, mean_ys, weights, len(found) - 2)


def _own_levels(groups: Iterable[Games]) -> tuple[Floats, Floats, int]:
    """Game numbers and values as differences from their person's means, and how many people."""
    xs, ys, people = [np.empty(0)], [np.empty(0)], 0
    for group in groups:
        if group:
            numbers, values = np.array(list(group)), np.array(list(group.values()), float)
            xs.append(numbers - numbers.mean())
            ys.append(values - values.mean())
            people += 1
    return np.concatenate(xs), np.concatenate(ys), people


def _through_origin(xs: Floats, ys: Floats, weights: Floats, degrees: int) -> Interval | None:
    across = float((weights * xs**2).sum())
    if degrees < 1 or across <= NOTHING:
        return None
    steepness = float((weights * xs * ys).sum()) / across
    left = float((weights * (ys - steepness * xs) ** 2).sum())
    return around(steepness, left / degrees / across, degrees)
