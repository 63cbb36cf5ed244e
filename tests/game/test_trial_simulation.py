"""Simulated trials: people as the plan says, the real lot and phases, the analysis of results."""

import json
from collections import Counter
from dataclasses import replace
from functools import cache
from hashlib import sha256
from itertools import islice, pairwise
from typing import Any

import numpy as np
import pytest

from game.core.fair.blocks import block
from game.trials.design.phases import entries, steps
from game.trials.planning import one_trial, simulation
from game.trials.planning.bots import bank
from game.trials.planning.facts import simulation_facts
from game.trials.planning.one_trial import (
    EFFECT,
    KEPT,
    NONE,
    Phases,
    Population,
    SimulatedTrial,
    findings,
    population,
)
from game.trials.planning.simulation import Simulation, so_far, worked_out
from game.trials.planning.simulation_words import SimulationWords
from solver.advice import Advisor
from solver.arena.match import from_block, play_out
from solver.players.erring import Erring
from solver.rules import PLAYED
from solver.statistics.estimating import Estimand, EstimandAnswer, PairAnswer
from solver.statistics.planning import Design, Plan, Spread, Sureness, sureness
from tests.game.simulations import RULES, a_trial

TRIALS = 300
LEVELS, DEALS = 40, 150  # of the bots' games


