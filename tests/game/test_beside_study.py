"""A trial beside the published study's people, by spread; and beside programs that learned."""

import json
from dataclasses import replace
from math import sqrt

import numpy as np
import pytest
from django.test import Client

from game.models import Game, Trial
from game.trials.results.beside_learners import beside_learners, doubling_lines
from game.trials.results.report import Results, results_of
from solver.advice import Advisor
from solver.rules import RULESETS, YATZY
from solver.rules.rulesets import YAHTZEE
from solver.statistics.doublings import Doubling
from solver.statistics.inference import Interval, interval
from tests.game.trial_games import play_all
from tests.game.trials import new_trial, researcher_user
from tests.known import known

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("yatzy_tables")]
START = 248.4


@pytest.fixture
def trial(advisor: Advisor) -> Trial:
    found = new_trial(games_each=4)
    play_all(found, advisor)
    return found


@pytest.fixture
def results(trial: Trial) -> Results:
    return results_of(trial)


def scores(trial: Trial) -> list[int]:
    games = Game.objects.filter(participant__trial=trial)
    return [known(game.final_score) for game in games]


def test_the_trial_is_one_sample_as_the_study_is(trial: Trial, results: Results) -> None:
    own = known(known(results.spread).own)
    found, start = scores(trial), known(results.conditions.value_start)
    deviation = float(np.std(found, ddof=1))
    assert own.games == len(found) == 12
    assert own.deviation == pytest.approx(deviation, abs=1e-10)
    error = deviation / sqrt(12)
    assert own.mean.error == pytest.approx(error, abs=1e-12)
    assert own.by_own.statistic == pytest.approx((np.mean(found) - start) / error, abs=1e-10)
    perfect = known(results.conditions.deviation) / sqrt(12)
    assert own.by_perfect.statistic == pytest.approx((np.mean(found) - start) / perfect, abs=1e-10)


def test_the_difference_to_the_study_is_that_of_two_samples(trial: Trial, results: Results) -> None:
    found = known(results.spread)
    apart, own = known(found.apart), known(interval(map(float, scores(trial))))
    assert apart.mean == pytest.approx(own.mean - 253.82, abs=1e-10)
    assert apart.error == pytest.approx(sqrt(own.error**2 + found.study.mean.error**2), abs=1e-10)
    told = " ".join(found.sentences)
    assert "standard deviation is 42.2, by the tens of its table, and not 38.5" in told
    assert "lies 2.21 standard errors above perfect play" in told
    assert "and not 2.42" in told
    assert "less that of the study's people" in told


def test_before_a_second_game_the_study_stands_alone(advisor: Advisor) -> None:
    trial = new_trial(places=1, games_each=1)
    play_all(trial, advisor)
    found = known(results_of(trial).spread)
    assert (found.own, found.apart) == (None, None)
    assert [line.name for line in found.lines] == ["The published study's people"]
    assert found.facts()["own"] is None
    assert len(found.sentences) == 1


def test_ranges_that_tell_nothing_are_told_neither_beside_the_study_nor_the_programs(
    results: Results,
) -> None:
    wide = Interval(-80.0, -722.0, 562.0, 50.5, 1.0)
    found = replace(known(results.spread), apart=wide)
    assert len(found.sentences) == 1
    assert found.facts()["apart"]["low"] == -722.0
    low = Interval(-120.0, -380.0, 140.0, 50.5, 1.0)
    assert "(−374.0 to +140.0" in replace(found, apart=low).sentences[1]
    shown = replace(results, doublings=[Doubling(1, 1, 2, 100.0, wide)])
    assert [line.range for line in shown.doubling_lines] == [""]
    assert results.doubling_lines[0].range != ""


def test_a_trial_of_another_game_has_no_study_beside_it() -> None:
    assert results_of(new_trial(ruleset="yahtzee")).spread is None


def test_without_a_table_there_is_nothing_to_compare_with(
    trial: Trial, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("game.judgement.tables.advisor", lambda rules: None)
    found = results_of(trial)
    assert found.spread is None
    assert found.doubling_lines == []
    assert "learning_beside_programs" not in found.charts


def test_the_facts_are_plain_data(results: Results) -> None:
    facts = json.loads(json.dumps(results.facts()))
    assert facts["spread_beside_study"]["study"]["games"] == 300
    assert facts["spread_beside_study"]["own"]["games"] == 12
    assert [one["last"] for one in facts["learning_in_doublings"]] == [1, 2, 4]


# Beside programs that learned


SPANS = [
    Doubling(1, 1, 2, 40.0, Interval(40.0, 30.0, 50.0, 4.0, 1.0)),
    Doubling(2, 2, 1, 25.0, None),
]


def test_a_chart_has_people_and_every_program_that_tells_its_curve() -> None:
    (drawing,) = beside_learners(YATZY, SPANS, START)
    for part in ("people of this trial", "perfect play", "100,000", "games played"):
        assert part in drawing.svg
    assert "208.4 points in their first game and 223.4 in the latest" in drawing.svg
    assert "248.3, 246.0" in drawing.svg
    assert drawing.svg.count("chart-band") == 2  # wide and narrow


def test_nobody_has_learned_by_one_span_or_where_no_program_did() -> None:
    assert beside_learners(YATZY, SPANS[:1], START) == []
    assert beside_learners(YATZY, [], START) == []
    assert beside_learners(RULESETS["yahtzee-plain"], SPANS, START) == []
    assert beside_learners(YAHTZEE, SPANS, START) != []


def test_the_table_behind_it_says_the_same() -> None:
    first, second = doubling_lines([SPANS[0], Doubling(3, 4, 1, 25.0, None)], START)
    assert (first.games, first.points, first.range) == ("1", "208.4", "198.4 to 218.4")
    assert (second.games, second.people, second.range) == ("3 to 4", 1, "")


def test_the_page_shows_both(client: Client, trial: Trial) -> None:
    client.force_login(researcher_user())
    page = client.get(f"/trials/{trial.slug}/results/").content.decode()
    assert "The spread of the scores, beside the study" in page
    assert "What people were good for, by games played" in page
    assert "42.22" in page
