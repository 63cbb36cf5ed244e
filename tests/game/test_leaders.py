"""Places over many days, nicknames, and a browser whose dice were seen before."""

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta

import pytest
from django.contrib.auth.models import User
from django.contrib.messages import get_messages
from django.core.cache import cache
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from game.core.accounts import create_player
from game.core.game_queries import find_daily_rank
from game.core.nicknames import clean_nickname, make_name_key
from game.core.refusals import Refused
from game.models import Game, Player
from game.pages.daily.daily_queries import derive_day_seed
from game.pages.leaders import FEWEST, list_all_time_leaders, list_week_leaders
from solver.rules import YATZY
from tests.play import Browser

MONDAY = date(2026, 3, 9)
Browsers = Callable[[], Browser]


@pytest.fixture(autouse=True)
def nothing_counted() -> None:
    cache.clear()


def finished(player: Player, score: int, day: date, *, unranked: bool = False) -> Game:
    at = datetime(day.year, day.month, day.day, 12, tzinfo=UTC)
    return Game.objects.create(
        player=player, mode="daily", day=day, seed=derive_day_seed(day, "yatzy"),
        nonce=f"{player.pk}-{day}", started_at=at, finished_at=at, final_score=score, bonus=0,
        unranked=unranked,
    )  # fmt: skip


def days(count: int) -> list[date]:
    return [MONDAY + timedelta(days=number) for number in range(count)]


@pytest.mark.django_db
def test_a_week_is_ranked_by_the_sum_of_its_ranked_games() -> None:
    often, once, cheat = (create_player() for _ in range(3))
    for day in days(3):
        finished(often, 150, day)
    finished(once, 374, MONDAY)
    finished(cheat, 374, MONDAY, unranked=True)
    finished(once, 374, MONDAY - timedelta(days=1))
    found = list_week_leaders(YATZY, MONDAY + timedelta(days=6), once)
    assert [(one.place, one.total, one.games, one.mine) for one in found] == [
        (1, 450, 3, False),
        (2, 374, 1, True),
    ]
    assert list_week_leaders(YATZY, MONDAY + timedelta(days=7), None) == []


@pytest.mark.django_db
def test_all_time_is_ranked_by_the_average_of_enough_games() -> None:
    good, steady, new = (create_player() for _ in range(3))
    for day in days(FEWEST):
        finished(good, 250, day)
        finished(steady, 240, day)
    finished(steady, 240, MONDAY + timedelta(days=FEWEST))
    finished(new, 374, MONDAY)
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
        finished(player, 300, noon.date() - timedelta(days=number))
    for address in ("/leaders/", "/leaders/?span=all"):
        assert "Ada L." in browser.get(address).text
    assert "Ada L." in browser.get("/daily/").text
    assert browser.get("/leaders/poker/").status_code == 404
