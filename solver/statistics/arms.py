"""What a trial with arms tells: does it make people better, by how much, and for whom is it known.

Everything is a comparison of people, each of whom is one value (``solver.statistics.arm_compare``),
and has two ranges. The randomisation test asks about the people who took part, and needs nothing
but the lot that gave them their arms. The model of people and games asks about people like them.
"""

from collections.abc import Iterable, Mapping, Sequence

from solver.statistics.arm_compare import ArmComparison, Lots, arm_mean, arm_means, compared
from solver.statistics.arm_curves import curves, slopes
from solver.statistics.arm_figures import (
    BEFORE,
    MEASURES,
    PHASES,
    TRAINING,
    ArmDesign,
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
        changes=tuple(_changes(finished, given, design)),
        kinds=tuple(_kinds(list(kinds), by)),
        curves=curves(finished, by),
        slopes=slopes(finished, by),
        dropouts=dropouts(played, by),
        sensitivity=sensitivity(played, by, MAIN) if main else (),
    )


def phase_figures(
    games: Sequence[ArmGame], by: ArmComparison, phase: str, measure: Measure
) -> PhaseFigures:
    """The arms in one phase, and what lies between them. Before the arms began nothing is tested:
    whatever lies between them then was made by the lot."""
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


def _kinds(kinds: Sequence[ArmKind], by: ArmComparison) -> Iterable[KindFigures]:
    """What a decision of each kind cost, in the phase that the trial asks about."""
    outcome = by.design.outcome
    of = [one for one in kinds if one.phase == outcome and one.person in by.people]
    for kind in dict.fromkeys(one.kind for one in of):
        if by.design.within:
            games = [_as_game(one) for one in of if one.kind == kind and one.decisions]
            found = _within_figures(games, by, TRAINING, "cost_a_decision")
            yield KindFigures(kind, TRAINING, found.arms, found.comparisons)
            continue
        levels = Levels.of_values(_of_a_decision(of, kind, outcome))
        pairs = compared(levels, by, _of_a_decision(kinds, kind, BEFORE))
        yield KindFigures(kind, outcome, arm_means(levels, by), pairs)


def _of_a_decision(kinds: Sequence[ArmKind], kind: str, phase: str) -> dict[str, float]:
    found = [one for one in kinds if (one.phase, one.kind) == (phase, kind) and one.decisions]
    return {one.person: one.points / one.decisions for one in found}


def _as_game(one: ArmKind) -> ArmGame:
    """So that a kind is compared within people as whole games are."""
    return ArmGame(one.person, one.arm, one.phase, 0, regret=one.points, decisions=one.decisions)
