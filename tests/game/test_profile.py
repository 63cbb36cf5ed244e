"""The profile: its statistics, what counts in it, and what the page says."""

import re
import secrets
import statistics
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from game.core.accounts import create_player
from game.core.playing import fill_box, hold_dice
from game.core.profile_queries import (
    SITE,
    RatedGame,
    find_player_skill,
    find_site_prior,
    list_kind_habits,
    list_rated_games,
    measure_losses,
    query_judged_games,
)
from game.core.worth.skill import SHIPPED, Moments, Skill, calculate_prior
from game.models import Coach, Game, Player
from game.practice.profile_board import draw_rating_chart
from solver.advice import Advisor
from solver.rules import YATZY
from tests.known import known
from tests.play import Answer, Browser, play_through, start_solo
from tests.trials import into_trial

START = datetime(2026, 5, 1, tzinfo=UTC)
numbers = st.lists(st.floats(-400, 400), min_size=2, max_size=60)


def moments(values: list[float]) -> Moments:
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


# What counts

database = pytest.mark.usefixtures("db", "yatzy_tables")


def finished(
    player: Player, advisor: Advisor, score: int, regret: float, day: int = 0, **facts: object
) -> Game:
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
    assert query_judged_games(player, YATZY, advisor.value_start).exists()
    Game.objects.filter(pk=game.pk).update(**facts)
    assert not query_judged_games(player, YATZY, advisor.value_start).exists()


@database
def test_the_games_of_a_trial_do_not_count(player: Player, advisor: Advisor) -> None:
    into_trial(finished(player, advisor, 220, 20.0))
    assert not query_judged_games(player, YATZY, advisor.value_start).exists()


@database
def test_help_is_marked_and_left_out_of_the_estimate(player: Player, advisor: Advisor) -> None:
    own = [
        finished(player, advisor, 220, 20.0, 0),
        finished(player, advisor, 230, 30.0, 1, coach=Coach.AFTER),
    ]
    finished(player, advisor, 290, 1.0, 2, coach=Coach.BEFORE)
    finished(player, advisor, 291, 1.0, 3, coach=Coach.LIVE)
    finished(player, advisor, 292, 1.0, 4, coach=Coach.AFTER, hints=1)
    start = advisor.value_start
    skill = known(find_player_skill(player, YATZY, start))
    assert skill.games == 2
    games = query_judged_games(player, YATZY, start)
    assert (games.count(), measure_losses(games).mean) == (5, 25)
    shown = list_rated_games(games, YATZY, start)
    assert [game.pk for game in shown if game.own] == [game.pk for game in own]
    assert [game.number for game in shown] == [1, 2, 3, 4, 5]
    assert [game.skill.games for game in shown] == [1, 2, 2, 2, 2]
    assert shown[-1].skill == skill


@database
def test_hinted_moves_are_left_out_and_not_the_game(player: Player, advisor: Advisor) -> None:
    """A quarter of the moves was hinted; what they cost is not the player's."""
    hinted = {"hints": 12, "hinted": 10, "hinted_regret": 5.0}
    finished(player, advisor, 220, 20.0)
    finished(player, advisor, 230, 35.0, 1, **hinted)
    finished(player, advisor, 230, 1.0, 2, hints=2)  # of which moves is not known
    finished(player, advisor, 230, 1.0, 3, **hinted | {"hinted": 40})
    moments = measure_losses(query_judged_games(player, YATZY, advisor.value_start))
    assert moments.count == pytest.approx(1.75)
    assert moments.mean == pytest.approx(50 / 1.75)
    assert moments.square == pytest.approx((20**2 + 30**2 / 0.75) / 1.75)
    assert known(find_player_skill(player, YATZY, advisor.value_start)).games == 2


@database
def test_a_game_stores_which_moves_were_hinted_and_what_they_cost(browser: Browser) -> None:
    browser.post("/settings/", {"theme": "auto", "coach": "hint", "coach_threshold": "1"})
    game = browser.start()
    browser.act(game, "hold", seq=0)
    for _ in range(2):
        browser.act(game, "hint")
    play_through(browser, game)
    game.refresh_from_db()
    first = game.decisions.exclude(roll=0).order_by("seq").first()
    assert (game.hints, game.hinted_moves, game.hinted) == (2, [0], 1)
    assert game.hinted_regret == pytest.approx(known(first).regret)


@database
def test_fifty_players_are_the_prior_of_the_site(advisor: Advisor) -> None:
    find_site_prior.cache_clear()
    day = START.date() + timedelta(days=9)
    for number in range(SITE):
        assert find_site_prior.__wrapped__(YATZY, advisor.value_start, day) is SHIPPED
        finished(create_player(), advisor, 220, 10.0 + number)
        Game.objects.update(mode=Game.Mode.DAILY, day=START.date())
    theirs = [Moments(1, 10.0 + n, (10.0 + n) ** 2) for n in range(SITE)]
    prior = find_site_prior.__wrapped__(YATZY, advisor.value_start, day)
    assert prior == pytest.approx(calculate_prior(theirs, YATZY))
    for later in (timedelta(0), timedelta(days=31)):
        assert (
            find_site_prior.__wrapped__(YATZY, advisor.value_start, START.date() + later) is SHIPPED
        )


@database
def test_every_kind_of_decision_is_told_apart(player: Player, advisor: Advisor) -> None:
    played = start_solo(player)
    seq = 1
    for slots in (0b11111, 0):
        hold_dice(game_id=played.game.pk, player=player, seq=seq, slots=slots)
        seq += 1
    fill_box(game_id=played.game.pk, player=player, seq=seq, category="ones")
    for slots in (0, 0b00011, 0b00111):
        seq += 1
        hold_dice(game_id=played.game.pk, player=player, seq=seq, slots=slots)
    fill_box(game_id=played.game.pk, player=player, seq=seq + 1, category="twos")
    hold_dice(game_id=played.game.pk, player=player, seq=seq + 2, slots=0)
    fill_box(game_id=played.game.pk, player=player, seq=seq + 3, category="sixes")
    facts = {"finished_at": START, "final_score": 220, "bonus": 0, "free_decisions": 7}
    luck = 220 - advisor.value_start
    Game.objects.filter(pk=played.game.pk).update(regret=0.0, luck=luck, **facts)
    kinds = list_kind_habits(query_judged_games(player, YATZY, advisor.value_start), YATZY)
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
    assert (mine[0], mine[-1]) == skill.grades
    assert [rung.grade.below for rung in portrait.ladder if rung.last] == [float("inf")]
    for told in (
        f"{skill.estimate:.1f}",
        f"{skill.low:.1f}–{skill.high:.1f}",
        f"{portrait.mean_score:.1f}",
        "Luckiest game",
        "Unluckiest game",
        "with help",
        "Not all decisions of that game were yours",
    ):
        assert told in text
    assert 'data-apart="helped"' in response.text
    assert portrait.rating_chart
    assert portrait.rating_chart in response.text


def rated(number: int, rating: float) -> RatedGame:
    skill = Skill(YATZY, 248.4, 44 * rating, 40 * rating, 44 * rating + 1, number)
    return RatedGame(number, f"{number}", START, 220, 0.0, 44 * rating, rating, True, skill)


@pytest.mark.parametrize("most", [0.0, 0.31, 0.5, 0.77, 1.0, 1.37, 2.04, 4.9, 26.0])
def test_the_rating_chart_has_a_label_above_every_game_and_the_best_off_its_axis(
    most: float,
) -> None:
    games = [rated(number, rating) for number, rating in enumerate([0.0, *[most] * 11], 1)]
    chart = draw_rating_chart(games)
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
