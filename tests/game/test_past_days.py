"""Past days are played from their page: without a place or a streak, beside perfect play."""

import re
from datetime import date, timedelta

import pytest

from game.core.fair import days, tickets
from game.core.game_queries import find_daily_rank, replay_game
from game.core.kind import find_kind
from game.core.refusals import Refused
from game.core.starting import start_game
from game.models import Game, Player
from game.pages.daily.daily_queries import (
    DayBoard,
    build_day_boards,
    derive_day_seed,
    read_player_days,
)
from game.pages.leaders import list_week_leaders
from solver.rules import YATZY
from tests.known import known
from tests.play import NOON, Browser, Clock, play_through, score_all

PAST = date(2026, 3, 12)


def start(browser: Browser, day: date = PAST, ruleset: str = "yatzy") -> Game:
    page = browser.get(f"/daily/{ruleset}/?day={day}").text
    form = page[page.index('action="/games/"') :].partition("</form>")[0]
    sent = dict(re.findall(r'name="(\w+)" value="([^"]*)"', form))
    response = browser.post("/games/", sent)
    assert response.status_code == 302, response.content
    return Game.objects.get(pk=response.headers["Location"].split("/")[2])


def test_a_past_day_is_played_on_its_dice_without_a_place(clock: Clock, browser: Browser) -> None:
    game = play_through(browser, start(browser))
    assert (game.day, game.mode, game.unranked) == (PAST, "daily", True)
    assert game.seed == derive_day_seed(PAST, "yatzy")
    assert find_daily_rank(game) is None
    assert build_day_boards(PAST, YATZY, game.player, game) == (DayBoard(), DayBoard())
    assert list_week_leaders(YATZY, NOON.date(), game.player) == []
    found = read_player_days(game.player, YATZY).daily
    assert (found.days, found.longest, found.repair) == (0, 0, None)


@pytest.mark.usefixtures("yatzy_tables")
def test_its_page_tells_the_result_the_squares_and_perfect_play_s_card(
    clock: Clock, browser: Browser
) -> None:
    before = browser.get(f"/daily/?day={PAST}")
    assert "Play this day" in before.text
    assert "boxes" not in before.context
    game = start(browser)
    assert "boxes" not in browser.get(f"/daily/?day={PAST}").context, "not before the end"
    game = play_through(browser, game)
    page = browser.get(f"/daily/?day={PAST}")
    text = page.text
    assert str(game.final_score) in text
    assert "You played after this day: the game is unranked" in text
    assert len(re.findall('class="square" data-square', text)) == 15
    compared = page.context["boxes"]
    boxes = [known(box).points for box in replay_game(game).state.boxes]
    assert [mine for _name, mine, _theirs in compared.lines] == [*boxes, game.bonus]
    assert sum(theirs for _name, _mine, theirs in compared.lines) == compared.perfect.total
    assert compared.total == game.final_score
    assert [one.mark for week in page.context["month"].weeks for one in week if one][11] == "later"


@pytest.mark.usefixtures("yatzy_tables")
def test_the_end_of_a_past_day_leads_to_its_page(clock: Clock, browser: Browser) -> None:
    game = play_through(browser, start(browser))
    board = browser.get(f"/games/{game.pk}/")
    end = board.context["board"].day_end
    assert (end.later, end.countdown, end.better) == (True, None, "")
    assert f'href="/daily/?day={PAST}#perfect"' in board.text
    assert board.context["board"].mode_label == "Daily game of 12\u00a0Mar\u00a02026, played later"
    assert find_kind(game).title.endswith("played later")


def test_a_day_that_somebody_may_still_be_playing_is_nobody_s(
    clock: Clock, browser: Browser, player: Player
) -> None:
    yesterday = NOON.date()
    clock(days.find_closing_time(yesterday) - timedelta(seconds=1))
    page = browser.get(f"/daily/?day={yesterday}")
    assert page.context["nonce"] == page.context["seed"] == ""
    assert "01:00\u00a0UTC</time> on, anyone can play" in page.text
    with pytest.raises(Refused, match="You cannot play that day's game now"):
        begin(player, yesterday)
    clock(days.find_closing_time(yesterday))
    assert begin(player, yesterday).day == yesterday


@pytest.mark.parametrize("day", [NOON.date(), date(2026, 3, 15), date(2024, 12, 31), None])
def test_days_that_are_not_past_are_not_played_later(
    clock: Clock, player: Player, day: date | None
) -> None:
    with pytest.raises(Refused, match="You cannot play that day's game now"):
        begin(player, day)
    assert not Game.objects.exists()


def begin(player: Player, day: date | None) -> Game:
    return start_game(
        player=player, mode="daily", nonce=tickets.issue().signed, day=day, later=True
    ).game


def test_a_game_begun_in_time_and_finished_too_late_was_not_played_later(
    clock: Clock, player: Player
) -> None:
    played = start_game(player=player, mode="daily", nonce=tickets.issue().signed)
    clock(days.find_closing_time(NOON.date()))
    game = score_all(played, player).game
    assert not read_player_days(player, YATZY).played[NOON.date()].later
    assert "later" not in find_kind(game).label
