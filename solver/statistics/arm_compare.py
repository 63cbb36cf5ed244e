"""Two arms beside each other, person by person: every difference of a trial goes through here.

A person is one value: the mean of their games, the slope of their learning, what a kind of
decision cost them. So whatever makes the games of a person hang together, such as good and bad
days, is in that value, and people stay independent of each other.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from solver.statistics.arm_figures import (
    ArmDesign,
    ArmDifference,
    ArmGame,
    ArmMean,
    ArmPerson,
    Measure,
)
from solver.statistics.chi_squared import Floats
from solver.statistics.hierarchy import PeopleFit, fitted
from solver.statistics.inference import Interval, interval, t_test, welch
from solver.statistics.randomisation import (
    ALPHA,
    MOST_LISTED,
    LotTest,
    Randomised,
    randomised,
)

ROUNDS = 500  # of taking means off people and dice in turns; complete tables need one
SETTLED = 1e-10


@dataclass(frozen=True, slots=True)
class Levels:
    """``noise``: the variance of a game about its person's level (and the worth of its dice).

    ``left[i, d]`` is what is left then of the game of person i on the dice d, ``seen`` whether
    there was one; both are empty where everybody's dice were their own.
    """

    people: tuple[str, ...]
    values: Floats
    games: Floats
    noise: float
    seen: Floats
    left: Floats

    @classmethod
    def of_values(cls, values: Mapping[str, float]) -> "Levels":
        """Return levels with one value per person and no known games."""
        alone = np.empty((len(values), 0))
        found = np.array(list(values.values()))
        return cls(tuple(values), found, np.ones(len(values)), 0.0, alone, alone)

    def by_person(self) -> dict[str, float]:
        return dict(zip(self.people, self.values.tolist(), strict=True))


def levels_of(games: Iterable[ArmGame], measure: Measure, *, shared_dice: bool) -> Levels:
    """On shared dice every value is first freed of what its dice were worth to all."""
    known = [(game.person, game.deal, game.measured(measure)) for game in games]
    rows = [(who, deal, value) for who, deal, value in known if value is not None]
    return _on_shared_dice(rows) if shared_dice else _on_own_dice(rows)


def _on_own_dice(rows: Sequence[tuple[str, str, float]]) -> Levels:
    values: dict[str, list[float]] = {}
    for who, _deal, value in rows:
        values.setdefault(who, []).append(value)
    of = [np.array(one) for one in values.values()]
    spare = sum(map(len, of)) - len(of)
    noise = sum(float(one.var()) * len(one) for one in of) / spare if spare else 0.0
    means, games = np.array([one.mean() for one in of]), np.array([len(one) for one in of], float)
    none = np.empty((len(of), 0))
    return Levels(tuple(values), means, games, noise, none, none)


def _on_shared_dice(rows: Sequence[tuple[str, str, float]]) -> Levels:
    people = _numbered(who for who, _deal, _value in rows)
    deals = _numbered(deal for _who, deal, _value in rows)
    seen, values = np.zeros((2, len(people), len(deals)))
    for who, deal, value in rows:
        seen[people[who], deals[deal]] = 1.0
        values[people[who], deals[deal]] = value
    persons, worth = _apart(seen, values)
    left = seen * (values - persons[:, None] - worth[None, :])
    spare = int(seen.sum()) - len(people) - len(deals) + 1
    noise = float((left**2).sum()) / spare if spare > 0 else 0.0
    return Levels(tuple(people), persons, seen.sum(1), noise, seen, left)


def _numbered(names: Iterable[str]) -> Mapping[str, int]:
    return {name: at for at, name in enumerate(dict.fromkeys(names))}


def _apart(seen: Floats, values: Floats) -> tuple[Floats, Floats]:
    """People's levels and the worth of dice, by least squares; the worth is 0 on average."""
    if not seen.size:
        return np.empty(seen.shape[0]), np.empty(seen.shape[1])
    persons, worth = np.zeros(seen.shape[0]), np.zeros(seen.shape[1])
    for _round in range(ROUNDS):
        before = persons
        persons = (seen * (values - worth)).sum(1) / seen.sum(1)
        worth = (seen * (values - persons[:, None])).sum(0) / seen.sum(0)
        if np.abs(persons - before).max() <= SETTLED * max(1.0, float(np.abs(persons).max())):
            break
    return persons + worth.mean(), worth - worth.mean()


