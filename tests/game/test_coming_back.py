"""What brings one back to the daily game: days in a row, places, past days, results to share."""

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest
from django.utils.formats import date_format

from game.core.fair import blocks, days
from game.core.game_queries import Rank, replay_game
from game.core.worth.tables import load_advisor
from game.models import FIVE, FiveAnswer, Game, Player
from game.pages.board.showing import make_game_board
from game.pages.daily.daily_board import format_better_than
from game.pages.daily.daily_queries import derive_day_seed, read_player_days
from game.pages.daily.perfect_day import build_perfect_day
from game.pages.daily.streaks import describe_daily_streak
from solver.advice import find_position
from solver.players.plain import make_action
from solver.rules import RULESETS, YATZY, Hold, play, start_state
from tests.known import known
from tests.play import NOON, Browser, Clock, play_through
from tests.trials import into_trial

DAY = timedelta(days=1)
tables = pytest.mark.usefixtures("yatzy_tables")


def finished(player: Player, score: int, ago: int = 0) -> Game:
    at = NOON - ago * DAY
    day = at.date()
    return Game.objects.create(
        player=player, mode="daily", day=day, seed=derive_day_seed(day, "yatzy"),
        nonce=f"{player.pk}-{ago}", started_at=at, finished_at=at, final_score=score, bonus=0,
    )  # fmt: skip


def five_answered(player: Player, ago: int, answers: int = FIVE) -> None:
    at = NOON - ago * DAY
    for place in range(1, answers + 1):
        FiveAnswer.objects.create(
            player=player, ruleset="yatzy", day=at.date(), place=place, key="k", hold=0,
            regret=0.0, created_at=at,
        )  # fmt: skip


def test_days_in_a_row_are_of_games_finished_in_time(clock: Clock, player: Player) -> None:
    for ago in (0, 1, 2, 3):
        finished(player, 200, ago)
    assert read_player_days(player, YATZY).daily.days == 4
    late = Game.objects.get(day=NOON.date() - DAY)
    late.finished_at = days.find_closing_time(known(late.day))
    late.save()
    assert read_player_days(player, YATZY).daily.days == 1
    assert read_player_days(player, RULESETS["yahtzee"]).daily.days == 0


def test_a_missed_day_is_on_offer_and_repaired_by_five_a_day(
    clock: Clock, browser: Browser
) -> None:
    player = browser.start(mode="daily").player
    finished(player, 200, 2), finished(player, 200, 3)
    before = browser.get("/daily/").text
    missed = date_format(date(2026, 3, 13))
    assert f"You missed {missed}" in before
    assert "to restore your streak of 2 days." in before
    assert "one missed day per week" in before
    five_answered(player, 0)
    page = browser.get("/daily/")
    text = page.text
    assert "2 days in a row" in text
    assert "You missed" not in text
    marks = {one.day.day: one.mark for week in page.context["month"].weeks for one in week if one}
    assert {day: mark for day, mark in marks.items() if mark} == {
        11: "played", 12: "played", 13: "repaired", 14: "open",
    }  # fmt: skip
    assert 'data-mark="repaired"' in text
    assert "repaired</span></a>" in text


def test_a_day_left_open_is_shown_until_it_counts_no_more(clock: Clock, browser: Browser) -> None:
    game = browser.start(mode="daily")
    midnight = datetime(2026, 3, 15, 0, 26, tzinfo=UTC)
    clock(midnight)
    page = browser.get("/daily/")
    assert page.context["left_open"].game == game.pk
    assert "is still open" in page.text
    assert "0 h 34 min" in page.text
    clock(days.find_closing_time(NOON.date()))
    assert browser.get("/daily/").context["left_open"] is None
    clock(NOON)
    assert browser.get("/daily/").context["left_open"] is None


def test_a_repair_is_told_on_its_day_and_a_longest_where_it_is_longer(
    clock: Clock, player: Player
) -> None:
    for ago in (2, 3):
        finished(player, 200, ago)
    five_answered(player, 0)
    told = describe_daily_streak(read_player_days(player, YATZY).daily, "")
    assert told.repaired == f"{date_format(date(2026, 3, 13))} no longer breaks your streak."
    assert (told.now, told.longest) == ("2 days in a row", "")
    clock(NOON + DAY)
    told = describe_daily_streak(read_player_days(player, YATZY).daily, "")
    assert (told.repaired, told.longest) == ("", "Longest: 2 days in a row")


