"""A trial with arms as a whole: who counts where, and whether what it says is so."""

import json
from dataclasses import replace
from itertools import combinations
from statistics import fmean, variance

import numpy as np
import pytest

from solver.statistics.arm_compare import ArmComparison, Lots
from solver.statistics.arm_figures import (
    ArmDesign,
    ArmGame,
    ArmKind,
    ArmPerson,
    ArmsAnalysis,
    PhaseFigures,
)
from solver.statistics.arms import analyse_arms, phase_figures
from solver.statistics.shares import wilson
from tests.known import known
from tests.solver.coverage import coverage
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
    return analyse_arms(games, given, [], of, FEW)


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


def test_change_within_people_is_told_by_arm() -> None:
    found = analysed(everybody(), people())
    changes = {(one.arm, one.phase): one for one in found.changes if one.measure == "cost"}
    assert known(changes["off", "after"].interval).mean == pytest.approx(-0.5, abs=0.05)
    assert known(changes["coached", "after"].interval).mean == pytest.approx(-4.5, abs=0.05)
    assert changes["coached", "training"].people == 4


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
    rules = {one.rule: one.comparisons[0] for one in found.sensitivity}
    assert rules["missing_as_before"].people == (3, 4)  # P1 as before, P3 never played
    assert rules["missing_as_before"].difference > known(found.main).comparisons[0].difference


def test_an_unfinished_game_counts_where_it_is_said_to() -> None:
    games = everybody()
    games[-1] = replace(games[-1], finished=False, score=None, regret=30.0)
    found = analysed(games, people())
    rules = {one.rule: one.comparisons[0] for one in found.sensitivity}
    usual = known(found.main).comparisons[0]
    assert rules["with_unfinished"].means[0] > usual.means[0]
    assert rules["as_played"].people == (3, 4)
    assert "with_unfinished" not in {
        one.rule for one in analysed(everybody(), people()).sensitivity
    }


def test_as_played_is_the_arm_in_which_they_trained() -> None:
    games = [replace(game, arm="off") if game.person == "P1" else game for game in everybody()]
    found = analysed(games, people())
    assert known(found.main).comparisons[0].people == (4, 4)
    rules = {one.rule: one.comparisons[0] for one in found.sensitivity}
    assert rules["as_played"].people == (3, 5)


def test_learning_is_told_by_arm_and_compared() -> None:
    found = analysed(everybody(), people())
    off, coached = found.curves
    assert [step.number for step in off.steps] == [1, 2, 3]
    assert [step.people for step in coached.steps] == [4, 4, 4]
    assert known(off.slope).mean == pytest.approx(-0.1, abs=0.03)
    (pair,) = found.slopes
    assert pair.difference == pytest.approx(0.0, abs=0.05)


def test_kinds_of_decisions_are_compared_each_for_itself() -> None:
    kinds = [
        ArmKind(one.person, one.arm, "after", kind, 10, points * (1 + 0.01 * at))
        for at, one in enumerate(people())
        for kind, points in (("box", 8.0), ("first_hold", 5.0 if one.arm == "off" else 2.0))
    ]
    design = ArmDesign(ARMS, "after")
    found = analyse_arms(everybody(), people(), kinds, design, FEW)
    box, hold = found.kinds
    assert (box.kind, hold.kind) == ("box", "first_hold")
    assert 0.0 in known(box.comparisons[0].model)
    assert known(hold.comparisons[0].model).mean == pytest.approx(-0.3, abs=0.02)
    assert [one.people for one in hold.arms] == [4, 4]


def test_several_arms_pay_for_being_several() -> None:
    """Together by the largest difference of every lot; singly, as was locked once, after Holm."""
    arms = ("off", "after", "live")
    given = {f"P{n}": ArmPerson(f"P{n}", arms[n % 3], "b") for n in range(15)}
    games = [
        ArmGame(one.person, one.arm, "training", 1, True, 200, 20.0 + n % 7 - n % 3, 10)
        for n, one in enumerate(given.values())
    ]
    found = analyse_arms(games, given.values(), [], ArmDesign(arms), FEW)
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
    after, live = known(analyse_arms(games, given, [], ArmDesign(arms), FEW).main).comparisons
    assert known(after.shown) == known(after.lot)
    assert live.model is not None
    assert live.shown is None