Key = TypeVar("Key")

LEAST = 2  # people of an arm, for a spread to be known
LEAST_KNOWN_BEFORE = 4  # people whose games before are needed to adjust by them


@dataclass(frozen=True, slots=True)
class Lots:
    """The number of lots of the randomisation test, and their seed."""

    draws: int = MOST_LISTED - 1
    seed: int = 0


@dataclass(frozen=True, slots=True)
class ArmComparison:
    """A comparison of arms, with its number of random assignments.

    ``singly``: every pair by lots of its own two arms, as preregistrations without an estimand were
    locked to be read; else several pairs are held against the largest difference of every lot.
    """

    people: Mapping[str, ArmPerson]
    design: ArmDesign
    lots: Lots
    singly: bool = False

    def levels(self, games: Iterable[ArmGame], phase: str, measure: Measure) -> Levels:
        of = (game for game in games if game.phase == phase)
        return levels_of(of, measure, shared_dice=self.design.shared_dice)


def compared(
    levels: Levels,
    by: ArmComparison,
    before: Mapping[str, float] | None = None,
) -> tuple[ArmDifference, ...]:
    """Every further arm beside the first."""
    arms, known = by.design.arms, before or {}
    if by.singly:
        found = [_compared(levels, by, (arm, arms[0]), known) for arm in arms[1:]]
        return of_several([one for one in found if one])
    drawn = _drawn_together(levels, by, known)
    pairs = [(arm, arms[0]) for arm in arms[1:]]
    alone = [(pair, _compared(levels, by, pair, known, drawn.get(pair))) for pair in pairs]
    return tuple(one for _pair, one in alone if one)


def _drawn_together(
    levels: Levels, by: ArmComparison, before: Mapping[str, float]
) -> Mapping[tuple[str, str], Randomised]:
    """All arms of which there are people enough, by the same lots; by names of pairs."""
    counts = Counter(by.people[who].arm for who in levels.people)
    arms = [arm for arm in by.design.arms if counts[arm] >= LEAST]
    if len(arms) < 2 or arms[0] != by.design.arms[0]:
        return {}
    rows = [at for at, who in enumerate(levels.people) if by.people[who].arm in arms]
    of = [by.people[levels.people[at]] for at in rows]
    test = LotTest.of(
        levels.values[rows],
        np.array([arms.index(one.arm) for one in of]),
        [one.block for one in of],
        [(at, 0) for at in range(1, len(arms))],
        known_before(of, before)[0],
        by.lots.draws,
        by.lots.seed,
    )
    if test is None:
        return {}
    return {(arm, arms[0]): test.randomised(at) for at, arm in enumerate(arms[1:])}


def arm_means(levels: Levels, by: ArmComparison) -> tuple[ArmMean, ...]:
    """Each arm alone; anyone who has no value counts nowhere."""
    return tuple(arm_mean(levels, by.people, arm) for arm in by.design.arms)


def arm_mean(levels: Levels, people: Mapping[str, ArmPerson], arm: str) -> ArmMean:
    of = [at for at, who in enumerate(levels.people) if people[who].arm == arm]
    values = levels.values[of]
    mean = float(values.mean()) if of else 0.0
    return ArmMean(arm, len(of), int(levels.games[of].sum()), mean, interval(values))


