"""Whether the main difference hangs on who and what was counted."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from solver.statistics.arm_compare import ArmComparison, compared
from solver.statistics.arm_figures import (
    BEFORE,
    TRAINING,
    ArmDifference,
    ArmGame,
    ArmPerson,
    Measure,
    Sensitivity,
)
from solver.statistics.arm_levels import Levels
from solver.statistics.crossover import compared_within
from solver.statistics.dropouts import stayed

People = Mapping[str, ArmPerson]


def sensitivity(
    games: Sequence[ArmGame], by: ArmComparison, measure: Measure
) -> tuple[Sensitivity, ...]:
    """Rules that change nothing here, or leave nothing to compare, are left out."""
    found = (_within if by.design.within else _between)(games, by, measure)
    return tuple(Sensitivity(rule, pairs) for rule, pairs in found if pairs)


def _between(
    games: Sequence[ArmGame], by: ArmComparison, measure: Measure
) -> Iterator[tuple[str, tuple[ArmDifference, ...]]]:
    people, phase = by.people, by.design.outcome
    finished = [game for game in games if game.finished]
    before = by.levels(finished, BEFORE, measure).by_person()
    outcome = by.levels(finished, phase, measure)
    as_played = _as_played(finished, people)
    if as_played != dict(people):
        kept = _only(outcome, as_played)
        yield "as_played", compared(kept, replace(by, people=as_played), before)
    if before:
        yield "not_adjusted", compared(outcome, by)
        everybody = _with_missing(outcome, before, people)
        if len(everybody.people) > len(outcome.people):
            yield "missing_as_before", compared(everybody, by, before)
    later = _without_first(finished, phase)
    yield "without_first", compared(by.levels(later, phase, measure), by, before)
    if any(not game.finished and game.phase == phase for game in games):
        yield "with_unfinished", compared(by.levels(games, phase, measure), by, before)
    yield "without_extremes", compared(outcome, by, before, trimmed=True)


def _within(
    games: Sequence[ArmGame], by: ArmComparison, measure: Measure
) -> Iterator[tuple[str, tuple[ArmDifference, ...]]]:
    finished = [game for game in games if game.finished and game.phase == TRAINING]
    whole = stayed(games, by.people)
    chosen: dict[str, Sequence[ArmGame]] = {
        "as_played": [game for game in finished if game.person in whole],
        "without_first": _without_first(finished, TRAINING),
        "with_unfinished": [game for game in games if game.phase == TRAINING],
    }
    for rule, of in chosen.items():
        if len(of) != len(finished):
            yield rule, compared_within(of, by, measure)


def _as_played(games: Sequence[ArmGame], people: People) -> dict[str, ArmPerson]:
    """Those who finished all that was planned, in the arm in which they trained."""
    whole = stayed(games, people)
    trained: dict[str, Counter[str]] = {}
    for game in games:
        if game.phase == TRAINING and game.arm:
            trained.setdefault(game.person, Counter())[game.arm] += 1
    found = {who: one for who, one in people.items() if who in whole}
    return {
        who: replace(one, arm=trained[who].most_common(1)[0][0]) if who in trained else one
        for who, one in found.items()
    }


def _without_first(games: Sequence[ArmGame], phase: str) -> list[ArmGame]:
    """Without everybody's first game of the phase, in each condition."""
    first: dict[tuple[str, str], int] = {}
    for game in games:
        if game.phase == phase:
            key = game.person, game.arm
            first[key] = min(game.number, first.get(key, game.number))
    return [
        game for game in games if game.phase != phase or game.number != first[game.person, game.arm]
    ]


def _only(levels: Levels, people: People) -> Levels:
    rows = [at for at, who in enumerate(levels.people) if who in people]
    return Levels(
        tuple(levels.people[at] for at in rows),
        levels.values[rows],
        levels.games[rows],
        levels.noise,
        levels.seen[rows],
        levels.left[rows],
    )


def _with_missing(levels: Levels, before: Mapping[str, float], people: People) -> Levels:
    """Whoever did not get so far counts as they were before: as if nothing had helped them."""
    missing = [who for who in people if who in before and who not in levels.people]
    more = np.zeros((len(missing), levels.seen.shape[1]))
    return Levels(
        (*levels.people, *missing),
        np.concatenate((levels.values, [before[who] for who in missing])),
        np.concatenate((levels.games, np.ones(len(missing)))),
        levels.noise,
        np.concatenate((levels.seen, more)),
        np.concatenate((levels.left, more)),
    )
