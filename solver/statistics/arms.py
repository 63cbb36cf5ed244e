"""What a trial with arms tells: does it make people better, by how much, and for whom is it known.

Everything is a comparison of people, each of whom is one value (``solver.statistics.arm_compare``),
and has two ranges. The randomisation test asks about the people who took part, and needs nothing
but the lot that gave them their arms. The model of people and games asks about people like them.
"""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from solver.statistics.arm_compare import Lots, arm_means, compared
from solver.statistics.arm_curves import curves, slopes
from solver.statistics.arm_figures import (
    BEFORE,
    MEASURES,
    PHASES,
    TRAINING,
    ArmDesign,
    ArmDifference,
    ArmGame,
    ArmKind,
    ArmMean,
    ArmPerson,
    ArmsAnalysis,
    Change,
    KindFigures,
    Measure,
    PhaseFigures,
)
from solver.statistics.arm_levels import Levels, levels_of
from solver.statistics.arm_sensitivity import sensitivity
from solver.statistics.crossover import compared_within
from solver.statistics.dropouts import dropouts
from solver.statistics.inference import interval

MAIN: Measure = "cost_a_decision"


def analyse_arms(
    games: Iterable[ArmGame],
    people: Iterable[ArmPerson],
    kinds: Iterable[ArmKind],
    design: ArmDesign,
    lots: Lots | None = None,
) -> ArmsAnalysis:
    """Everybody counts in the arm that was drawn for them, with all the games they finished."""
    given = {one.person: one for one in people}
    played = [game for game in games if game.person in given]
    finished = [game for game in played if game.finished]
    phases = tuple(
        phase_figures(finished, given, design, phase, measure, lots)
        for phase in PHASES
        for measure in MEASURES
        if any(game.phase == phase for game in finished)
    )
    wanted = (design.outcome, MAIN)
    main = next((one for one in phases if (one.phase, one.measure) == wanted), None)
    return ArmsAnalysis(
        design=design,
        main=main,
        phases=phases,
        changes=tuple(_changes(finished, given, design)),
        kinds=tuple(_kinds(list(kinds), given, design, lots)),
        curves=curves(finished, given, design),
        slopes=slopes(finished, given, design, lots),
        dropouts=dropouts(played, given, design),
        sensitivity=sensitivity(played, given, design, MAIN, lots) if main else (),
    )


def phase_figures(
    games: Sequence[ArmGame],
    people: Mapping[str, ArmPerson],
    design: ArmDesign,
    phase: str,
    measure: Measure,
    lots: Lots | None = None,
) -> PhaseFigures:
    """The arms in one phase, and what lies between them."""
    of = [game for game in games if game.phase == phase]
    if design.within:
        return _within_figures(of, people, design, phase, measure, lots)
    levels = levels_of(of, measure, shared_dice=design.shared_dice)
    before = before_of(games, design, measure) if phase != BEFORE else {}
    return PhaseFigures(
        phase,
        measure,
        arm_means(levels, people, design.arms),
        compared(levels, people, design.arms, before, lots),
    )


def _within_figures(
    games: Sequence[ArmGame],
    people: Mapping[str, ArmPerson],
    design: ArmDesign,
    phase: str,
    measure: Measure,
    lots: Lots | None,
) -> PhaseFigures:
    shared = design.shared_dice
    conditions = design.arms if phase == TRAINING else ("",)
    means: list[ArmMean] = []
    for arm in conditions:
        of = [game for game in games if game.arm == arm or not arm]
        levels = levels_of(of, measure, shared_dice=shared)
        as_played = {who: ArmPerson(who, arm) for who in people}
        means += arm_means(levels, as_played, [arm])
    found: tuple[ArmDifference, ...] = ()
    if phase == TRAINING:
        found = compared_within(games, people, design.arms, measure, shared_dice=shared, lots=lots)
    return PhaseFigures(phase, measure, tuple(means), found)


def before_of(games: Sequence[ArmGame], design: ArmDesign, measure: Measure) -> Mapping[str, float]:
    """What everybody was worth before the arms began."""
    of = [game for game in games if game.phase == BEFORE]
    return levels_of(of, measure, shared_dice=design.shared_dice).by_person()


def _changes(
    games: Sequence[ArmGame], people: Mapping[str, ArmPerson], design: ArmDesign
) -> Iterable[Change]:
    """From before to every later phase, within people; on shared dice as they are, dice and all."""
    arms = ("",) if design.within else design.arms
    later = [phase for phase in PHASES[1:] if any(game.phase == phase for game in games)]
    for measure in MEASURES:
        first = _own_means(games, BEFORE, measure)
        for phase in later if first else ():
            then = _own_means(games, phase, measure)
            for arm in arms:
                of = [
                    then[who] - first[who]
                    for who in then
                    if who in first and (not arm or people[who].arm == arm)
                ]
                yield Change(arm, phase, measure, len(of), interval(of))


def _own_means(games: Sequence[ArmGame], phase: str, measure: Measure) -> Mapping[str, float]:
    of = [game for game in games if game.phase == phase]
    return levels_of(of, measure, shared_dice=False).by_person()


def _kinds(
    kinds: Sequence[ArmKind],
    people: Mapping[str, ArmPerson],
    design: ArmDesign,
    lots: Lots | None,
) -> Iterable[KindFigures]:
    """What a decision of each kind cost, in the phase that the trial asks about."""
    of = [one for one in kinds if one.phase == design.outcome and one.person in people]
    for kind in dict.fromkeys(one.kind for one in of):
        rows = [one for one in of if one.kind == kind and one.decisions]
        if design.within:
            games = [_as_game(one) for one in rows]
            found = _within_figures(games, people, design, TRAINING, "cost_a_decision", lots)
            yield KindFigures(kind, TRAINING, found.arms, found.comparisons)
            continue
        levels = _kind_levels(rows)
        means = arm_means(levels, people, design.arms)
        before = {
            one.person: one.points / one.decisions
            for one in kinds
            if (one.phase, one.kind) == (BEFORE, kind) and one.decisions
        }
        pairs = compared(levels, people, design.arms, before, lots)
        yield KindFigures(kind, design.outcome, means, pairs)


def _kind_levels(rows: Sequence[ArmKind]) -> Levels:
    values = np.array([one.points / one.decisions for one in rows])
    alone = np.empty((len(rows), 0))
    names = tuple(one.person for one in rows)
    return Levels(names, values, np.ones(len(rows)), 0.0, alone, alone)


def _as_game(one: ArmKind) -> ArmGame:
    """So that a kind is compared within people as whole games are."""
    return ArmGame(one.person, one.arm, one.phase, 0, regret=one.points, decisions=one.decisions)