def test_without_extremes_the_lot_itself_leaves_them_out() -> None:
    """So that whoever is kept is not taken for all there were: slowly, lot by lot."""
    values = [3.0, 9.0, 4.5, 11.0, 6.0, 30.0, 7.0, 8.0, 1.0, 12.0]
    given = [ArmPerson(f"P{n}", ARMS[n % 2], "b", planned=1) for n in range(10)]
    games = [
        ArmGame(one.person, one.arm, "training", 1, True, 200, 10 * cost, 10)
        for one, cost in zip(given, values, strict=True)
    ]
    found = analyse_arms(games, given, [], ArmDesign(ARMS), Lots())
    (pair,) = next(s.comparisons for s in found.sensitivity if s.rule == "without_extremes")
    ones, others = sorted(values[1::2])[1:-1], sorted(values[::2])[1:-1]
    assert pair.people == (3, 3)
    assert pair.difference == pytest.approx(fmean(ones) - fmean(others))
    freed = [v - fmean(ones if n % 2 else others) for n, v in enumerate(values)]
    moved = [v + pair.difference / 2 * (1 if n % 2 else -1) for n, v in enumerate(freed)]

    def t(lot: tuple[int, ...]) -> float:
        inner = sorted(moved[n] for n in lot)[1:-1]
        outer = sorted(v for n, v in enumerate(moved) if n not in lot)[1:-1]
        error: float = (variance(inner) / 3 + variance(outer) / 3) ** 0.5
        return abs(fmean(inner) - fmean(outer)) / error

    own = t((1, 3, 5, 7, 9))
    larger = [t(lot) >= own - 1e-9 for lot in combinations(range(10), 5)]
    assert known(pair.lot).p == pytest.approx(fmean(larger))
    few = [one for one in given if int(one.person[1:]) < 7]
    rules = analyse_arms(games, few, [], ArmDesign(ARMS), Lots()).sensitivity
    assert "without_extremes" not in {one.rule for one in rules}


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
    within = analyse_arms(made.arm_games(), made.arm_people(), [], design, FEW)
    assert known(within.main).comparisons[0].people == (8, 8)
    assert len(within.curves[0].steps) == 3
    for found in (within, analysed(everybody(), people()), analysed([], [])):
        assert json.dumps(found.facts(), allow_nan=False)


@pytest.mark.sampled("kind")
@pytest.mark.parametrize("kind", ["arms, own dice", "arms, shared dice", "arms within people"])
def test_ranges_of_arms_hold_the_truth_about_as_often_as_they_say(kind: str) -> None:
    """Of 120 made-up trials at least 105; one in a thousand seeds would have fewer."""
    lines = list(coverage(120, seed=7, only=kind))
    assert len(lines) == 4
    assert min(line.covered for line in lines) >= 105 / 120


def test_the_lot_finds_an_effect_where_there_is_none_no_more_often_than_it_says() -> None:
    lines = list(coverage(120, seed=2, only="arms, no effect"))
    assert max(known(line.false_positives) for line in lines) <= 15 / 120


def test_sessions_count_as_one_value_each_where_days_differ() -> None:
    """Games one by one miss the truth far too often, and find learning where there is none."""
    of = {line.about: line for line in coverage(100, seed=4, only="sessions")}
    one_by_one = of["skill, these people, games one by one"]
    assert one_by_one.covered < 0.85 < of["skill, these people"].covered
    assert known(of["slope of learning, games one by one"].false_positives) > 0.15
    assert known(of["slope of learning"].false_positives) < 0.15


def test_the_next_games_of_those_who_learn_have_a_range_of_their_own() -> None:
    of = {line.about: line for line in coverage(60, seed=4, only="learning")}
    assert of["the same, taken for the next games"].covered < 0.5
    assert of["cost of the next games, by the curve"].covered > 0.85
