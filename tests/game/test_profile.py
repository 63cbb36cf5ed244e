"""The profile: its statistics, what counts in it, and what the page says."""

import re
import secrets
import statistics
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from game.core.playing import game_hold, game_score
from game.core.profile_queries import (
    RatedGame,
    judged_games,
    profile_games,
    profile_kinds,
    profile_skill,
)
from game.core.worth.skill import Moments, Skill
from game.models import Coach, Game, Player
from game.practice.profile_board import rating_chart
from solver.advice import Advisor
from solver.rules import YATZY
from tests.play import Answer, Browser, into_trial, play_through, start_solo

START = datetime(2026, 5, 1, tzinfo=UTC)
numbers = st.lists(st.floats(-400, 400), min_size=2, max_size=60)


def moments(values: list[float]) -> Moments:
    """As the database adds them up."""
    count = len(values)
    return Moments(count, sum(values) / count, sum(value * value for value in values) / count)


# Statistics


@given(values=numbers)
def test_moments_give_the_deviation_of_the_sample(values: list[float]) -> None:
    assert moments(values).deviation == pytest.approx(statistics.stdev(values), abs=1e-3)


def test_intervals_hold_the_true_mean_as_often_as_they_say() -> None:
    rng = np.random.default_rng(7)
    samples = rng.normal(30.0, 12.0, size=(4000, 6))
    held = [30.0 in (moments(sample.tolist()).interval or ()) for sample in samples]
    assert 0.94 < sum(held) / len(held) < 0.96


def test_one_game_has_no_interval() -> None:
    one = moments([210.0])
    assert one.interval is None
    assert one.deviation == 0
    skill = Skill(248.4, one, moments([30.0]), moments([0.7]))
    assert (skill.raw, skill.skill, skill.narrower, skill.grades) == (None, None, None, None)


@given(regrets=st.lists(st.floats(0, 120), min_size=2, max_size=40), luck=numbers)
def test_the_skill_estimate_is_as_much_narrower_as_mistakes_vary_less(
    regrets: list[float], luck: list[float]
) -> None:
    lucks = (luck * len(regrets))[: len(regrets)]
    scores = [248.4 + one - lost for one, lost in zip(lucks, regrets, strict=True)]
    assume(statistics.stdev(regrets) > 0.1)
    assume(statistics.stdev(scores) > 0.1)
    skill = Skill(248.4, moments(scores), moments(regrets), moments([1.0, 2.0]))
    assert skill.narrower == pytest.approx(
        statistics.stdev(scores) / statistics.stdev(regrets), rel=1e-3
    )
    assert skill.estimate == pytest.approx(248.4 - statistics.fmean(regrets))


def test_grades_are_named_as_far_as_the_rating_is_sure() -> None:
    scores, regrets = moments([200.0, 210.0]), moments([20.0, 22.0])
    wide = Skill(248.4, scores, regrets, moments([0.3, 0.9, 0.6]))
    assert [one.id for one in wide.grades or ()] == ["grandmaster", "casual"]
    sure = Skill(248.4, scores, regrets, moments([0.6, 0.6, 0.6]))
    assert sure.grades is None
    assert sure.grade.id == "steady"


# What counts

database = pytest.mark.usefixtures("db", "yatzy_tables")


def finished(
    player: Player, advisor: Advisor, score: int, regret: float, day: int = 0, **facts: object
) -> Game:
    """A judged game as it is stored; its luck follows from the ledger."""
    moment = START + timedelta(days=day)
    fields = {
        "player": player,
        "seed": secrets.token_hex(32),
        "commitment": "",
        "started_at": moment,
        "finished_at": moment,
        "final_score": score,
        "bonus": 0,
        "regret": regret,
        "luck": score - advisor.value_start + regret,
        "free_decisions": 40,
    }
    return Game.objects.create(**fields | facts)


def skill_of(player: Player, advisor: Advisor) -> tuple[int, Skill]:
    start = advisor.value_start
    return profile_skill(judged_games(player, YATZY, start), start)


@database
@pytest.mark.parametrize(
    "facts",
    [
        {"mode": Game.Mode.REMATCH},
        {"ruleset": "yahtzee"},
        {"regret": None, "luck": None, "free_decisions": None},
        {"luck": 3.0},  # the table came while the game was under way
        {"free_decisions": 0},
        {"finished_at": None, "final_score": None, "bonus": None},
    ],
    ids=str,
)
def test_what_says_nothing_does_not_count(
    player: Player, advisor: Advisor, facts: dict[str, object]
) -> None:
    game = finished(player, advisor, 220, 20.0)
    assert judged_games(player, YATZY, advisor.value_start).exists()
    Game.objects.filter(pk=game.pk).update(**facts)
    assert not judged_games(player, YATZY, advisor.value_start).exists()


@database
def test_the_games_of_a_trial_do_not_count(player: Player, advisor: Advisor) -> None:
    into_trial(finished(player, advisor, 220, 20.0))
    assert not judged_games(player, YATZY, advisor.value_start).exists()


