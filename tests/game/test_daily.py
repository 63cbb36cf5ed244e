"""One game a day, the same dice for everyone, secret until the day is over."""

from datetime import datetime, timedelta

import pytest

from game.core.accounts import create_player
from game.core.fair import blocks, days, tickets
from game.core.game_queries import find_daily_rank
from game.core.starting import start_game
from game.models import Game, Player
from game.pages.daily.daily_queries import build_day_boards, derive_day_seed
from solver.rules import YATZY
from tests.play import NOON, Browser, Clock, play_through, settled


def start_daily(player: Player | None, ruleset: str = "") -> Game:
    nonce = tickets.issue().signed
    return start_game(player=player, mode="daily", nonce=nonce, ruleset=ruleset).game


def finished(score: int, at: datetime = NOON, ruleset: str = "") -> Game:
    game = start_daily(create_player(), ruleset)
    game.final_score, game.bonus, game.finished_at = score, 0, at
    game.save()
    return game


@pytest.mark.django_db
def test_all_have_the_same_dice_on_a_day_by_the_same_rules_and_each_one_game(
    clock: Clock, player: Player
) -> None:
    game, others = start_daily(player), start_daily(None)
    yahtzee = start_daily(player, "yahtzee")
    assert game.seed == others.seed == derive_day_seed(NOON.date(), "yatzy")
    assert yahtzee.seed == derive_day_seed(NOON.date(), "yahtzee") != game.seed
    assert (game.ruleset, yahtzee.ruleset) == ("yatzy", "yahtzee")
    assert start_daily(player, "yatzy").pk == start_daily(player).pk == game.pk
    assert start_daily(player, "yahtzee").pk == yahtzee.pk
    clock(NOON + timedelta(days=1))
    tomorrow = start_daily(player)
    assert tomorrow.pk != game.pk
    assert tomorrow.seed != game.seed


@pytest.mark.django_db
def test_equal_scores_share_a_place(clock: Clock) -> None:
    games = [finished(score) for score in (250, 300, 250, 200)]
    ranks = [find_daily_rank(game) for game in games]
    assert [(rank.place, rank.players) for rank in ranks if rank] == [
        (2, 4),
        (1, 4),
        (2, 4),
        (4, 4),
    ]
    leaders = build_day_boards(NOON.date(), YATZY, games[1].player)[0].leaders
    assert [(leader.rank, leader.score, leader.mine) for leader in leaders] == [
        (1, 300, True),
        (2, 250, False),
        (2, 250, False),
        (4, 200, False),
    ]
    assert build_day_boards(NOON.date(), YATZY)[0].average == 250


@pytest.mark.django_db
def test_what_was_finished_after_the_seed_was_shown_is_not_ranked(clock: Clock) -> None:
    late = finished(374, at=days.find_closing_time(NOON.date()))
    assert find_daily_rank(late) is None
    assert build_day_boards(NOON.date(), YATZY, None)[0].leaders == ()


def test_the_seed_of_a_day_is_secret_until_it_is_over(clock: Clock, browser: Browser) -> None:
    game = play_through(browser, browser.start(mode="daily"))
    board = browser.get(f"/games/{game.pk}/").context["board"]
    assert (board.result.rank, board.result.players) == (1, 1)
    assert board.mode_label == "Daily game of 14\u00a0Mar\u00a02026"
    day = browser.get("/daily/").context
    assert (day["commitment"], day["seed"]) == (blocks.hash_seed(game.seed), "")
    urls = (f"/games/{game.pk}/", f"/games/{game.pk}/verify", "/history/export", "/daily/")
    assert not any(game.seed in browser.get(url).text for url in urls)
    rematch = play_through(browser, browser.start(mode="rematch", of=game.pk))
    assert game.seed not in browser.get(f"/games/{rematch.pk}/verify").text
    clock(days.find_closing_time(NOON.date()))
    assert browser.get("/daily/?day=2026-03-14").context["seed"] == game.seed
    assert all(game.seed in browser.get(url).text for url in urls[1:3])
    assert game.seed in browser.get(f"/games/{rematch.pk}/verify").text


def test_the_page_of_a_day_shows_my_result_and_a_text_to_share(
    clock: Clock, browser: Browser
) -> None:
    finished(400)
    settled(browser)
    game = play_through(browser, browser.start(mode="daily"))
    page = browser.get("/daily/").context
    assert (page["my_rank"], page["my_players"], page["my_game"].pk) == (2, 2, game.pk)
    assert page["players"].players == 2
    line = f"Yatzy 14\u00a0Mar\u00a02026: {game.final_score} points, rank 2 of 2 players."
    assert page["shared"].text.splitlines()[0] == line
    assert page["share_text"] == (
        f"{page['shared'].text}\nhttp://testserver{page['shared'].address}"
    )
    assert [leader.mine for leader in page["players"].leaders] == [False, True]


def test_earlier_days_can_be_looked_at_and_later_ones_not(clock: Clock, browser: Browser) -> None:
    earlier = browser.get("/daily/?day=2026-03-13")
    assert earlier.status_code == 200
    assert (earlier.context["is_today"], str(earlier.context["next_day"])) == (False, "2026-03-14")
    assert browser.get("/daily/?day=2026-03-14").context["next_day"] is None
    assert browser.get("/daily/?day=2025-01-01").context["previous_day"] is None
    for day in ("2026-03-15", "2024-12-31", "2026-02-30", "yesterday"):
        assert browser.get(f"/daily/?day={day}").status_code == 404


def test_a_day_that_went_by_is_refused_on_the_page_of_its_rules(
    clock: Clock, browser: Browser
) -> None:
    data = {"mode": "daily", "ruleset": "yahtzee", "day": "2026-03-13"}
    page = browser.post("/games/", {**data, "nonce": browser.nonce("/daily/yahtzee/")})
    assert page.status_code == 409
    assert page.context["rules"].id == "yahtzee"
