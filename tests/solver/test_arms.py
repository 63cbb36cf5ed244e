"""A trial with arms as a whole: who counts where, and whether what it says is so."""

import json
from dataclasses import replace

import numpy as np
import pytest

from solver.statistics.arm_compare import ArmComparison, Lots
from solver.statistics.arm_figures import (
    ArmDesign,
    ArmGame,
    ArmPerson,
    ArmsAnalysis,
    PhaseFigures,
)
from solver.statistics.arms import analyse_arms, phase_figures
from solver.statistics.shares import wilson
from tests.known import known
from tests.solver.made_up_trials import World, made_up

FEW = Lots(199)
ARMS = ("off", "coached")


def people(count: int = 8) -> list[ArmPerson]:
    return [ArmPerson(f"P{n}", ARMS[n % 2], str(n // 4), planned=7) for n in range(count)]


def games_of(one: ArmPerson, level: float, helps: float, stop: int = 7) -> list[ArmGame]:
    """Seven games, each by a little better; a coach takes points away from the third on."""
    found = []
    for number in range(1, stop + 1):
        phase = "before" if number < 3 else "training" if number < 6 else "after"
        cost = level - 0.1 * number - (helps if number > 2 and one.arm == "coached" else 0.0)
        cost += 0.01 * (hash_of(one.person, number) % 7)
        found.append(ArmGame(one.person, one.arm, phase, number, True, 220, cost, 10, str(number)))
    return found


def hash_of(who: str, number: int) -> int:
    return (int(who[1:]) + 3) * number**2


def analysed(games: list[ArmGame], given: list[ArmPerson], **design: object) -> ArmsAnalysis:
    of = replace(ArmDesign(ARMS, "after"), **design)  # type: ignore[arg-type]
    return analyse_arms(games, given, of, FEW)


def everybody(helps: float = 4.0) -> list[ArmGame]:
    return [game for at, one in enumerate(people()) for game in games_of(one, 20.0 + at, helps)]


def phase(of: ArmsAnalysis, name: str, measure: str = "cost_a_decision") -> PhaseFigures:
    return next(one for one in of.phases if (one.phase, one.measure) == (name, measure))


def test_the_effect_is_found_after_the_coach_is_gone_and_adjusted_for_before() -> None:
    found = analysed(everybody(), people())
    main = known(found.main)
    assert (main.phase, main.measure) == ("after", "cost_a_decision")
    (pair,) = main.comparisons
    assert (pair.arm, pair.beside, pair.people, pair.adjusted) == ("coached", "off", (4, 4), True)
    assert -0.4 in known(pair.model)
    assert known(pair.model).half < 0.02
    assert pair.p_of_several is None


def test_before_the_arms_began_people_are_described_and_nothing_is_tested() -> None:
    found = analysed(everybody(), people())
    for measure in ("cost_a_decision", "cost", "score"):
        before = phase(found, "before", measure)
        assert before.comparisons == ()
        assert [arm.people for arm in before.arms] == [4, 4]


def test_whoever_left_counts_in_their_arm_with_the_games_they_finished() -> None:
    given = people()
    games = [game for game in everybody() if game.person != "P1" or game.number <= 4]
    games = [game for game in games if game.person != "P3"]
    found = analysed(games, given)
    off, coached = found.dropouts.arms
    assert (off.given, off.began, off.ended) == (4, 4, 4)
    assert (coached.given, coached.began, coached.ended) == (4, 3, 2)
    assert coached.lost_range == wilson(2, 4)
    assert known(found.dropouts.p) == pytest.approx(12 / 28)
    assert phase(found, "training").comparisons[0].people == (3, 4)
    assert known(found.main).comparisons[0].people == (2, 4)


def test_several_arms_pay_for_being_several() -> None:
    """Together by the largest difference of every lot; singly, as was locked once, after Holm."""
    arms = ("off", "after", "live")
    given = {f"P{n}": ArmPerson(f"P{n}", arms[n % 3], "b") for n in range(15)}
    games = [
        ArmGame(one.person, one.arm, "training", 1, True, 200, 20.0 + n % 7 - n % 3, 10)
        for n, one in enumerate(given.values())
    ]
    found = analyse_arms(games, given.values(), ArmDesign(arms), FEW)
    together = [known(pair.lot) for pair in known(found.main).comparisons]
    by = ArmComparison(given, ArmDesign(arms), FEW, singly=True)
    singly = phase_figures(games, by, "training", "cost_a_decision").comparisons
    ps = sorted(known(pair.lot).p for pair in singly)
    assert sorted(known(pair.p_of_several) for pair in singly) == [
        min(1.0, 2 * ps[0]),
        max(min(1.0, 2 * ps[0]), ps[1]),
    ]
    for one, pair in zip(together, singly, strict=True):
        assert one.difference == pytest.approx(known(pair.lot).difference)
        assert one.p > known(pair.lot).p
        assert known(one.high) - known(one.low) > known(pair.lot.high) - known(pair.lot.low)  # type: ignore[union-attr]


def test_no_pair_is_told_by_another_test_than_the_others() -> None:
    """The third arm has one person, of whom the model would say something, and the lot nothing."""
    arms = ("off", "after", "live")
    of = ["off", "after"] * 5 + ["live"]
    given = [ArmPerson(f"P{n}", arm, "b") for n, arm in enumerate(of)]
    games = [
        ArmGame(one.person, one.arm, "training", 1, True, 200, 20.0 + n % 7, 10)
        for n, one in enumerate(given)
    ]
    after, live = known(analyse_arms(games, given, ArmDesign(arms), FEW).main).comparisons
    assert known(after.shown) == known(after.lot)
    assert live.model is not None
    assert live.shown is None


def test_nobody_and_one_arm_alone_are_told_without_a_difference() -> None:
    assert analysed([], []).main is None
    alone = [one for one in people() if one.arm == "off"]
    games = [game for one in alone for game in games_of(one, 20, 0)]
    found = analysed(games, alone)
    assert known(found.main).comparisons == ()
    assert [one.people for one in known(found.main).arms] == [4, 0]


def test_the_figures_are_plain_data() -> None:
    made = made_up(World(people=8, games=6, arms=True, within=True), np.random.default_rng(1))
    design = ArmDesign(("off", "on"), within=True)
    within = analyse_arms(made.arm_games(), made.arm_people(), design, FEW)
    assert known(within.main).comparisons[0].people == (8, 8)
    for found in (within, analysed(everybody(), people()), analysed([], [])):
        assert json.dumps(found.facts(), allow_nan=False)
