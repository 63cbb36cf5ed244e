"""Whose turn it is in duels: in the list of duels, in the menu and in the title of a page."""

import re
from typing import Any

import pytest
from asgiref.sync import async_to_sync, sync_to_async
from django.db import connection
from django.test.utils import CaptureQueriesContext

from game.core.accounts import create_player, get_or_create_player, merge_guest
from game.core.duel_awaited_queries import list_awaiting_duels
from game.models import Player
from solver.rules import Score
from tests.play import (
    Browser,
    Viewer,
    challenge,
    decide,
    join_duel,
    look,
    look_at,
    new_duel,
    throw,
    turn,
    who,
)

pytestmark = pytest.mark.django_db(transaction=True)


def awaiting(player: Player) -> list[str]:
    return list_awaiting_duels(Player.objects.get(pk=player.pk))


def test_who_sits_with_people_is_known_without_a_query() -> None:
    first, second, third = (create_player() for _ in range(3))
    for player, asked in ((first, 1), (second, 1), (third, 0)):
        if player is first:
            new_duel([first, second])
        found = Player.objects.get(pk=player.pk)
        with CaptureQueriesContext(connection) as queries:
            list_awaiting_duels(found)
        assert len(queries) == asked


def test_an_account_takes_over_what_waits_for_the_guest(django_user_model: Any) -> None:
    user = django_user_model.objects.create_user("anna", password="x")
    account, guest = get_or_create_player(user=user), create_player()
    duel = new_duel([guest, create_player()])
    merge_guest(guest=guest, user=user)
    assert awaiting(account) == [duel.token]


def count_in(html: str) -> tuple[str, str, bool]:
    title = re.search(r"<title>(?:\((\d+)\))?", html)
    menu = re.search(r'id="awaited".*?(?:<b aria-hidden="true">(\d+)</b>.*?)?</span>', html)
    assert title
    assert menu
    return title[1] or "", menu[1] or "", "your turn in" in html


def test_the_menu_the_title_and_the_list_say_whose_turn_it_is() -> None:
    host, guest = Browser(), Browser()
    duel = join_duel(challenge(host), guest)
    turn(host, duel)
    for page in ("/you/", "/duels/", "/rules/"):
        assert count_in(guest.get(page).text) == ("1", "1", True)
        assert count_in(host.get(page).text) == ("", "", False)
    assert "<strong>Your turn</strong>" in guest.get("/duels/").text
    assert "<strong>Your turn</strong>" not in host.get("/duels/").text


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
