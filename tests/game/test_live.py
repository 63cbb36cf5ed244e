"""Everyone who looks at a game sees it change, each in their own way."""

import re
from collections.abc import Awaitable
from html import unescape
from http.cookies import SimpleCookie

import pytest
from asgiref.sync import sync_to_async
from django.test import Client
from django.utils import translation

from game.core.playing import hold_dice
from game.models import Game, Player
from game.pages.sockets.board_sockets import WatchConsumer
from tests.play import Browser, Viewer, by_sockets, look

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
async def test_whoever_may_not_see_a_game_is_hung_up(
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