@database
def test_help_is_marked_and_left_out_of_the_estimate(player: Player, advisor: Advisor) -> None:
    own = [
        finished(player, advisor, 220, 20.0, 0),
        finished(player, advisor, 230, 30.0, 1, coach=Coach.AFTER),
    ]
    finished(player, advisor, 290, 1.0, 2, coach=Coach.BEFORE)
    finished(player, advisor, 291, 1.0, 3, coach=Coach.LIVE)
    finished(player, advisor, 292, 1.0, 4, coach=Coach.AFTER, hints=1)
    judged, skill = skill_of(player, advisor)
    assert (judged, skill.games) == (5, 2)
    assert skill.regrets.mean == 25
    shown = profile_games(judged_games(player, YATZY, advisor.value_start))
    assert [game.pk for game in shown if game.own] == [game.pk for game in own]
    assert [game.number for game in shown] == [1, 2, 3, 4, 5]
    assert {game.rolling.count for game in shown[1:]} == {2}


@database
def test_every_kind_of_decision_is_told_apart(player: Player, advisor: Advisor) -> None:
    played = start_solo(player)
    seq = 1
    for slots in (0b11111, 0):
        game_hold(game_id=played.game.pk, player=player, seq=seq, slots=slots)
        seq += 1
    game_score(game_id=played.game.pk, player=player, seq=seq, category="ones")
    for slots in (0, 0b00011, 0b00111):
        seq += 1
        game_hold(game_id=played.game.pk, player=player, seq=seq, slots=slots)
    game_score(game_id=played.game.pk, player=player, seq=seq + 1, category="twos")
    game_hold(game_id=played.game.pk, player=player, seq=seq + 2, slots=0)
    game_score(game_id=played.game.pk, player=player, seq=seq + 3, category="sixes")
    facts = {"finished_at": START, "final_score": 220, "bonus": 0, "free_decisions": 7}
    luck = 220 - advisor.value_start
    Game.objects.filter(pk=played.game.pk).update(regret=0.0, luck=luck, **facts)
    kinds = profile_kinds(judged_games(player, YATZY, advisor.value_start), YATZY)
    assert {habit.id: habit.decisions for habit in kinds} == {
        "all": 1,
        "none": 1,
        "box": 2,
        "first_hold": 1,
        "second_hold": 1,
        "early": 1,
    }


# The page


def page(response: Answer) -> str:
    assert response.status_code == 200
    return response.text


@database
def test_a_profile_says_it_in_words_numbers_and_charts(browser: Browser, advisor: Advisor) -> None:
    browser.post("/settings/", {"theme": "auto", "coach": "off", "coach_threshold": "1"})
    player = Player.objects.get()
    for day in range(12):
        finished(player, advisor, 180 + 37 * day % 90, 20.0 + day % 5, day)
    finished(player, advisor, 300, 0.5, 12, coach=Coach.LIVE)
    response = browser.get("/you/")
    portrait = response.context["portrait"]
    text, skill = page(response), portrait.skill
    mine = [rung.grade for rung in portrait.ladder if rung.mine]
    assert [mine[0], mine[-1]] == list(skill.grades or (skill.grade, skill.grade))
    assert [rung.grade.below for rung in portrait.ladder if rung.last] == [float("inf")]
    for told in (
        f"{skill.ratings.mean:.2f}",
        f"{skill.estimate:.1f}",
        f"{skill.scores.mean:.1f}",
        f"{skill.raw.low:.1f}",
        f"{skill.skill.high:.1f}",
        f"{skill.narrower:.1f} times as narrow",
        f"about {skill.games_for_raw} games",
        "Luckiest game",
        "Unluckiest game",
        "with help",
        "because not all decisions were yours",
    ):
        assert told in text
    assert 'data-apart="helped"' in response.text
    for chart in (portrait.rating_chart, portrait.estimates_chart):
        assert chart
        assert chart in response.text


def rated(number: int, rating: float) -> RatedGame:
    rolling = moments([rating, rating + 0.1] * number)
    return RatedGame(number, f"{number}", START, 220, 0.0, 40 * rating, rating, True, rolling)


@pytest.mark.parametrize("most", [0.0, 0.31, 0.5, 0.77, 1.0, 1.37, 2.04, 4.9, 26.0])
def test_the_rating_chart_has_a_label_above_every_game_and_the_best_off_its_axis(
    most: float,
) -> None:
    games = [rated(number, rating) for number, rating in enumerate([0.0, *[most] * 11], 1)]
    chart = rating_chart(games)
    labels = {
        float(text.replace("\u2212", "-")): float(y)
        for y, text in re.findall(r'y="([\d.]+)"[^>]*text-anchor="end"[^>]*>([\d.\u2212]+)<', chart)
    }
    dots = [float(y) for y in re.findall(r'cy="([\d.]+)"[^>/]*><title', chart)]
    (axis,) = {float(y) for y in re.findall(r'class="chart-axis"[^>]*y1="([\d.]+)"', chart)}
    assert max(labels) >= most
    assert min(labels.values()) - 4 <= min(dots)  # a label's foot is 4 under its line
    assert max(dots) < axis - 4
    assert min(labels) == 0


@database
def test_the_costliest_decisions_lead_to_their_place_in_the_review(browser: Browser) -> None:
    play_through(browser, browser.start())
    worst = browser.get("/you/").context["portrait"].worst
    assert worst
    assert [line.decision.regret for line in worst] == sorted(
        (line.decision.regret for line in worst), reverse=True
    )
    for line in worst:
        step = browser.get(line.url).context["step"]
        assert step.entry.regret == pytest.approx(line.decision.regret)
        assert step.turn == line.turn
