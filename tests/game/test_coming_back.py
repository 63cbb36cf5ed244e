"""What brings one back to the daily game: days in a row, places, past days, results to share."""

import re
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta

import pytest
from django.utils.formats import date_format

from game import services
from game.board.sharing import result_url
from game.coach.perfect_day import perfect_score
from game.fair import blocks, days, tickets
from game.judgement.squares import squares, worst_of_turns
from game.judgement.tables import advisor
from game.models import Game, Player
from game.selectors.daily import daily_past, daily_streak
from game.selectors.day_boards import day_boards
from game.selectors.games import daily_rank, game_played
from solver.advice import position_of
from solver.players.advised import action_of
from solver.rules import YATZY, Hold, play, start
from tests.game.conftest import Browser, play_through, score_all
from tests.known import known

NOON = datetime(2026, 3, 14, 12, tzinfo=UTC)
DAY = timedelta(days=1)
Clock = Callable[[datetime], None]
tables = pytest.mark.usefixtures("yatzy_tables")


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    def set_to(moment: datetime) -> None:
        monkeypatch.setattr("django.utils.timezone.now", lambda: moment)

    set_to(NOON)
    return set_to


def finished(player: Player, score: int, ago: int = 0) -> Game:
    """A daily game of so many days ago."""
    at = NOON - ago * DAY
    day = at.date()
    return Game.objects.create(
        player=player, mode="daily", day=day, seed=blocks.seed_of_day(day, "yatzy"),
        nonce=f"{player.pk}-{ago}", started_at=at, finished_at=at, final_score=score, bonus=0,
    )  # fmt: skip


def test_days_in_a_row_are_of_games_finished_in_time(clock: Clock, player: Player) -> None:
    for ago in (0, 1, 3, 4):
        finished(player, 200, ago)
    assert daily_streak(player, YATZY).days == 4
    late = Game.objects.get(day=NOON.date() - DAY)
    late.finished_at = days.closes_at(known(late.day))
    late.save()
    assert daily_streak(player, YATZY).days == 1


def test_the_page_says_the_row_and_when_the_next_dice_come(clock: Clock, browser: Browser) -> None:
    game = browser.start(mode="daily")
    finished(game.player, 200, 1)
    finished(game.player, 200, 3)
    page = browser.get("/daily/").content.decode()
    assert "2 days in a row" in page
    forgiven = date_format(date(2026, 3, 12), "DATE_FORMAT")
    assert f"{forgiven} is forgiven" in page
    assert "12 h 0 min" in page
    week = browser.get("/daily/").context["week"]
    assert [mark.day for mark in week] == sorted(mark.day for mark in week)
    assert [game.day - mark.day for mark in week if mark.played] == [
        timedelta(3),
        timedelta(1),
    ]
    assert (len(week), week[-1].day, week[-1].played) == (7, game.day, False)


@pytest.mark.django_db
def test_the_share_of_the_others_leaves_oneself_out(clock: Clock) -> None:
    games = [finished(services.player_create(), score) for score in (100, 200, 200, 300)]
    ranks = [known(daily_rank(game)) for game in games]
    assert [rank.worse for rank in ranks] == [0, 1, 1, 3]


@tables
def test_perfect_play_is_told_when_the_day_is_over_and_is_that_of_its_dice(clock: Clock) -> None:
    day = NOON.date()
    assert perfect_score(day, YATZY) is None
    clock(days.closes_at(day))
    block = blocks.block(blocks.seed_of_day(day, "yatzy"), YATZY)
    coach, state = known(advisor(YATZY)), start(YATZY)
    while not state.finished:
        best = coach.advise(position_of(state)).best if state.dice else None
        state = play(state, action_of(state, best) if best else Hold(0), block)
    assert perfect_score(day, YATZY) == state.total


@tables
def test_past_days_have_their_players_and_perfect_play(clock: Clock, player: Player) -> None:
    finished(player, 200, 1), finished(services.player_create(), 300, 1)
    unranked = finished(services.player_create(), 375, 1)
    unranked.unranked = True
    unranked.save()
    found = daily_past(player, YATZY, NOON.date(), 3, NOON.date() - 2 * DAY)
    assert [(one.players, one.average, one.mine) for one in found] == [
        (2, 250.0, 200),
        (0, None, None),
    ]


def test_a_game_finished_after_the_day_is_not_ranked(clock: Clock, player: Player) -> None:
    nonce = tickets.issue().signed
    played = services.game_start(player=player, mode="daily", nonce=nonce)
    clock(days.closes_at(NOON.date()))
    game = score_all(played, player).game
    assert game.unranked
    assert daily_rank(game) is None
    assert day_boards(NOON.date(), YATZY, player)[0].leaders == ()


def test_squares_are_one_a_turn_by_its_worst_decision() -> None:
    decided = [(0, 0.0), (0, 0.3), (1, 0.01), (2, 3.0), (2, 0.0), (3, 7.0), (4, None), (4, 1.0)]
    assert squares(worst_of_turns([*decided, (6, 0.0)], 7)) == "🟨🟨🟧🟥⬜⬜🟩"


@tables
def test_a_result_is_shown_to_anybody_without_its_card_or_its_token(
    clock: Clock, browser: Browser, new_browser: Callable[[], Browser]
) -> None:
    game = play_through(browser, browser.start(mode="daily"))
    shared = browser.get("/daily/").context["shared"]
    assert len(shared.text.splitlines()[1]) == 15
    page = new_browser().get(shared.address)
    text = page.content.decode()
    assert str(game.final_score) in text
    assert re.findall('data-square="(.)"', text) == list(shared.text.splitlines()[1])
    assert game.share_token not in text
    assert "og:image" in text
    for turn in range(3):
        thrown = game_played(game).moves[turn].state.dice
        assert ", ".join(map(str, thrown)) not in text
    picture = new_browser().get(f"{shared.address}picture.png")
    assert picture.content[:8] == b"\x89PNG\r\n\x1a\n"


def test_a_result_whose_address_was_made_up_is_not_there(clock: Clock, browser: Browser) -> None:
    game = browser.start(mode="daily")
    assert browser.get(f"/daily/result/{game.pk}:abc/").status_code == 404
    assert browser.get(result_url(game)).status_code == 404, "not finished"


@tables
def test_who_watches_is_not_told_what_a_days_game_was_worth(
    clock: Clock, browser: Browser, new_browser: Callable[[], Browser]
) -> None:
    game = play_through(browser, browser.start(mode="daily"))
    clock(days.closes_at(NOON.date()))
    seen = new_browser().get(f"/watch/{game.share_token}/").context["board"].shared
    assert "\n" not in seen.text
    assert "result" not in seen.address
