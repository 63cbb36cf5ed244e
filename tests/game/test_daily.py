"""The daily game: its past days, rankings, and what brings players back."""

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest
from django.contrib.auth.models import User
from django.contrib.messages import get_messages
from django.core.cache import cache
from django.test import Client
from django.utils.formats import date_format
from hypothesis import given
from hypothesis import strategies as st

from game.core.accounts import clean_nickname, create_player, make_name_key
from game.core.fair import blocks, days, tickets
from game.core.game_queries import Rank, find_daily_rank, replay_game
from game.core.kind import find_kind
from game.core.refusals import Refused
from game.core.starting import start_game
from game.core.worth.tables import load_advisor
from game.models import FIVE, FiveAnswer, Game, Player
from game.pages.board.showing import make_game_board
from game.pages.daily.daily_board import build_perfect_day, format_better_than
from game.pages.daily.daily_queries import (
    DayBoard,
    build_day_boards,
    derive_day_seed,
    read_player_days,
)
from game.pages.daily.streaks import describe_daily_streak
from game.pages.leaders import FEWEST, list_all_time_leaders, list_week_leaders
from solver.advice import find_position
from solver.players.plain import make_action
from solver.rules import RULESETS, YATZY, Hold, play, start_state
from tests.known import known
from tests.play import NOON, Browser, Clock, play_through, score_all, settled
from tests.trials import into_trial


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


MONDAY = date(2026, 3, 9)
Browsers = Callable[[], Browser]


@pytest.fixture(autouse=True)
def nothing_counted() -> None:
    cache.clear()


def finished_day(player: Player, score: int, day: date, *, unranked: bool = False) -> Game:
    at = datetime(day.year, day.month, day.day, 12, tzinfo=UTC)
    return Game.objects.create(
        player=player, mode="daily", day=day, seed=derive_day_seed(day, "yatzy"),
        nonce=f"{player.pk}-{day}", started_at=at, finished_at=at, final_score=score, bonus=0,
        unranked=unranked,
    )  # fmt: skip


def ranked_days(count: int) -> list[date]:
    return [MONDAY + timedelta(days=number) for number in range(count)]


@pytest.mark.django_db
def test_a_week_is_ranked_by_the_sum_of_its_ranked_games() -> None:
    often, once, cheat = (create_player() for _ in range(3))
    for day in ranked_days(3):
        finished_day(often, 150, day)
    finished_day(once, 374, MONDAY)
    finished_day(cheat, 374, MONDAY, unranked=True)
    finished_day(once, 374, MONDAY - timedelta(days=1))
    found = list_week_leaders(YATZY, MONDAY + timedelta(days=6), once)
    assert [(one.place, one.total, one.games, one.mine) for one in found] == [
        (1, 450, 3, False),
        (2, 374, 1, True),
    ]
    assert list_week_leaders(YATZY, MONDAY + timedelta(days=7), None) == []


@pytest.mark.django_db
def test_all_time_is_ranked_by_the_average_of_enough_games() -> None:
    good, steady, new = (create_player() for _ in range(3))
    for day in ranked_days(FEWEST):
        finished_day(good, 250, day)
        finished_day(steady, 240, day)
    finished_day(steady, 240, MONDAY + timedelta(days=FEWEST))
    finished_day(new, 374, MONDAY)
    found = list_all_time_leaders(YATZY, None)
    assert [(one.place, one.average) for one in found] == [(1, 250.0), (2, 240.0)]


# The known cheat: the dice are looked at as one player, and played as another.


def test_a_second_player_of_a_browser_has_no_place_and_is_told_so(browser: Browser) -> None:
    first = browser.start(mode="daily")
    del browser.cookies["player"]
    second = browser.start(mode="daily")
    assert first.player_id != second.player_id
    assert (Game.objects.get(pk=first.pk).unranked, second.unranked) == (False, True)
    Game.objects.filter(pk=second.pk).update(
        final_score=300, bonus=0, finished_at=second.started_at
    )
    assert "Your game is unranked" in browser.get("/daily/").text
    second.refresh_from_db()
    assert find_daily_rank(second) is None


def test_a_cookie_of_somebody_elses_making_is_nothing(browser: Browser) -> None:
    browser.cookies["dice-seen"] = "made:up"
    assert not browser.start(mode="daily").unranked


