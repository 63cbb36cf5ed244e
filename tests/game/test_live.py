"""Live boards and records under load."""

import re
from collections.abc import Awaitable
from html import unescape
from http.cookies import SimpleCookie
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import translation
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from game.core.accounts import create_player, store_nickname
from game.core.duel_record_queries import DuelRecord, list_records
from game.core.playing import hold_dice
from game.models import Duel, DuelSeat, Game, Player
from game.pages.sockets.board_sockets import WatchConsumer
from tests.game.test_duels import given_up, tied, worse
from tests.play import Browser, Viewer, by_sockets, look, new_duel, page, who
from tests.selection import examples

pytestmark = pytest.mark.django_db(transaction=True)


async def closed(path: str, cookies: SimpleCookie | None = None) -> int:
    return await (await look(path, cookies)).code()


@pytest.fixture
def owner() -> Browser:
    return Browser()


@pytest.fixture
def game(owner: Browser) -> Game:
    return owner.start()


@pytest.fixture
def path(game: Game) -> str:
    return f"/ws/games/{game.pk}/"


@pytest.fixture
def watched(game: Game) -> str:
    return f"/ws/watch/{game.share_token}/"


def act(client: Client, game: Game, what: str, tab: str = "", **data: object) -> Awaitable[object]:
    headers = {"X-Tab": tab} if tab else {}
    data = {"confirmed": "1", **data}
    return sync_to_async(client.post)(f"/games/{game.pk}/{what}", data, headers=headers)


def address(page: str) -> str:
    (found,) = re.findall(r'ws-connect="([^"]+)"', page)
    return unescape(found)


@by_sockets
async def test_who_connects_or_comes_back_is_shown_the_board_as_it_is_and_every_move(
    owner: Browser, game: Game, path: str, watched: str
) -> None:
    await sync_to_async(owner.get)(f"/games/{game.pk}/")
    tab, watcher = await look(path, owner.cookies), await look(watched)
    mine, theirs = await tab.board(), await watcher.board()
    for html in (mine, theirs):
        assert 'id="board"' in html
        assert 'data-seq="1"' in html
        assert "hx-swap-oob" in html
        assert game.seed not in html
    assert "csrfmiddlewaretoken" in mine  # its form can be sent without a script
    await act(owner, game, "hold", seq=9)  # what is refused is not pushed
    await act(owner, game, "score", seq=1, category="poker")
    assert await tab.receive_nothing(timeout=0.3)
    await act(owner, game, "hold", seq=1, slot=[0])
    for viewer in (tab, watcher):
        assert 'data-seq="2"' in await viewer.board()
    await act(owner, game, "score", seq=2, category="chance")
    mine, theirs = await tab.board(), await watcher.board()
    assert f"/games/{game.pk}/hold" in mine
    assert f'hx-post="/games/{game.pk}/hold"' not in theirs
    again = await look(path, owner.cookies)
    assert 'data-seq="3"' in await again.board()
    await act(owner, game, "abandon")
    assert 'data-phase="over"' in await watcher.board()


@by_sockets
async def test_a_page_is_sent_its_board_only_once_it_is_another(
    owner: Browser, game: Game, watched: str
) -> None:
    def pages() -> tuple[str, str]:
        answers = owner.get(f"/games/{game.pk}/"), Browser().get(f"/watch/{game.share_token}/")
        own, theirs = (address(answer.text) for answer in answers)
        return own, theirs

    own, theirs = await sync_to_async(pages)()
    viewers = await look(own, owner.cookies), await look(theirs)
    for viewer in viewers:
        assert await viewer.receive_nothing(timeout=0.3)
    await act(owner, game, "hold", seq=1)
    for viewer in (*viewers, await look(own, owner.cookies)):
        assert 'data-seq="2"' in await viewer.board()
    own, _ = await sync_to_async(pages)()
    await act(owner, game, "abandon")  # the number of its decisions does not tell
    for told in ("2", "", "-1", "x", "0", "5000"):
        tab = await look(own.replace("seen=2", f"seen={told}"), owner.cookies)
        assert 'data-phase="over"' in await tab.board()


