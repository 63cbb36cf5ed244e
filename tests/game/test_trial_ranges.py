"""Ranges as results tell them: cut where nothing more is possible, or not told."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from game.trials.results import words, words_arms
from game.trials.results.analyses import COST, SCORE, people_like_these, these_people
from game.trials.results.arm_results import ArmResults, arm_results_of
from game.trials.results.comparison import person_line
from game.trials.results.planned import _basis
from game.trials.results.ranges import (
    PossibleMeans,
    analysis_told,
    answer_told,
    arms_told,
    pair_told,
    possible_scores,
    possible_skill,
)
from game.trials.results.report import results_of
from solver.advice import Advisor
from solver.rules import RULESETS, YATZY
from solver.rules.rulesets import MAXI_YATZY
from solver.statistics.arm_figures import ArmDifference
from solver.statistics.inference import Interval
from solver.statistics.randomisation import Randomised
from solver.statistics.trial import Conditions, TrialGame, analyse
from tests.game.test_trial_arms import armed
from tests.game.trial_games import NOW, play_all
from tests.known import known
from tests.play import new_trial

START = Conditions(248.44, 38.5)
ENDS = st.floats(-1000, 1000)


def span(mean: float, half: float) -> Interval:
    return Interval(mean, mean - half, mean + half, half / 2, 3)


def pair(first: int, second: int) -> list[TrialGame]:
    """Two people with two games each around that, judged."""
    scores = {"P01": (first - 1, first + 1), "P02": (second - 1, second + 1)}
    return [
        TrialGame(name, number, score, 0, 248.44 - score, 0.0)
        for name, own in scores.items()
        for number, score in enumerate(own, start=1)
    ]


@given(ENDS, ENDS)
def test_a_range_lies_within_what_is_possible_or_is_not_told(one: float, other: float) -> None:
    low, high = sorted((one, other))
    found = PossibleMeans(0, 374).told(Interval((low + high) / 2, low, high, 1, 3))
    if high - low > 374:
        assert found is None
    elif high > 0 and low < 374:
        assert known(found).low == max(0, low)
        assert known(found).high == min(374, high)


def test_the_bounds_themselves_are_told() -> None:
    assert PossibleMeans(0, 374).told(span(187, 187)) == span(187, 187)
    assert PossibleMeans(0, 374).told(span(187, 187.1)) is None
    assert PossibleMeans(0, 374).told_apart(span(0, 374)) == span(0, 374)
    assert PossibleMeans(0, 374).told_apart(span(0, 374.1)) is None
    assert PossibleMeans(0, 374).told(None) is None


def test_what_is_possible_is_asked_of_the_rules() -> None:
    assert possible_scores(YATZY) == PossibleMeans(0, 374)
    assert possible_scores(RULESETS["yahtzee"]).high > 374
    assert possible_skill(START, YATZY) == PossibleMeans(0, 248.44)
    assert possible_skill(Conditions(None), YATZY) == possible_scores(YATZY)


def test_two_people_who_lie_far_apart_get_no_range_but_a_sentence() -> None:
    found = analyse(pair(98, 199), START)
    assert known(known(found.raw).people_like_these).half == pytest.approx(641.7, abs=0.1)
    told = analysis_told(found, START, YATZY)
    assert known(told.raw).people_like_these is None
    assert known(told.skill).people_like_these is None
    text = " ".join([*words.scores(told, START), *words.skill(told, START)])
    assert text.count("too few people for a range of people like these") == 2
    assert "641" not in text


def test_a_range_over_a_bound_is_told_by_its_ends_and_another_by_its_width() -> None:
    cut = known(PossibleMeans(0, 374).told(span(300, 100)))
    assert words.spread(cut) == "200.0 to 374.0"
    assert words.spread(span(200, 100)) == "±\N{NO-BREAK SPACE}100.0"
    assert words.spread(None) == ""


def test_a_person_s_range_ends_at_nothing_and_at_perfect_play() -> None:
    games = [TrialGame("P01", n, 100, 0, lost, 0.0) for n, lost in enumerate((0.0, 200.0, 100.0))]
    found = analyse(games, START)
    assert known(found.people[0].skill).low < 0 or known(found.people[0].skill).high > 248.44
    (one,) = analysis_told(found, START, YATZY).people
    shown = person_line(one, 248.44).range
    assert shown == "" or (shown.endswith("248.4") and "\u2212" not in shown)


def test_the_pages_tell_what_is_possible_and_files_what_was_found(
    db: None, advisor: Advisor
) -> None:
    trial = new_trial(places=2, games_each=1, slug="pair")
    play_all(trial, advisor)
    for number, game in enumerate(trial.participants.order_by("number")):
        game.games.update(final_score=98 + 101 * number)
    found = results_of(trial)
    assert known(known(found.analysis.raw).people_like_these).half > 374
    assert found.spreads["raw"][1] == ""
    assert found.drawings
    assert "people_like_these" in found.facts()["raw"]
    assert found.facts()["raw"]["people_like_these"]["high"] > 374
    basis = _basis(trial, NOW.replace(year=2030), set(), None)
    planned = people_like_these(basis, SCORE)
    assert planned.sentences[1] == "That is too little for a range."
    assert known(planned.figures["high"]) > 374


def test_a_planned_range_is_cut_where_the_other_is(db: None, advisor: Advisor) -> None:
    trial = new_trial(places=2, games_each=3, slug="six")
    play_all(trial, advisor)
    basis = _basis(trial, NOW.replace(year=2030), set(), None)
    estimate = replace(
        known(basis.analysis.skill), these_people_alike=span(240, 30), of_people=240.0
    )
    basis = replace(basis, analysis=replace(basis.analysis, skill=estimate))
    found = these_people(basis, COST)
    assert found.sentences[1] == "95 % range: 0.0 to 38.4."
    assert known(found.figures["low"]) < 0


def test_arms_of_two_people_are_too_few_to_tell(
    db: None, advisor: Advisor, yatzy_tables: None
) -> None:
    trial = armed(advisor)
    found = known(arm_results_of(trial, NOW.replace(year=2030)))
    main = known(found.analysis.main)
    wide = replace(main.comparisons[0], model=span(1, 30), lot=None)
    analysis = replace(found.analysis, main=replace(main, comparisons=(wide,)))
    usual = known(found.usual)
    far = replace(usual.pairs[0], low=-100.0, high=100.0, estimate=1.0, p=0.5)
    assert any("range" in one for one in words_arms.main(analysis, replace(usual, pairs=(far,))))
    told = arms_told(analysis, YATZY)
    few = answer_told(replace(usual, pairs=(far,)), YATZY)
    assert "Too few people" in " ".join(words_arms.main(told, few))
    cut = answer_told(replace(usual, pairs=(replace(far, low=-30.0, high=3.0),)), YATZY)
    most = 374 / 15
    assert (cut.pairs[0].low, cut.pairs[0].high) == (-most, 3.0)
    lot = Randomised(1.0, 0.5, -30.0, 30.0, 20, True)
    by_lot = replace(analysis, main=replace(main, comparisons=(replace(wide, lot=lot),)))
    assert known(arms_told(by_lot, YATZY).main).comparisons[0].lot == replace(
        lot, low=None, high=None
    )
    assert ArmResults(analysis, (YATZY,)).told == told


def test_arms_of_several_rules_lie_as_far_apart_as_the_highest_scores_do() -> None:
    """A difference to games of Maxi Yatzy is not cut where those of Yatzy end."""
    apart = ArmDifference(
        "maxi", "yatzy", (2, 2), (450.0, 250.0), 200.0, span(200, 300), None, None
    )
    each = replace(apart, difference=10.0, model=span(10, 22))
    for rulesets in ((YATZY, MAXI_YATZY), (MAXI_YATZY, YATZY)):
        assert pair_told(apart, "score", *rulesets) == apart
        assert pair_told(each, "cost_a_decision", *rulesets) == each
    assert known(pair_told(apart, "score", YATZY).model).high == 374
    assert known(pair_told(each, "cost_a_decision", YATZY).model).high == 374 / 15
