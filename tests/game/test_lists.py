"""Own lists of positions: kept by one button, answered by whoever has the link, changed by one."""

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from hypothesis import given
from hypothesis import strategies as st

from game.coach.position_addresses import explore_query
from game.core.accounts import create_player, delete_player, get_or_create_player, merge_guest
from game.core.forgetting import query_idle_guests
from game.core.refusals import Refused
from game.core.words.names import remove_invisible
from game.models import DrillAttempt, DrillCard, KeptPosition, Player, PositionList
from game.models.drill import LONGEST_LIST_NAME, MOST_KEPT, MOST_LISTS
from game.practice.lists import NoSuchList, remove_position, save_position
from solver.advice import Position
from solver.rules import YATZY
from tests.known import known
from tests.play import Browser

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("yatzy_tables")]
NewBrowser = Callable[[], Browser]
LATE = YATZY.full & ~YATZY.make_mask(["chance", "yatzy"])
POSITION = Position(YATZY, YATZY.make_mask(["ones", "twos"]), 9, (1, 1, 2, 2, 5), 2)


def other(number: int) -> Position:
    dice = tuple(sorted((1, 2, 3, 1 + number // 6 % 6, 1 + number % 6)))
    return Position(YATZY, number % 32 << 8, 0, dice, number % 3)


def kept(browser: Browser, position: Position = POSITION, **more: object) -> PositionList:
    query = explore_query(position, needed=more.pop("needed", None))  # type: ignore[arg-type]
    answer = browser.post("/drill/lists/keep", {"position": query} | more)
    assert answer.status_code == 302, answer.content
    return PositionList.objects.latest("used_at", "pk")


# What is kept


def test_a_position_is_in_a_list_once(player: Player) -> None:
    first, again = (save_position(player=player, position=POSITION) for _ in range(2))
    assert first == again
    elsewhere = save_position(player=player, position=POSITION, name="Openings")
    assert elsewhere.kept_in != first.kept_in
    assert KeptPosition.objects.count() == 2
    to_win = save_position(player=player, position=POSITION, needed=9, name="Openings")
    assert to_win != elsewhere


def test_a_list_holds_so_many_and_a_player_has_so_many_lists(player: Player) -> None:
    found = save_position(player=player, position=other(0)).kept_in
    blank = KeptPosition.objects.get()
    for number in range(1, MOST_KEPT):
        blank.pk, blank.needed = None, number
        blank.save(force_insert=True)
    with pytest.raises(Refused, match="full: it has 100 positions"):
        save_position(player=player, position=other(1))
    save_position(player=player, position=other(0))  # is there already
    assert found.positions.count() == MOST_KEPT
    for number in range(1, MOST_LISTS):
        save_position(player=player, position=other(1), name=f"List {number}")
    with pytest.raises(Refused, match="20 lists"):
        save_position(player=player, position=other(1), name="One more")
    assert player.position_lists.count() == MOST_LISTS


def test_a_full_list_says_so_on_the_page_that_asked(browser: Browser) -> None:
    found = kept(browser)
    blank = KeptPosition.objects.get()
    for number in range(1, MOST_KEPT):
        blank.pk, blank.needed = None, number
        blank.save(force_insert=True)
    data = {"position": explore_query(other(7))}
    came_from = "http://testserver/explore/?dice=11225"
    answer = browser.post("/drill/lists/keep", data, headers={"Referer": came_from})
    assert answer.headers["Location"] == came_from
    assert "This list is full" in browser.get(f"/drill/lists/{found.token}/").text


@pytest.mark.parametrize("came_from", ["", "https://elsewhere.example/", "javascript:alert(1)"])
def test_one_is_led_back_within_this_site_alone(browser: Browser, came_from: str) -> None:
    data = {"position": explore_query(POSITION)}
    answer = browser.post("/drill/lists/keep", data, headers={"Referer": came_from})
    assert answer.headers["Location"] == f"/drill/lists/{PositionList.objects.get().token}/"


@pytest.mark.parametrize("query", ["", "dice=11", "rules=yatzy&dice=99999", "filled=nothing"])
def test_what_is_no_position_is_not_kept(browser: Browser, query: str) -> None:
    answer = browser.post("/drill/lists/keep", {"position": query})
    assert answer.headers["Location"] == "/drill/lists/"
    assert not Player.objects.exists()


@given(st.text(max_size=80))
def test_a_name_is_short_and_can_be_seen(text: str) -> None:
    name = remove_invisible(text, LONGEST_LIST_NAME)
    assert len(name) <= LONGEST_LIST_NAME
    assert name.isprintable() or not name
    assert name == remove_invisible(name, LONGEST_LIST_NAME)


# A link


def test_a_stranger_answers_the_positions_and_learns_only_a_nickname(
    browser: Browser, new_browser: NewBrowser
) -> None:
    browser.post("/nickname/", {"nickname": "Ada"})
    found = kept(browser)
    kept(browser, other(3))
    stranger = new_browser()
    page = stranger.get(f"/drill/lists/{found.token}/")
    text = page.text
    assert "kept by Ada" in text
    assert found.player.code not in text
    assert not page.context["own"]
    for action in ("rename", "remove", "delete"):
        assert f"/{action}" not in text
    asked = page.context["asked"]
    assert asked == f"/drill/again/?of=list-{found.token}"
    question = stranger.get(asked)
    assert question.context["heading"]["player"] == "Position 1 of 2"
    assert question.context["source"].title == found.name
    told = stranger.get(f"{asked}&slot=4&go=1")
    assert told.context["answer"].right
    following = told.context["following"]
    last = known(found.positions.last())
    assert following.fields == {"of": f"list-{found.token}", "at": str(last.pk)}
    ended = stranger.get(f"{asked}&at={last.pk}&category=chance").context["following"]
    assert ended.url == f"/drill/lists/{found.token}/"
    assert Player.objects.count() == 1, "looking makes nobody"
    assert not DrillAttempt.objects.exists()
    assert not DrillCard.objects.exists()


def test_a_list_with_points_needed_is_judged_in_chances(browser: Browser) -> None:
    found = kept(browser, Position(YATZY, LATE, 63, (1, 2, 3, 4, 6), 1), needed=20)
    asked = browser.get(f"/drill/again/?of=list-{found.token}")
    assert "20 points needed to win" in asked.text.replace("\xa0", " ")
    told = browser.get(f"/drill/again/?of=list-{found.token}&category=yatzy")
    assert not told.context["answer"].step, "in chances, and not in points"


# What becomes of it


def test_a_list_is_renamed_emptied_and_deleted_by_its_owner_alone(
    browser: Browser, new_browser: NewBrowser
) -> None:
    found = kept(browser)
    one = known(found.positions.first())
    here = f"/drill/lists/{found.token}/"
    stranger = new_browser()
    kept(stranger, other(1))
    for person, done in ((stranger, False), (new_browser(), False), (browser, True)):
        for action, data in (
            ("rename", {"name": "  Full \u202e houses "}),
            ("remove", {"kept": one.pk}),
            ("remove", {"kept": "x"}),
            ("rename", {"name": " "}),
        ):
            answer = person.post(f"{here}{action}", data)
            assert answer.status_code == (302 if done else 404)
        found.refresh_from_db()
        assert found.name == ("Full houses" if done else "Kept positions")
        assert found.positions.exists() is not done
        assert person.post(f"{here}delete").status_code == (302 if done else 404)
    assert not PositionList.objects.filter(pk=found.pk).exists()
    assert browser.get(here).status_code == 404


def test_nobody_removes_from_anothers_list_by_their_own(player: Player) -> None:
    mine = save_position(player=player, position=POSITION)
    hers = save_position(player=create_player(), position=POSITION)
    remove_position(player=player, token=mine.kept_in.token, kept=hers.pk)
    assert KeptPosition.objects.count() == 2
    with pytest.raises(NoSuchList):
        remove_position(player=player, token=hers.kept_in.token, kept=hers.pk)


def test_a_guests_lists_move_to_the_account_and_go_with_it(player: Player) -> None:
    user = User.objects.create_user("ada", password="x")
    account = get_or_create_player(user=user)
    save_position(player=player, position=POSITION)
    save_position(player=account, position=other(1))
    merge_guest(guest=player, user=user)
    assert account.position_lists.count() == 2
    delete_player(player=account)
    assert not KeptPosition.objects.exists()


def test_who_kept_something_lately_is_not_forgotten(player: Player) -> None:
    Player.objects.update(created_at="2020-01-01T00:00Z")
    assert list(query_idle_guests(days=30)) == [player]
    save_position(player=player, position=POSITION)
    assert list(query_idle_guests(days=30)) == []