@by_sockets
async def test_a_socket_that_may_not_see_a_game_is_closed(
    owner: Browser, path: str, watched: str
) -> None:
    stranger = Browser()
    await sync_to_async(stranger.start)()
    for cookies in (None, stranger.cookies, SimpleCookie({"player": "forged"})):
        for query in ("", "?seen=1"):
            assert await closed(path + query, cookies) == 4403
    for nowhere in ("games/nowhere/", "games/nowhere/?seen=1", f"games/{'x' * 200}/"):
        assert await closed(f"/ws/{nowhere}", owner.cookies) == 4404
    for nowhere in ("watch/nowhere/", "else/"):
        assert await closed(f"/ws/{nowhere}") == 4404
    assert not await Viewer(watched, origin="http://evil.example").connect()


@by_sockets
async def test_the_owner_of_an_account_is_known_by_the_session_until_the_game_changes_hands(
    owner: Browser, game: Game, path: str
) -> None:
    password = "five sixes at once"
    data = {"username": "anna", "password1": password, "password2": password}
    await sync_to_async(owner.post)("/account/signup/", data)
    tab = await look(path, owner.cookies)
    assert "anna" in await tab.board()

    def hand_over() -> None:
        other = Player.objects.create()
        Game.objects.filter(pk=game.pk).update(player=other)
        hold_dice(game_id=game.pk, player=other, seq=1, slots=0)

    await sync_to_async(hand_over)()
    assert await tab.code() == 4403