@pytest.fixture(autouse=True)
def folder(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("YATZY_TABLES", str(tmp_path))


def after(trial: SimulatedTrial, trials: int) -> Simulation:
    found = so_far(trial)
    while found.trials < trials:
        found = found.further()
    return found


@cache
def plain() -> Simulation:
    """Two arms that play twice, nobody before, nobody gone: where the formulas are right."""
    return after(a_trial(), TRIALS)


def by_formula(trial: SimulatedTrial) -> Sureness:
    plan = Plan(trial.people, trial.phases.games, trial.shared_dice)
    found = sureness(plan, trial.spread, Design.TWO_ARMS)
    assert found is not None
    return found


# Beside the formulas


def test_power_is_that_of_the_formula_as_far_as_so_many_trials_can_tell() -> None:
    power = by_formula(plain().trial).power(12.0)
    assert 0.3 < power < 0.7
    found = plain().worlds[EFFECT].found
    assert abs((found.mean or 0.0) - power) <= found.share_margin


def test_the_half_width_is_that_of_the_formula() -> None:
    half = plain().worlds[EFFECT].half
    assert half.mean == pytest.approx(by_formula(plain().trial).half, rel=0.03)


def test_where_there_is_no_difference_one_is_found_in_a_twentieth() -> None:
    wrong = plain().worlds[NONE].any_found
    assert wrong.total
    assert abs((wrong.mean or 0.0) - 0.05) <= wrong.share_margin


def test_the_effect_is_found_on_average_and_nothing_where_there_is_none() -> None:
    for world, truth in ((EFFECT, 12.0), (NONE, 0.0)):
        gained = plain().worlds[world].gained
        assert abs((gained.mean or 0.0) - truth) <= (gained.margin or 0.0)


@pytest.mark.parametrize("outcome", ["cost", "score"])
def test_the_same_people_are_looked_at_with_the_effect_and_without(outcome: str) -> None:
    found = findings(a_trial(outcome=outcome), 3)
    gains = [found[world].gained or 0.0 for world in (EFFECT, NONE)]
    assert gains[0] - gains[1] == pytest.approx(12.0, abs=1e-9)


@pytest.mark.parametrize("outcome", ["cost", "score"])
def test_people_differ_as_far_as_the_plan_says(outcome: str) -> None:
    spread = Spread(between=14.0, change=5.0, within=9.0, dice=0.4)
    trial = a_trial(outcome=outcome, baseline=3, training=6, test=4, spread=spread)
    levels = population(trial).levels
    asked, before = levels[:, 9:].mean(1), levels[:, :3].mean(1)
    assert asked.std() == pytest.approx(14.0, abs=1e-9)
    assert (asked - before).std() == pytest.approx(5.0, abs=1e-9)
    assert asked.mean() < before.mean()  # they learn


@pytest.mark.parametrize("outcome", ["cost", "score"])
@pytest.mark.parametrize("shared", [False, True], ids=["own dice", "shared dice"])
def test_games_differ_as_far_as_the_plan_says(outcome: str, shared: bool) -> None:
    spread = Spread(between=1e-9, change=1e-9, within=9.0, dice=0.4)
    of = population(a_trial(outcome=outcome, spread=spread, shared_dice=shared))
    rng = np.random.default_rng(1)
    games = np.array([of.drawn(30, rng).values[:, 0] for _trial in range(2_000)])
    apart = games - games.mean()
    assert apart.var() == pytest.approx(81.0, rel=0.05)
    pairs = (apart.sum(1) ** 2 - (apart**2).sum(1)) / (30 * 29)
    assert pairs.mean() == pytest.approx(0.4 * 81.0 if shared else 0.0, abs=2.5)


def test_between_two_levels_games_of_both_are_played() -> None:
    half, accidents = np.array([[0.5]]), np.array([[0.0, 0.0], [1.0, 1.0]])
    of = Population(np.zeros((1, 1)), half, accidents, np.zeros(2), 0.0, False, False)
    assert of.drawn(2_000, np.random.default_rng(1)).values.mean() == pytest.approx(0.5, abs=0.05)


def test_without_games_before_people_keep_to_their_own_course() -> None:
    levels = population(a_trial(training=8)).levels
    assert levels.mean(1).std() == pytest.approx(a_trial().spread.between, abs=1e-9)
    assert np.corrcoef(levels[:, 0], levels[:, -1])[0, 1] > 0.99


# The lot, the phases, and who leaves


def test_arms_are_those_of_the_sealed_list() -> None:
    trial = a_trial(arms=3)
    places = list(islice(one_trial._places(trial, "1:7"), 40))
    assert [at for at, _block in places] == list(islice(entries("1:7", "", 3), 40))
    for one in {one for _at, one in places[:-6]}:
        counts = Counter(at for at, of in places if of == one)
        assert len(set(counts.values())) == 1


@pytest.mark.parametrize(
    ("settings", "asks"),
    [({"test": 2}, "after"), ({}, "training"), ({"test": 2, "within": True}, "training")],
)
def test_arms_are_compared_in_the_phase_that_results_compare_them_in(
    settings: dict[str, Any], asks: str
) -> None:
    assert a_trial(**settings).asks == asks


def test_everybody_plays_every_phase() -> None:
    told = a_trial(baseline=1, training=3, test=2, followup=1).order
    assert list(told) == ["before", *["training"] * 3, *["after"] * 2, "follow_up"]
    assert len(a_trial(baseline=1, training=3, arms=3, within=True).order) == 10


def test_an_effect_stays_from_the_coach_on_or_is_kept_as_far_as_the_world_says() -> None:
    between = a_trial(baseline=1, training=2, test=1)
    silent, coached = (steps(between.design, [arm]) for arm in (0, 1))
    assert one_trial._helped(silent, 0.0, within=False) == [0, 0, 0, 0]
    assert one_trial._helped(coached, 0.0, within=False) == [0, 1, 1, 1]
    within = a_trial(baseline=1, training=1, test=1, within=True)
    first, last = (steps(within.design, order) for order in ((1, 0), (0, 1)))
    assert one_trial._helped(first, 0.5, within=True) == [0, 1, 0.5, 0.5]
    assert one_trial._helped(last, 0.5, within=True) == [0, 0, 1, 0.5]


def counted(**settings: Any) -> float:
    trial = a_trial(people=60, **settings)
    return float(np.mean([findings(trial, number)[NONE].people for number in range(40)]))


def test_whoever_is_screened_out_counts_in_no_arm() -> None:
    assert counted() == 60
    assert counted(screened=0.25) == pytest.approx(45, abs=2)


def test_whoever_stops_counts_as_long_as_they_have_played_what_is_asked() -> None:
    assert counted(training=1, dropouts=0.4) == pytest.approx(36, abs=2)
    assert counted(training=1, followup=3, dropouts=0.4) == pytest.approx(54, abs=2)


def test_the_weak_stop_more_often_where_they_do() -> None:
    levels: dict[bool, float] = {}
    for weak in (False, True):
        trial = a_trial(people=200, dropouts=0.5, weak_leave=weak)
        drawn = population(trial).drawn(200, np.random.default_rng(2))
        played = one_trial._played(trial, drawn, np.random.default_rng(3))
        stayed = drawn.levels[played == 2]
        levels[weak] = float(stayed.mean() - drawn.levels.mean())
        assert len(stayed) == pytest.approx(100, abs=20)
    assert levels[True] < -4 < levels[False]


# Several arms, games before, everybody in every arm


def test_several_arms_are_wrong_more_often_each_for_itself() -> None:
    wrong = {
        together: after(a_trial(arms=4, people=24, training=1, effect=None, together=together), 60)
        for together in (False, True)
    }
    each, held = (wrong[together].worlds[NONE].any_found.mean or 0.0 for together in (False, True))
    assert each > held + 0.03
    assert "results allow for several arms" in " ".join(SimulationWords(wrong[False]).sentences)
    assert "results allow for several arms" not in " ".join(SimulationWords(wrong[True]).sentences)


def test_games_before_make_a_difference_surer() -> None:
    without, known = (
        after(a_trial(baseline=baseline, training=3, people=40), 10).worlds[EFFECT].half.mean
        for baseline in (0, 3)
    )
    assert without is not None
    assert known is not None
    assert known < without / 2


def test_what_a_coach_leaves_behind_makes_the_difference_smaller() -> None:
    found = after(a_trial(within=True, training=3, effect=8.0), 40)
    full, kept = (found.worlds[world].gained.mean or 0.0 for world in (EFFECT, KEPT))
    assert full - kept == pytest.approx(2.0, abs=1e-9)  # of two arms, half of half of it
    told = " ".join(SimulationWords(found).sentences)
    assert "goes on knowing it" in told
    assert "Were half of the effect kept" in told
    facts = simulation_facts(found)
    assert facts["bias_half_kept"] == pytest.approx(kept - 8.0)
    assert facts["people_counted"] == 24


def test_between_people_nothing_is_carried_over() -> None:
    assert KEPT not in plain().worlds
    assert "goes on knowing it" not in " ".join(SimulationWords(plain()).sentences)
    warned = SimulationWords(so_far(a_trial(within=True))).sentences
    assert len(warned) == 1


def test_without_an_effect_only_what_is_wrong_and_how_wide_is_told() -> None:
    found = after(a_trial(effect=None), 5)
    assert set(found.worlds) == {NONE}
    facts = simulation_facts(found)
    assert "power" not in facts
    assert facts["half"] > 0
    assert not any("is found in" in one and "difference of" in one for one in facts["sentences"])


def test_an_arm_without_people_is_a_difference_that_is_not_found() -> None:
    one = PairAnswer("1", "0", (4, 4), (0.0, 9.0), -9.0, 0.001, different=True)
    nobody = PairAnswer("2", "0", (0, 4), (0.0, 9.0))
    found = one_trial._finding(a_trial(arms=3), EstimandAnswer(Estimand(), (one, nobody), 8))
    assert (found.found, found.any_found, found.gained, found.people) == (0.5, True, 9.0, 8)


def test_more_games_than_there_are_dice_are_played_on_shared_ones() -> None:
    trial = a_trial(people=2, training=DEALS + 1, shared_dice=True)
    assert population(trial).drawn(2, np.random.default_rng(1)).values.shape == (2, DEALS + 1)


def test_so_few_people_find_nothing_and_it_says_so() -> None:
    found = after(a_trial(people=2, training=1), 8)
    assert found.worlds[EFFECT].found.total == 0
    assert "So few people cannot tell a difference." in SimulationWords(found).sentences


# Bit by bit


def test_going_on_gives_the_figures_of_one_go() -> None:
    trial = a_trial()
    first = worked_out(trial, 0.01)
    assert 0 < first.trials < TRIALS
    assert so_far(trial) == first
    then = worked_out(trial, first.seconds + 0.05)
    assert then.trials > first.trials
    simulation.path_of(trial).unlink()
    assert after(trial, then.trials).worlds == then.worlds


def test_time_that_was_taken_before_counts() -> None:
    trial = a_trial()
    first = worked_out(trial, 0.01)
    simulation._store(replace(first, seconds=20.0))
    assert worked_out(trial, 20.01).trials < first.trials + 50


def test_it_is_over_when_the_time_is_and_asks_for_nothing_more() -> None:
    first = worked_out(a_trial(), 0.01)
    assert worked_out(a_trial(), first.seconds) == first


def test_it_is_over_when_its_own_error_is_small_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simulation, "PRECISE", {EFFECT: 0.25, NONE: 0.2})
    monkeypatch.setattr(simulation, "LEAST", 10)
    noted: list[tuple[int, int]] = []
    found = worked_out(a_trial(), 30.0, lambda *told: noted.append(told))
    assert found.precise
    assert found.trials < 60
    assert noted[-1] == (found.trials, found.needed)
    margin = found.worlds[EFFECT].any_found.share_margin
    assert margin <= 0.25
    monkeypatch.setattr(simulation, "LEAST", found.trials + 1)
    assert not found.precise


