"""Whose turn it is in duels: in the list of duels, in the menu and in the title of a page."""

import re
from typing import Any

import pytest
from asgiref.sync import async_to_sync, sync_to_async
from django.db import connection
from django.test.utils import CaptureQueriesContext

from game.core.accounts import player_create, player_of_user, player_take_over
from game.core.duel_awaited_queries import duels_awaiting, duels_with_people
from game.duels.duel_ends import duel_leave
from game.models import Player
from solver.rules import Score
from tests.play import (
    Browser,
    Viewer,
    card_of,
    challenge,
    decide,
    join_duel,
    look,
    look_at,
    new_duel,
    play_turn,
    throw,
    turn,
    who,
)

pytestmark = pytest.mark.django_db(transaction=True)


def awaiting(player: Player) -> list[str]:
    return duels_awaiting(Player.objects.get(pk=player.pk))


def test_who_sits_with_people_is_known_without_a_query() -> None:
    first, second, third = (player_create() for _ in range(3))
    for player, asked in ((first, 1), (second, 1), (third, 0)):
        if player is first:
            new_duel([first, second])
        found = Player.objects.get(pk=player.pk)
        with CaptureQueriesContext(connection) as queries:
            duels_awaiting(found)
        assert len(queries) == asked


def test_nobody_waits_in_a_duel_with_programs_alone() -> None:
    alone = player_create()
    new_duel([alone], ["greedy"])
    assert not Player.objects.get(pk=alone.pk).in_duels
    assert awaiting(alone) == []


def test_a_duel_that_is_over_is_asked_about_no_more() -> None:
    first, second = player_create(), player_create()
    duel, other = new_duel([first, second]), new_duel([first, player_create()])
    duel_leave(token=duel.token, player=second)
    known_first, known_second = (Player.objects.get(pk=one.pk) for one in (first, second))
    assert (known_first.in_duels, known_second.in_duels) == (True, False)
    assert awaiting(first) == [other.token]
    assert duels_with_people(known_second) == []


def test_an_account_takes_over_what_waits_for_the_guest(django_user_model: Any) -> None:
    user = django_user_model.objects.create_user("anna", password="x")
    account, guest = player_of_user(user=user), player_create()
    duel = new_duel([guest, player_create()])
    player_take_over(guest=guest, user=user)
    assert awaiting(account) == [duel.token]


def count_in(html: str) -> tuple[str, str, bool]:
    """In the title, in the menu, and whether it is said in words."""
    title = re.search(r"<title>(?:\((\d+)\))?", html)
    menu = re.search(r'id="awaited".*?(?:<b aria-hidden="true">(\d+)</b>.*?)?</span>', html)
    assert title
    assert menu
    return title[1] or "", menu[1] or "", "your turn in" in html


def test_the_menu_the_title_and_the_list_say_whose_turn_it_is() -> None:
    host, guest = Browser(), Browser()
    duel = join_duel(challenge(host), guest)
    turn(host, duel)
    for page in ("/history/", "/duels/", "/rules/"):
        assert count_in(guest.get(page).text) == ("1", "1", True)
        assert count_in(host.get(page).text) == ("", "", False)
    assert "<strong>Your turn</strong>" in guest.get("/duels/").text
    assert "<strong>Your turn</strong>" not in host.get("/duels/").text


def test_those_that_wait_for_me_stand_first_in_the_list() -> None:
    host, guest = Browser(), Browser()
    waits = join_duel(challenge(host), guest)
    played = join_duel(challenge(host), guest)
    turn(host, played)
    html = host.get("/duels/").text
    assert html.index(waits.token) < html.index(played.token)


def test_a_page_asks_once_and_strangers_never() -> None:
    host, guest = Browser(), Browser()
    join_duel(challenge(host), guest)
    other = Browser()
    other.start()
    with CaptureQueriesContext(connection) as queries:
        other.get("/rules/")
    without = len(queries)
    with CaptureQueriesContext(connection) as queries:
        host.get("/rules/")
    assert len(queries) == without + 1
    with CaptureQueriesContext(connection) as queries:
        assert count_in(Browser().get("/").text) == ("", "", False)
    assert not [one for one in queries if "duel" in one["sql"]]


async def told(viewer: Viewer, count: str) -> None:
    """Waits for a push after which the menu says so many."""
    while True:
        html = await viewer.board()
        if 'id="awaited"' in html and count_in(f"<title></title>{html}")[1] == count:
            return


def test_an_open_page_is_told_when_the_turn_comes_and_goes() -> None:
    host, guest = Browser(), Browser()
    duel = join_duel(challenge(host), guest)
    game = guest.start()

    async def test() -> None:
        alone = await look(f"/ws/games/{game.pk}/", guest.cookies)
        table = await look_at(duel, guest)
        await told(table, "1")
        await sync_to_async(turn)(guest, duel)
        for viewer in (alone, table):
            await told(viewer, "")
        await sync_to_async(lambda: throw(duel, who(host)))()
        assert await alone.receive_nothing()  # nothing of it is news there
        await sync_to_async(lambda: decide(duel, who(host), Score("chance")))()
        for viewer in (alone, table):
            await told(viewer, "1")
            await viewer.leave()
        assert await alone.receive_nothing()

    async_to_sync(test)()


def test_a_page_of_whoever_sits_in_no_duel_listens_to_none() -> None:
    host, guest, other = Browser(), Browser(), Browser()
    duel = join_duel(challenge(host), guest)
    game = other.start()

    async def test() -> None:
        alone = await look(f"/ws/games/{game.pk}/", other.cookies)
        await alone.board()
        await sync_to_async(turn)(guest, duel)
        assert await alone.receive_nothing()
        await alone.leave()

    async_to_sync(test)()


def test_whoever_was_deleted_is_not_waited_for() -> None:
    me, you, gone = (player_create() for _ in range(3))
    duel = new_duel([me, you, gone])
    for one in (me, you):
        play_turn(duel, one)
    assert awaiting(me) == []
    card_of(duel, gone).delete()
    gone.delete()
    assert awaiting(me) == [duel.token]