@tables
def test_who_is_in_a_trial_is_told_nothing_of_streaks(clock: Clock, browser: Browser) -> None:
    game = play_through(browser, browser.start(mode="daily"))
    assert browser.get(f"/games/{game.pk}/").context["board"].day_end
    into_trial(browser.start())
    page = browser.get("/daily/").context
    assert page["streak"] is None
    assert page["end"] is None
    assert {one.mark for week in page["month"].weeks for one in week if one} == {""}
    assert make_game_board(game, viewer=game.player).day_end is None
    clock(days.find_closing_time(NOON.date()))
    assert browser.get("/daily/?day=2026-03-14").context["perfect"] is None


def test_a_month_has_its_days_and_leads_to_the_others(clock: Clock, browser: Browser) -> None:
    month = browser.get("/daily/").context["month"]
    every = [one for week in month.weeks for one in week if one]
    assert [one.day for one in every] == [date(2026, 3, n) for n in range(1, 32)]
    assert [one.url for one in every[11:15]] == [
        "/daily/?day=2026-03-12", "/daily/?day=2026-03-13", "/daily/", "",
    ]  # fmt: skip
    assert [one.day for one in every if one.shown] == [NOON.date()]
    assert all(week[0] is None or week[0].day.weekday() == 0 for week in month.weeks)
    assert (month.before, month.after) == ("/daily/?month=2026-02#calendar", "")
    earlier = browser.get("/daily/?month=2026-02").context["month"]
    assert earlier.first == date(2026, 2, 1)
    assert earlier.after == "/daily/?month=2026-03#calendar"
    assert browser.get("/daily/?month=2025-01").context["month"].before == ""
    assert browser.get("/daily/?day=2025-12-31").context["month"].first == date(2025, 12, 1)
    for none in ("2024-12", "2026-04", "2026-13", "march", "2026-03-01"):
        assert browser.get(f"/daily/?month={none}").status_code == 404


@tables
def test_perfect_play_is_told_when_the_day_is_over_and_is_that_of_its_dice(clock: Clock) -> None:
    day = NOON.date()
    assert build_perfect_day(day, YATZY) is None
    clock(days.find_closing_time(day))
    block = blocks.block(derive_day_seed(day, "yatzy"), YATZY)
    coach, state = known(load_advisor(YATZY)), start_state(YATZY)
    while not state.finished:
        best = coach.advise(find_position(state)).best if state.dice else None
        state = play(state, make_action(state, best) if best else Hold(0), block)
    found = known(build_perfect_day(day, YATZY))
    assert found.total == state.total == sum(found.boxes) + found.bonus + found.chips
    assert found.boxes == tuple(known(box).points for box in state.boxes)


def test_few_others_are_counted_and_many_are_a_share() -> None:
    assert format_better_than(None) == format_better_than(Rank(1, 1, 0)) == ""
    for rank in (Rank(2, 5, 3), Rank(1, 20, 19)):
        assert f"{rank.worse} of {rank.players - 1} other players" in format_better_than(rank)
    assert "70\u00a0%" in format_better_than(Rank(7, 21, 14))


@pytest.mark.parametrize("rank", [Rank(1, 2, 1), Rank(2, 5, 3), Rank(7, 21, 14)])
def test_the_sentence_names_the_board_of_the_others(rank: Rank) -> None:
    both = format_better_than(rank), format_better_than(replace(rank, guests=True))
    assert ["guest" in words for words in both] == [False, True]
    assert ["player" in words for words in both] == [True, False]


@tables
def test_a_result_is_shown_to_anybody_without_its_card_or_its_token(
    clock: Clock, browser: Browser, new_browser: Callable[[], Browser]
) -> None:
    game = play_through(browser, browser.start(mode="daily"))
    shared = browser.get("/daily/").context["shared"]
    assert len(shared.text.splitlines()[1]) == 15
    page = new_browser().get(shared.address)
    text = page.text
    assert str(game.final_score) in text
    assert re.findall('data-square="(.)"', text) == list(shared.text.splitlines()[1])
    assert game.share_token not in text
    assert "og:image" in text
    for turn in range(3):
        thrown = replay_game(game).moves[turn].state.dice
        assert ", ".join(map(str, thrown)) not in text
    picture = new_browser().get(f"{shared.address}picture.png")
    assert picture.content[:8] == b"\x89PNG\r\n\x1a\n"