def test_how_many_it_takes_is_told_before() -> None:
    assert plain().needed == pytest.approx(TRIALS * (plain_margin() / 0.02) ** 2, abs=1)
    assert so_far(a_trial()).needed == simulation.LEAST


def plain_margin() -> float:
    of = plain().worlds
    return max(of[EFFECT].any_found.share_margin, 2 * of[NONE].any_found.share_margin)


@pytest.mark.parametrize("kept", ["", "{}", "[]", '{"trials": 3}', '{"worlds": []}'])
def test_a_damaged_file_is_begun_anew(kept: str) -> None:
    path = simulation.path_of(a_trial())
    path.parent.mkdir()
    path.write_text(kept)
    assert so_far(a_trial()).trials == 0


def test_another_trial_is_another_file() -> None:
    trials = [
        a_trial(),
        a_trial(effect=None),
        a_trial(people=25),
        a_trial(test=1),
        a_trial(spread=Spread(1.0, 1.0, 1.0, 0.0)),
    ]
    assert len({trial.key for trial in trials}) == len(trials)
    assert a_trial().key == a_trial().key


def test_whatever_came_of_it_is_there_for_programs() -> None:
    facts = json.loads(json.dumps(simulation_facts(plain())))
    assert facts["trials"] == TRIALS
    assert facts["power"] == plain().worlds[EFFECT].found.mean
    assert facts["power_margin"] == plain().worlds[EFFECT].found.share_margin
    assert facts["false_findings"] == plain().worlds[NONE].any_found.mean
    assert facts["half"] == plain().worlds[EFFECT].half.mean
    assert facts["people_counted"] == 24
    assert facts["settings"]["phases"] == {"baseline": 0, "training": 2, "test": 0, "followup": 0}


