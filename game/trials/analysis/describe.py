"""Descriptive statistics of games and players. None of them is the primary test.

A final score is V(start) + luck - cost. V(start) is the mean score of perfect play, the cost is the
points lost by mistakes, and luck averages 0. The average score therefore has two estimates: the
mean score, and V(start) minus the mean cost. The second estimate is more precise, because it
contains no luck. Each estimate has two intervals: for the same people playing more games, and for
similar people.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import erfc, exp, pi, sqrt
from statistics import fmean, median, stdev
from typing import TypeVar

import numpy as np

from solver.statistics.chi_squared import Ten, group_in_tens
from solver.statistics.inference import (
    Interval,
    Significance,
    apply_welch,
    build_interval,
    estimate_difference,
    estimate_mean,
    t_test,
    z_test,
)

Key = TypeVar("Key")
Value = TypeVar("Value")
FLAWLESS = 1e-9  # points; the cost of a perfect game is only rounding error, and smaller than this


@dataclass(frozen=True, slots=True)
class GameResult:
    """A finished game. ``cost`` and ``luck`` are None if the cost of a decision is unknown.
    ``sitting`` is the number of the player's session, counted from 1."""

    participant: str
    number: int
    phase: str
    arm: int | None
    score: int
    bonus: int
    chips: int
    cost: float | None
    luck: float | None
    decisions: int
    sitting: int

    def measured(self, measure: str) -> float | None:
        if measure == "score":
            return float(self.score)
        if self.cost is None or measure == "cost":
            return self.cost
        return self.cost / self.decisions if self.decisions else None


@dataclass(frozen=True, slots=True)
class ScoreSummary:
    mean: float
    deviation: float | None
    median: float
    most: int
    least: int
    bonus_share: float
    chips: float


@dataclass(frozen=True, slots=True)
class MeanOfPeople:
    """The mean of people's own means, with intervals for the same and for similar people."""

    mean: float
    these_people: Interval | None
    people_like_these: Interval | None


@dataclass(frozen=True, slots=True)
class LearningStep:
    """The mean cost of the games with the same ``number``, for example of everyone's third game."""

    number: int
    games: int
    cost: float


@dataclass(frozen=True, slots=True)
class PersonFigures:
    participant: str
    games: int
    mean: float
    bonus_share: float
    judged: int
    cost: float | None
    luck: float | None
    interval: Interval | None  # confidence interval of the mean cost


@dataclass(frozen=True, slots=True)
class Description:
    """The statistics of finished games. If the intervals treat each session as independent,
    ``sittings`` is the number of sessions. If they treat each game as independent, it is None."""

    games: int
    judged: int
    sittings: int | None
    scores: ScoreSummary | None
    tens: tuple[Ten, ...]
    score: MeanOfPeople | None
    cost: MeanOfPeople | None
    cost_a_decision: MeanOfPeople | None
    luck: float | None
    flawless: int
    against_perfect: Significance | None
    learning: tuple[LearningStep, ...]
    slope: Interval | None
    slope_p: float | None
    people: tuple[PersonFigures, ...]


def describe_games(
    games: Iterable[GameResult],
    *,
    start: float | None = None,
    deviation: float | None = None,
    shared_dice: bool = False,
) -> Description:
    """Calculate the statistics of these games. A statistic is None if it needs more games."""
    by_person = group_values((game.participant, game) for game in games)
    people = [sorted(games, key=lambda game: game.number) for games in by_person.values()]
    played = [game for games in people for game in games]
    costs = [(game.number, game.cost) for game in played if game.cost is not None]
    lucks = [game.luck for game in played if game.luck is not None]
    scores = [game.score for game in played]
    several = sum(len({game.sitting for game in games}) > 1 for games in people)
    sit = bool(people) and 2 * several >= len(people)  # at least half of them have several sessions
    against_perfect, summary = None, None
    if played:
        summary = ScoreSummary(
            fmean(scores),
            stdev(scores) if len(scores) > 1 else None,
            float(median(scores)),
            max(scores),
            min(scores),
            sum(game.bonus > 0 for game in played) / len(played),
            fmean(game.chips for game in played),
        )
        if start is not None:
            independent = float(len(played))
            if shared_dice:  # perfect play would score the same in all games with the same dice
                times = np.bincount([game.number for game in played])
                independent = len(played) ** 2 / float((times**2).sum())
            against_perfect = z_test(summary.mean, independent, start, deviation)
    slopes = []  # how much the cost changes per game, of people with at least three games
    for games_of_person in people:
        known = [(game.number, game.cost) for game in games_of_person if game.cost is not None]
        if len(known) > 2:
            numbers, points_lost = (np.array(row, float) for row in zip(*known, strict=True))
            across = numbers - numbers.mean()
            slopes.append(float(across @ points_lost / (across @ across)))
    slope = estimate_mean(slopes)
    test = t_test(slope)
    return Description(
        games=len(played),
        judged=len(costs),
        sittings=len({(game.participant, game.sitting) for game in played}) if sit else None,
        scores=summary,
        tens=tuple(group_in_tens(np.bincount(scores))) if played else (),
        score=_calculate_mean(people, "score", sit=sit, shared_dice=shared_dice),
        cost=_calculate_mean(people, "cost", sit=sit),
        cost_a_decision=_calculate_mean(people, "cost_a_decision", sit=sit),
        luck=fmean(lucks) if lucks else None,
        flawless=sum(cost <= FLAWLESS for _number, cost in costs),
        against_perfect=against_perfect,
        learning=tuple(
            LearningStep(number, len(same), fmean(same))
            for number, same in sorted(group_values(costs).items())
        ),
        slope=slope,
        slope_p=test.p if test else None,
        people=tuple(map(_describe_person, people)),
    )