def _compared(
    levels: Levels,
    by: ArmComparison,
    pair: tuple[str, str],
    before: Mapping[str, float],
    lot: Randomised | None = None,
) -> ArmDifference | None:
    people, lots = by.people, by.lots
    rows = [at for at, who in enumerate(levels.people) if people[who].arm in pair]
    of = [people[levels.people[at]] for at in rows]
    treated = np.array([one.arm == pair[0] for one in of], dtype=bool)
    counts = int(treated.sum()), int((~treated).sum())
    if not all(counts):
        return None
    values = levels.values[rows]
    means = float(values[treated].mean()), float(values[~treated].mean())
    covariates, adjusted = known_before(of, before)
    fit = _fit(levels, rows, treated, covariates)
    model = _with_dice(fit, levels, rows) if fit else None
    difference = fit.estimate if fit else means[0] - means[1]
    if by.singly:
        blocks = [one.block for one in of]
        lot = randomised(values, treated, blocks, covariates, lots.draws, lots.seed)
    elif lot is not None:
        difference = lot.difference
    return ArmDifference(*pair, counts, means, difference, model, t_test(model), lot, adjusted)


def known_before(of: Sequence[ArmPerson], before: Mapping[str, float]) -> tuple[Floats, bool]:
    """Return a column for each stratum but one, and the games before; unknown ones count as
    average.

    The lot knew nothing of either, so that this takes spread away and adds no bias.
    """
    strata = [one.stratum for one in of]
    columns = [[float(one == stratum) for one in strata] for stratum in sorted(set(strata))[1:]]
    known = [before[one.person] for one in of if one.person in before]
    adjusted = len(known) >= LEAST_KNOWN_BEFORE and float(np.ptp(known)) > 0
    if adjusted:
        average = float(np.mean(known))
        columns.append([before.get(one.person, average) for one in of])
    return np.array(columns, float).reshape(len(columns), len(of)).T, adjusted


def _fit(
    levels: Levels, rows: Sequence[int], treated: Floats, covariates: Floats
) -> PeopleFit | None:
    known = np.column_stack((np.ones(len(rows)), treated, covariates))
    return fitted(levels.values[rows], levels.games[rows], levels.noise, known, column=1)


def _with_dice(fit: PeopleFit, levels: Levels, rows: Sequence[int]) -> Interval | None:
    """On shared dice the dice are a sample too: some show the difference more than others.

    What is of the dice alone has been taken off. What one arm makes more of the same dice than
    the other is the same for all its people, and is added; what is of neither is in both errors
    already, and is taken off once (after Cameron, Gelbach and Miller).
    """
    if fit.found is None or levels.left.shape[1] < 2:
        return fit.found
    left = fit.weights[:, None] * levels.left[rows] / levels.games[rows][:, None]
    deals = levels.left.shape[1]
    spread = deals / (deals - 1)
    more = spread * float((left.sum(0) ** 2).sum()) - spread * float((left**2).sum())
    if more <= 0:
        return fit.found
    return welch(fit.estimate, [(fit.found.error**2, fit.found.degrees), (more, deals - 1)])


def of_several(differences: Sequence[ArmDifference]) -> tuple[ArmDifference, ...]:
    """With several arms, the smallest p counts as many times as there are arms (Holm)."""
    if len(differences) < 2:
        return tuple(differences)
    known = holm({at: p for at, one in enumerate(differences) if (p := one.p) is not None})
    return tuple(
        replace(one, p_of_several=known[at][0] if at in known else None)
        for at, one in enumerate(differences)
    )


def holm(alone: Mapping[Key, float]) -> dict[Key, tuple[float, int]]:
    """Every p as it counts among several, and by how many its level is divided: one less after each
    that is rejected, and no less any more after the first that is not."""
    found, least, times = dict[Key, tuple[float, int]](), 0.0, len(alone)
    for rank, (key, p) in enumerate(sorted(alone.items(), key=lambda one: one[1])):
        if least <= ALPHA:
            times = len(alone) - rank
        least = max(least, min(1.0, p * (len(alone) - rank)))
        found[key] = least, times
    return found