def test_every_figure_is_told_with_its_error() -> None:
    told = SimulationWords(plain()).sentences
    assert all("±" in one for one in told)
    assert told[0].startswith("By this design a difference of 12.0 points a game is found in")


# The games that are drawn


@pytest.mark.parametrize("ruleset", PLAYED)
def test_games_of_every_ruleset_are_there_and_the_file_is_small(ruleset: str) -> None:
    rules = PLAYED[ruleset]
    of = bank(rules)
    assert of.cost.shape == of.score.shape == (LEVELS, DEALS)
    assert all(low < high for low, high in pairwise(of.temperatures.tolist()))
    assert (
        of.temperatures[0] < of.ends[0] < of.ends[1] == pytest.approx(of.temperatures[-1], abs=1e-3)
    )
    assert of.cost[-1].mean() > 20 > 2 > of.cost[0].mean()


def test_stored_games_are_those_that_bots_play_again(advisor: Advisor) -> None:
    """As they were made once: at a level's temperature, on dice of their own."""
    of = bank(RULES)
    for level, deal in ((0, 0), (17, 3), (39, 149)):
        heat = float(of.temperatures[level])
        faces = from_block(block(sha256(f"bank:{deal}".encode()).hexdigest(), RULES))
        luck = np.random.default_rng([deal, round(heat * 10_000)])
        match = play_out(Erring(advisor, 1.0, heat), RULES, faces, luck)
        cost = round(advisor.ledger(match.decisions).regret, 2)
        assert (cost, match.end.total) == (of.cost[level, deal], of.score[level, deal])


def test_phases_add_up() -> None:
    assert Phases(1, 2, 3, 4).games == 10
