"""Whether the main difference hangs on who and what was counted."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from solver.statistics.arm_compare import Lots, compared
from solver.statistics.arm_figures import (
    BEFORE,
    TRAINING,
    ArmDesign,
    ArmDifference,
    ArmGame,
    ArmPerson,
    Measure,
    Sensitivity,
)
from solver.statistics.arm_levels import Levels, levels_of
from solver.statistics.crossover import compared_within
from solver.statistics.dropouts import stayed

People = Mapping[str, ArmPerson]


def sensitivity(
    games: Sequence[ArmGame],
    people: People,
    design: ArmDesign,
    measure: Measure,
    lots: Lots | None = None,
) -> tuple[Sensitivity, ...]:
    """Rules that change nothing here, or leave nothing to compare, are left out."""
    if design.within:
        return tuple(_within(games, people, design, measure, lots))
    return tuple(_between(games, people, design, measure, lots))


def _between(
    games: Sequence[ArmGame],
    people: People,
    design: ArmDesign,
    measure: Measure,
    lots: Lots | None,
) -> Iterator[Sensitivity]:
    finished = [game for game in games if game.finished]
    before = _levels(finished, design, BEFORE, measure).by_person()
    outcome = _levels(finished, design, design.outcome, measure)

    def found(
        rule: str, levels: Levels, by: People = people, known: Mapping[str, float] = before
    ) -> Iterator[Sensitivity]:
        pairs = compared(levels, by, design.arms, known, lots)
        if pairs:
            yield Sensitivity(rule, pairs)

    as_played = _as_played(finished, people)
    if as_played != dict(people):
        yield from found("as_played", _only(outcome, as_played), as_played)
    if before:
        yield from found("not_adjusted", outcome, known={})
        everybody = _with_missing(outcome, before, people)
        if len(everybody.people) > len(outcome.people):
            yield from found("missing_as_before", everybody)
    later = _without_first(finished, design.outcome)
    yield from found("without_first", _levels(later, design, design.outcome, measure))
    if any(not game.finished and game.phase == design.outcome for game in games):
        yield from found("with_unfinished", _levels(games, design, design.outcome, measure))
    yield from found("without_extremes", _trimmed(outcome, people, design.arms))


def _within(
    games: Sequence[ArmGame],
    people: People,
    design: ArmDesign,
    measure: Measure,
    lots: Lots | None,
) -> Iterator[Sensitivity]:
    finished = [game for game in games if game.finished and game.phase == TRAINING]
    whole = stayed(games, people)
    chosen: dict[str, Sequence[ArmGame]] = {
        "as_played": [game for game in finished if game.person in whole],
        "without_first": _without_first(finished, TRAINING),
        "with_unfinished": [game for game in games if game.phase == TRAINING],
    }
    for rule, of in chosen.items():
        if len(of) != len(finished):
            pairs: tuple[ArmDifference, ...] = compared_within(
                of, people, design.arms, measure, shared_dice=design.shared_dice, lots=lots
            )
            if pairs:
                yield Sensitivity(rule, pairs)


def _levels(games: Sequence[ArmGame], design: ArmDesign, phase: str, measure: Measure) -> Levels:
    of = [game for game in games if game.phase == phase]
    return levels_of(of, measure, shared_dice=design.shared_dice)


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
    return _kept(levels, lambda who: who in people)


def _trimmed(levels: Levels, people: People, arms: Sequence[str]) -> Levels:
    """Without the best and the worst person of each arm."""
    gone: set[str] = set()
    for arm in arms:
        of = [(value, who) for who, value in levels.by_person().items() if people[who].arm == arm]
        gone |= {min(of)[1], max(of)[1]} if of else set()
    return _kept(levels, lambda who: who not in gone)


def _kept(levels: Levels, wanted: Callable[[str], bool]) -> Levels:
    rows = [at for at, who in enumerate(levels.people) if wanted(who)]
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