def test_a_push_that_fails_takes_no_move_back(
    owner: Browser, game: Game, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken() -> None:
        raise ConnectionError("the channel layer is away")

    monkeypatch.setattr("game.pages.requests.live.get_channel_layer", broken)
    assert owner.act(game, "hold", seq=1).status_code == 200
    assert game.decisions.count() == 2
    assert "the channel layer is away" in caplog.text


@by_sockets
async def test_the_tab_that_moved_is_sent_nothing_and_asks_the_database_nothing(
    owner: Browser, game: Game, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    async def close() -> None:
        asked.append("to close what is too old")

    tab = await look(f"{path}?tab=one", owner.cookies)
    await tab.board()
    with monkeypatch.context() as patch:
        patch.setattr("channels.consumer.aclose_old_connections", close)
        await act(owner, game, "hold", tab="one", seq=1)
        assert await tab.receive_nothing(timeout=0.3)
        assert asked == []
    other = await look(f"{path}?tab=two", owner.cookies)
    await other.board()
    await act(owner, game, "score", tab="one", seq=2, category="chance")
    assert 'data-seq="3"' in await other.board()
    assert await tab.receive_nothing(timeout=0.3)
    await act(owner, game, "hold", seq=3)
    assert 'data-seq="4"' in await tab.board()


@by_sockets
async def test_a_board_is_rendered_once_for_all_who_watch_it_in_one_language(
    owner: Browser, game: Game, watched: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[str] = []
    draw = WatchConsumer.render_for

    def counted(self: WatchConsumer, language: str) -> str:
        drawn.append(language)
        return draw(self, language)

    languages = ("en", "en", "en", "sv", "sv")
    watchers = [await look(watched, language=language) for language in languages]
    for watcher in watchers:
        await watcher.board()
    monkeypatch.setattr(WatchConsumer, "render_for", counted)
    for seq, kept in ((1, [0]), (2, [0, 1])):
        await act(owner, game, "hold", seq=seq, slot=kept)
        boards = [await watcher.board() for watcher in watchers]
        assert all(f'data-seq="{seq + 1}"' in board for board in boards)
        for board, language in zip(boards, languages, strict=True):
            with translation.override(language):
                assert translation.gettext("Ones") in board
    assert sorted(drawn) == ["en", "en", "sv", "sv"]


Ends = list[tuple[str, int | None]]  # how each left, if so, and the points at the end


def ended(people: list[Player], ends: Ends) -> Duel:
    duel = new_duel(people)
    Duel.objects.filter(pk=duel.pk).update(finished_at=duel.started_at)
    for player, (left, points) in zip(people, ends, strict=True):
        seat = DuelSeat.objects.get(duel=duel, player=player)
        stored: dict[str, Any] = {"abandoned_at": duel.started_at}
        if points is not None and not left:
            stored = {"finished_at": duel.started_at, "final_score": points, "bonus": 0}
        Game.objects.filter(pk=seat.game_id).update(**stored)
        moment = duel.started_at if left else None
        DuelSeat.objects.filter(pk=seat.pk).update(exit=left, left_at=moment)
    return duel


def count_ends_slowly(me: int, other: int, duels: list[Ends]) -> tuple[int, int, int]:
    won = lost = drawn = 0
    for ends in duels:
        (my_exit, mine), (their_exit, theirs) = ends[me], ends[other]
        if my_exit and their_exit:
            continue
        if my_exit or their_exit:
            won, lost = won + bool(their_exit), lost + bool(my_exit)
        elif mine is not None and theirs is not None:
            won, lost, drawn = (
                won + (mine > theirs),
                lost + (mine < theirs),
                drawn + (mine == theirs),
            )
    return won, lost, drawn


class Records(TestCase):
    @settings(max_examples=examples(15))
    @given(
        st.lists(
            st.lists(
                st.tuples(
                    st.sampled_from(["", "", "gave up", "time"]),
                    st.sampled_from([None, 200, 200, 251]),
                ),
                min_size=3,
                max_size=3,
            ),
            max_size=4,
        )
    )
    def test_each_two_have_the_record_of_what_they_played(self, duels: list[Ends]) -> None:
        people = [create_player() for _ in range(3)]
        for ends in duels:
            ended(people, ends)
        for me, mine in enumerate(people):
            found = {one.rival: (one.won, one.lost, one.drawn) for one in list_records(mine)}
            for other, theirs in enumerate(people):
                wanted = count_ends_slowly(me, other, duels) if me != other else (0, 0, 0)
                assert found.get(theirs, (0, 0, 0)) == wanted


def test_the_one_played_with_last_comes_first_and_two_queries_tell_all() -> None:
    me, *others = (create_player() for _ in range(4))
    for other in others:
        ended([me, other], [("", 210), ("", 200)])
    with CaptureQueriesContext(connection) as queries:
        found = list_records(me)
    assert [one.rival for one in found] == others[::-1]
    assert len(queries) == 2
    assert list_records(me, [others[0]]) == [DuelRecord(others[0], 1, 0, 0)]


@pytest.mark.usefixtures("yatzy_tables")
def test_the_end_of_a_duel_and_the_list_of_duels_tell_it() -> None:
    host, guest = Browser(), Browser()
    worse(host, guest)
    given_up(host, guest)
    duel = tied(host, guest)
    store_nickname(player=who(guest), nickname="Anna")
    mine = list_records(who(host))[0]
    assert mine.drawn == 1
    assert mine.won + mine.lost == 2
    line = f"You against Anna: {mine.won} won, {mine.lost} lost, 1 drawn."
    for html in (page(host, duel), host.get("/duels/").text):
        assert line in unescape(html)
    assert "You against" not in page(Browser(), duel)
    assert "You and your opponents" not in Browser().get("/duels/").text


@pytest.mark.usefixtures("yatzy_tables")
def test_its_link_leads_to_those_games_and_no_others() -> None:
    host, guest = Browser(), Browser()
    duels = [given_up(host, guest), tied(host, guest)]
    given_up(host, Browser())
    host.start()
    found = host.get("/you/", {"rules": "all", "opponent": who(guest).code})
    games = {one.pk for one in found.context["page"]}
    mine = DuelSeat.objects.filter(duel__in=duels, player=who(host))
    assert games == set(mine.values_list("game", flat=True))
    assert "not finished" in found.text