def _calculate_mean(
    people: Sequence[Sequence[GameResult]], measure: str, *, sit: bool, shared_dice: bool = False
) -> MeanOfPeople | None:
    known = [
        [(game, value) for game in games if (value := game.measured(measure)) is not None]
        for games in people
    ]
    known = [games for games in known if games]
    if not known:
        return None
    means = [fmean(value for _game, value in games) for games in known]
    mean, others = fmean(means), estimate_mean(means)
    if not shared_dice:
        return MeanOfPeople(mean, _calculate_own_interval(known, means, sit=sit), others)
    # The n-th games of all people have the same luck, so each game number counts as one
    # independent value.
    by_dice = group_values((game.number, value) for games in known for game, value in games)
    span = estimate_mean(map(fmean, by_dice.values()))
    dice = build_interval(mean, span.error**2, span.degrees) if span else None
    both = None
    if dice and others:
        both = apply_welch(mean, [(dice.error**2, dice.degrees), (others.error**2, others.degrees)])
    return MeanOfPeople(mean, dice, both)


def group_values(pairs: Iterable[tuple[Key, Value]]) -> dict[Key, list[Value]]:
    """Return the values with the same key as lists, in the order in which the keys come."""
    groups = dict[Key, list[Value]]()
    for key, value in pairs:
        groups.setdefault(key, []).append(value)
    return groups


Known = Sequence[Sequence[tuple[GameResult, float]]]


def _calculate_own_interval(known: Known, means: Sequence[float], *, sit: bool) -> Interval | None:
    """Return the confidence interval of the mean for the same people playing more games. If
    ``sit``, each session counts as one independent value, else each game. A person with only one
    value gets the average variance of the other people. Return None if everyone has only one value.
    """
    sums = []
    for games, mean in zip(known, means, strict=True):
        units: dict[int, float] = {}
        for game, value in games:
            unit = game.sitting if sit else game.number
            units[unit] = units.get(unit, 0.0) + value - mean
        squares = sum(part_sum**2 for part_sum in units.values()) / len(games) ** 2
        sums.append((squares * len(units) ** 2, len(units)))
    spare = sum(units - 1 for _squares, units in sums)
    if not spare:
        return None
    shared = sum(squares for squares, _units in sums) / spare
    spreads = [
        (squares / (units - 1), units - 1, units) if units > 1 else (shared, spare, 1)
        for squares, units in sums
    ]
    people = len(known)
    parts = [(variance / units / people**2, degrees) for variance, degrees, units in spreads]
    return apply_welch(fmean(means), parts)


def _describe_person(games: Sequence[GameResult]) -> PersonFigures:
    costs = [game.cost for game in games if game.cost is not None]
    lucks = [game.luck for game in games if game.luck is not None]
    return PersonFigures(
        games[0].participant,
        len(games),
        fmean(game.score for game in games),
        sum(game.bonus > 0 for game in games) / len(games),
        len(costs),
        fmean(costs) if costs else None,
        fmean(lucks) if lucks else None,
        estimate_mean(costs),
    )


@dataclass(frozen=True, slots=True)
class PhaseFigures:
    """The statistics of an arm in one phase, and (exploratory) its difference from the first."""

    phase: str
    arm: str
    people: int
    mean: float
    deviation: float | None
    difference: Interval | None


def list_phase_figures(
    games: Iterable[tuple[GameResult, int | None]],
    arms: Sequence[str],
    measure: str,
    phase: str,
    *,
    within: bool,
) -> list[PhaseFigures]:
    """Return the statistics of every arm in a phase. ``games`` has each game with the index of the
    arm in which it counts. Omit the differences between arms in the baseline phase, where they are
    pure chance, and if everyone plays all arms (``within``)."""
    by_person = group_values(
        ((arm, game.participant), value)
        for game, arm in games
        if game.phase == phase and (value := game.measured(measure)) is not None
    )
    by_arm = group_values((arm, fmean(values)) for (arm, _who), values in by_person.items())
    figures, first = [], estimate_mean(by_arm.get(0, ()))
    for arm, name in enumerate(arms):
        values = by_arm.get(arm, [])
        if not values:
            continue
        here, difference = estimate_mean(values), None
        if here and first and arm and phase != "before" and not within:
            difference = estimate_difference(here, first)
        deviation = stdev(values) if len(values) > 1 else None
        figures.append(PhaseFigures(phase, name, len(values), fmean(values), deviation, difference))
    return figures


@dataclass(frozen=True, slots=True)
class DiceFigures:
    """The face counts of one die, or of all dice if ``die`` is None, and a fairness test."""

    die: int | None
    counts: tuple[int, ...]
    chi_squared: float
    p: float


def describe_dice(counts: Sequence[int], die: int | None = None) -> DiceFigures:
    due = sum(counts) / len(counts)
    x = sum((count - due) ** 2 for count in counts) / due
    p = erfc(sqrt(x / 2)) + sqrt(2 * x / pi) * exp(-x / 2) * (1 + x / 3)  # five degrees of freedom
    return DiceFigures(die, tuple(counts), x, p)
