"""Analysis of a trial with arms: does it make people better, by how much, and for whom is that
known.

Everything is a comparison of people, each of whom is one value (``solver.statistics.arm_compare``),
and has two ranges. The randomisation test asks about the people who took part, and needs nothing
but the lot that gave them their arms. The model of people and games asks about people like them.
"""

from collections.abc import Iterable, Sequence

from solver.statistics.arm_compare import (
    ArmComparison,
    Lots,
    arm_mean,
    arm_means,
    compared,
    levels_of,
)
from solver.statistics.arm_figures import (
    BEFORE,
    MEASURES,
    PHASES,
    TRAINING,
    ArmDesign,
    ArmGame,
    ArmMean,
    ArmPerson,
    ArmsAnalysis,
    Measure,
    PhaseFigures,
)
from solver.statistics.crossover import compared_within
from solver.statistics.dropouts import dropouts

MAIN: Measure = "cost_a_decision"


def analyse_arms(
    games: Iterable[ArmGame],
    people: Iterable[ArmPerson],
    design: ArmDesign,
    lots: Lots | None = None,
) -> ArmsAnalysis:
    """Everybody counts in the arm that was drawn for them, with all the games they finished."""
    given = {one.person: one for one in people}
    by = ArmComparison(given, design, lots or Lots())
    played = [game for game in games if game.person in given]
    finished = [game for game in played if game.finished]
    phases = tuple(
        phase_figures(finished, by, phase, measure)
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
        dropouts=dropouts(played, by),
    )


def phase_figures(
    games: Sequence[ArmGame], by: ArmComparison, phase: str, measure: Measure
) -> PhaseFigures:
    """Return the arms in one phase, and what lies between them. Before the arms began nothing is
    tested: whatever lies between them then was made by the lot."""
    if by.design.within:
        return _within_figures([game for game in games if game.phase == phase], by, phase, measure)
    levels = by.levels(games, phase, measure)
    if phase == BEFORE:
        return PhaseFigures(phase, measure, arm_means(levels, by), ())
    before = by.levels(games, BEFORE, measure).by_person()
    return PhaseFigures(phase, measure, arm_means(levels, by), compared(levels, by, before))


def _within_figures(
    games: Sequence[ArmGame], by: ArmComparison, phase: str, measure: Measure
) -> PhaseFigures:
    means: list[ArmMean] = []
    for arm in by.design.arms if phase == TRAINING else ("",):
        of = [game for game in games if game.arm == arm or not arm]
        levels = levels_of(of, measure, shared_dice=by.design.shared_dice)
        as_played = {who: ArmPerson(who, arm) for who in by.people}
        means.append(arm_mean(levels, as_played, arm))
    found = compared_within(games, by, measure) if phase == TRAINING else ()
    return PhaseFigures(phase, measure, tuple(means), found)