def test_the_request_itself_cannot_say_that_it_is_ranked(browser: Browser) -> None:
    browser.start(mode="daily")
    del browser.cookies["player"]
    assert browser.start(mode="daily", unranked="").unranked


# Nicknames


def test_a_guest_chooses_a_nickname_and_takes_it_back(browser: Browser) -> None:
    for address, way in (
        ("/daily/?rules=yahtzee", "/daily/?rules=yahtzee"),
        ("//e.org", "/leaders/"),
    ):
        named = browser.post("/nickname/", {"nickname": "  Åsa   R. ", "next": address})
        assert (named.status_code, named["Location"]) == (302, way)
    player = Player.objects.get()
    assert player.nickname == "Åsa R."
    assert "Åsa R." in browser.get("/nickname/").text
    for address, notes in (("/daily/", 0), ("", 1)):
        list(get_messages(browser.get("/nickname/").wsgi_request))
        unnamed = browser.post("/nickname/", {"nickname": "", "next": address})
        assert len(list(get_messages(unnamed.wsgi_request))) == notes
    player.refresh_from_db()
    assert (player.nickname, player.nickname_key) == ("", "")


@pytest.mark.parametrize(
    "name",
    ["x", "x" * 21, "<b>me</b>", "12345", "a\u202eb", "Admin", "ad-min", "Guest ab12", "GÄST 1"],
)
def test_some_names_are_none(name: str) -> None:
    with pytest.raises(Refused):
        clean_nickname(name)


@given(st.text(max_size=30))
def test_what_is_taken_is_short_and_can_be_seen(text: str) -> None:
    try:
        name = clean_nickname(text)
    except Refused:
        return
    assert name == clean_nickname(name)
    assert len(name) <= 20
    assert all(letter.isprintable() for letter in name)
    assert not name or make_name_key(name)


def test_two_do_not_have_one_name(browser: Browser, new_browser: Browsers) -> None:
    User.objects.create_user("Ada", password="x")
    browser.post("/nickname/", {"nickname": "Åsa"})
    for taken in ("åsa", "å.s.a", "ada"):
        answer = new_browser().post("/nickname/", {"nickname": taken})
        assert answer.status_code == 409, taken
        assert "Someone else has this name" in answer.text
    assert Player.objects.exclude(nickname="").count() == 1


def test_names_are_not_tried_out_by_the_hundred(browser: Browser) -> None:
    found = [browser.post("/nickname/", {"nickname": f"me {n}"}).status_code for n in range(22)]
    assert found[0] == 302
    assert found[-1] == 429


def test_staff_take_a_name_away_and_allow_one_again(browser: Browser, client: Client) -> None:
    browser.post("/nickname/", {"nickname": "Rude"})
    player = Player.objects.get()
    User.objects.create_superuser("root", password="x")
    client.login(username="root", password="x")

    def act(action: str) -> None:
        data = {"action": action, "_selected_action": [player.pk]}
        assert client.post("/admin/game/player/", data).status_code == 302
        player.refresh_from_db()

    page = client.get("/admin/game/player/").text
    assert "take_nickname_away" in page
    assert "delete_selected" not in page
    act("take_nickname_away")
    assert player.nickname == ""
    assert browser.post("/nickname/", {"nickname": "Ruder"}).status_code == 409
    act("allow_nickname")
    assert browser.post("/nickname/", {"nickname": "Polite"}).status_code == 302


def test_the_pages_of_places_name_who_has_one(
    browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    noon = datetime(2026, 3, 14, 12, tzinfo=UTC)
    monkeypatch.setattr("django.utils.timezone.now", lambda: noon)
    browser.post("/nickname/", {"nickname": "Ada L."})
    player = Player.objects.get()
    for number in range(FEWEST):
        finished_day(player, 300, noon.date() - timedelta(days=number))
    for address in ("/leaders/", "/leaders/?span=all"):
        assert "Ada L." in browser.get(address).text
    assert "Ada L." in browser.get("/daily/").text
    assert browser.get("/leaders/poker/").status_code == 404


DAY = timedelta(days=1)
tables = pytest.mark.usefixtures("yatzy_tables")


def finished_at_noon(player: Player, score: int, ago: int = 0) -> Game:
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
        finished_at_noon(player, 200, ago)
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
    finished_at_noon(player, 200, 2), finished_at_noon(player, 200, 3)
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
        finished_at_noon(player, 200, ago)
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
