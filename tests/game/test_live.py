"""Everyone who looks at a game sees it change, each in their own way."""

import re
from collections.abc import Awaitable, Callable
from functools import partial
from html import unescape
from http.cookies import SimpleCookie

import pytest
from asgiref.sync import async_to_sync, sync_to_async
from django.test import Client
from django.utils import translation

from game import services
from game.models import Game, Player
from game.views.sockets.boards import WatchConsumer
from tests.game.conftest import Browser
from tests.game.sockets import Viewer

pytestmark = pytest.mark.django_db(transaction=True)


async def look(path: str, cookies: SimpleCookie | None = None, language: str = "en") -> Viewer:
    viewer = Viewer(path, cookies, language=language)
    assert await viewer.connect()
    return viewer


async def closed(path: str, cookies: SimpleCookie | None = None) -> int:
    return await (await look(path, cookies)).code()


def run(test: Callable[[], Awaitable[None]]) -> None:
    async_to_sync(test)()


@pytest.fixture
def owner() -> Browser:
    return Browser()


@pytest.fixture
def game(owner: Browser) -> Game:
    return owner.start()


def act(client: Client, game: Game, what: str, **data: object) -> Awaitable[object]:
    return sync_to_async(lambda: client.post(f"/games/{game.pk}/{what}", data))()


def test_connecting_shows_the_board_as_it_is(owner: Browser, game: Game) -> None:
    owner.act(game, "hold", seq=1)

    async def test() -> None:
        tab = await look(f"/ws/games/{game.pk}/", owner.cookies)
        html = await tab.board()
        assert 'id="board"' in html
        assert 'data-seq="2"' in html
        assert "hx-swap-oob" in html
        await tab.leave()

    run(test)


def address(page: str) -> str:
    """Of the socket that a page opens."""
    found = re.search(r'ws-connect="([^"]+)"', page)
    assert found
    return unescape(found[1])


def test_a_page_that_shows_the_game_as_it_is_is_sent_it_only_once_it_changes(
    owner: Browser, game: Game
) -> None:
    owner.act(game, "hold", seq=1)
    page = owner.get(f"/games/{game.pk}/").content.decode()
    watched = Browser().get(f"/watch/{game.share_token}/").content.decode()

    async def test() -> None:
        tab, watcher = await look(address(page), owner.cookies), await look(address(watched))
        for viewer in (tab, watcher):
            assert await viewer.receive_nothing(timeout=0.3)
        await act(owner, game, "hold", seq=2)
        for viewer in (tab, watcher):
            assert 'data-seq="3"' in await viewer.board()
            await viewer.leave()
        again = await look(address(page), owner.cookies)
        assert 'data-seq="3"' in await again.board()
        await again.leave()

    run(test)


def test_a_page_is_sent_what_the_number_of_its_decisions_does_not_tell(
    owner: Browser, game: Game
) -> None:
    page = address(owner.get(f"/games/{game.pk}/").content.decode())
    unclear = [page.replace("seen=1", f"seen={told}") for told in ("", "-1", "x", "0", "5000")]
    owner.act(game, "abandon")

    async def test() -> None:
        for path in (page, *unclear):
            tab = await look(path, owner.cookies)
            assert 'data-phase="over"' in await tab.board()
            await tab.leave()

    run(test)


def test_a_page_of_real_dice_is_sent_its_board_in_any_case(owner: Browser, game: Game) -> None:
    """A throw is typed in after the decision that it belongs to."""
    page = address(owner.get(f"/games/{game.pk}/").content.decode())
    Game.objects.filter(pk=game.pk).update(real_dice=True, seed="", commitment="")

    async def test() -> None:
        tab = await look(page, owner.cookies)
        assert 'data-phase="enter"' in await tab.board()
        await tab.leave()

    run(test)


def test_whoever_may_not_see_a_game_is_not_told_that_nothing_is_new(game: Game) -> None:
    path = f"/ws/games/{game.pk}/?seen=1"

    async def test() -> None:
        assert await closed(path, Browser().cookies) == 4403
        assert await closed("/ws/games/nothing/?seen=1") == 4404

    run(test)


def test_a_second_tab_and_a_watcher_follow_every_move(owner: Browser, game: Game) -> None:
    async def test() -> None:
        tab = await look(f"/ws/games/{game.pk}/", owner.cookies)
        watcher = await look(f"/ws/watch/{game.share_token}/")
        for viewer in (tab, watcher):
            assert 'data-seq="1"' in await viewer.board()
        await act(owner, game, "hold", seq=1, slot=[0])
        for viewer in (tab, watcher):
            assert 'data-seq="2"' in await viewer.board()
        await act(owner, game, "score", seq=2, category="chance")
        mine, theirs = await tab.board(), await watcher.board()
        assert f"/games/{game.pk}/hold" in mine
        assert f'hx-post="/games/{game.pk}/hold"' not in theirs
        for viewer in (tab, watcher):
            await viewer.leave()

    run(test)


def test_what_is_refused_is_not_pushed(owner: Browser, game: Game) -> None:
    async def test() -> None:
        tab = await look(f"/ws/games/{game.pk}/", owner.cookies)
        await tab.board()
        await act(owner, game, "hold", seq=9)
        await act(owner, game, "score", seq=1, category="poker")
        assert await tab.receive_nothing(timeout=0.3)
        await tab.leave()

    run(test)


def test_giving_up_and_finishing_are_pushed(owner: Browser, game: Game) -> None:
    async def test() -> None:
        watcher = await look(f"/ws/watch/{game.share_token}/")
        await watcher.board()
        await act(owner, game, "abandon")
        assert 'data-phase="over"' in await watcher.board()
        await watcher.leave()

    run(test)


def test_coming_back_shows_the_truth(owner: Browser, game: Game) -> None:
    async def test() -> None:
        tab = await look(f"/ws/games/{game.pk}/", owner.cookies)
        await tab.board()
        await tab.leave()
        await act(owner, game, "hold", seq=1)
        await act(owner, game, "hold", seq=2)
        again = await look(f"/ws/games/{game.pk}/", owner.cookies)
        assert 'data-seq="3"' in await again.board()
        await again.leave()

    run(test)


def test_the_seed_is_pushed_only_when_the_game_is_over(owner: Browser, game: Game) -> None:
    async def test() -> None:
        watcher = await look(f"/ws/watch/{game.share_token}/")
        assert game.seed not in await watcher.board()
        await watcher.leave()

    run(test)


def test_a_strangers_socket_is_hung_up(owner: Browser, game: Game) -> None:
    stranger = Browser()
    stranger.start()
    forged = SimpleCookie({"player": "forged"})

    async def test() -> None:
        assert await closed(f"/ws/games/{game.pk}/") == 4403
        assert await closed(f"/ws/games/{game.pk}/", stranger.cookies) == 4403
        assert await closed(f"/ws/games/{game.pk}/", forged) == 4403
        assert await closed("/ws/games/nowhere/", owner.cookies) == 4404
        assert await closed(f"/ws/games/{'x' * 200}/", owner.cookies) == 4404
        assert await closed("/ws/watch/nowhere/") == 4404
        assert await closed("/ws/else/") == 4404

    run(test)


def test_the_owner_of_an_account_is_known_by_the_session(owner: Browser, game: Game) -> None:
    password = "five sixes at once"
    data = {"username": "anna", "password1": password, "password2": password}
    assert owner.post("/account/signup/", data).status_code == 302

    async def test() -> None:
        tab = await look(f"/ws/games/{game.pk}/", owner.cookies)
        assert "anna" in await tab.board()
        await tab.leave()

    run(test)


def test_a_game_that_changes_hands_is_no_longer_shown(owner: Browser, game: Game) -> None:
    async def test() -> None:
        tab = await look(f"/ws/games/{game.pk}/", owner.cookies)
        await tab.board()
        await sync_to_async(hand_over)(game)
        assert await tab.code() == 4403

    run(test)


def hand_over(game: Game) -> None:
    other = Player.objects.create()
    Game.objects.filter(pk=game.pk).update(player=other)
    services.game_hold(game_id=game.pk, player=other, seq=1, slots=0)


def test_each_viewer_is_addressed_in_their_language(owner: Browser, game: Game) -> None:
    async def test() -> None:
        swede = await look(f"/ws/watch/{game.share_token}/", language="sv")
        with translation.override("sv"):
            expected = str(translation.gettext("Ones"))
        assert expected in await swede.board()
        await swede.leave()

    run(test)


def test_another_site_may_not_listen(game: Game) -> None:
    async def test() -> None:
        path = f"/ws/watch/{game.share_token}/"
        assert not await Viewer(path, origin="http://evil.example").connect()

    run(test)


def test_a_push_that_fails_takes_no_move_back(
    owner: Browser, game: Game, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken() -> None:
        raise ConnectionError("the channel layer is away")

    monkeypatch.setattr("game.web.live.get_channel_layer", broken)
    assert owner.act(game, "hold", seq=1).status_code == 200
    assert game.decisions.count() == 2
    assert "the channel layer is away" in caplog.text


def test_a_form_pushed_by_a_socket_can_be_sent_without_a_script(owner: Browser, game: Game) -> None:
    owner.get(f"/games/{game.pk}/")

    async def test() -> None:
        tab = await look(f"/ws/games/{game.pk}/", owner.cookies)
        assert "csrfmiddlewaretoken" in await tab.board()
        await tab.leave()

    run(test)


def test_the_tab_that_moved_is_not_sent_its_own_board(owner: Browser, game: Game) -> None:
    async def test() -> None:
        tab = await look(f"/ws/games/{game.pk}/?tab=one", owner.cookies)
        other = await look(f"/ws/games/{game.pk}/?tab=two", owner.cookies)
        for viewer in (tab, other):
            await viewer.board()
        move = partial(owner.post, f"/games/{game.pk}/hold", {"seq": 1}, headers={"X-Tab": "one"})
        await sync_to_async(move)()
        assert 'data-seq="2"' in await other.board()
        assert await tab.receive_nothing(timeout=0.3)
        await act(owner, game, "score", seq=2, category="chance")
        assert 'data-seq="3"' in await tab.board()
        for viewer in (tab, other):
            await viewer.leave()

    run(test)


def test_who_is_told_nothing_asks_nothing_of_the_database(
    owner: Browser, game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    async def close() -> None:
        asked.append("to close what is too old")

    monkeypatch.setattr("channels.consumer.aclose_old_connections", close)

    async def test() -> None:
        tab = await look(f"/ws/games/{game.pk}/?tab=one", owner.cookies)
        await tab.board()
        move = partial(owner.post, f"/games/{game.pk}/hold", {"seq": 1}, headers={"X-Tab": "one"})
        await sync_to_async(move)()
        assert await tab.receive_nothing(timeout=0.1)
        await tab.leave()

    run(test)
    assert asked == []


def test_a_page_names_its_tab_alike_to_its_socket_and_its_requests(
    owner: Browser, game: Game
) -> None:
    page = owner.get(f"/games/{game.pk}/").content.decode()
    (tab,) = re.findall(rf"/ws/games/{game.pk}/\?tab=([\w-]+)", page)
    assert f'"X-Tab": "{tab}"' in page
    assert tab not in owner.get(f"/games/{game.pk}/").content.decode()
    swapped = owner.get(f"/games/{game.pk}/", headers={"X-Tab": tab}).content.decode()
    assert f"?tab={tab}" in swapped


def test_a_board_is_rendered_once_for_all_who_watch_it_in_one_language(
    owner: Browser, game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[str] = []
    draw = WatchConsumer.render_for

    def counted(self: WatchConsumer, language: str) -> str:
        drawn.append(language)
        return draw(self, language)

    async def test() -> None:
        languages = ("en", "en", "en", "sv", "sv")
        path = f"/ws/watch/{game.share_token}/"
        watchers = [await look(path, language=language) for language in languages]
        for watcher in watchers:
            await watcher.board()
        monkeypatch.setattr(WatchConsumer, "render_for", counted)
        for seq, kept in ((1, [0]), (2, [0, 1])):
            await act(owner, game, "hold", seq=seq, slot=kept)
            boards = [await watcher.board() for watcher in watchers]
            assert all(f'data-seq="{seq + 1}"' in board for board in boards)
            assert boards[0] != boards[4]
        assert sorted(drawn) == ["en", "en", "sv", "sv"]
        for watcher in watchers:
            await watcher.leave()

    run(test)


def test_each_watcher_has_a_token_of_their_own(owner: Browser, game: Game) -> None:
    owner.act(game, "abandon")
    browsers = [Browser(), Browser()]
    for browser in browsers:
        browser.get(f"/watch/{game.share_token}/")

    async def test() -> None:
        tokens = []
        for browser in browsers:
            watcher = await look(f"/ws/watch/{game.share_token}/", browser.cookies)
            tokens += re.findall(r'csrfmiddlewaretoken" value="(\w+)"', await watcher.board())
            await watcher.leave()
        assert all(len(token) == 64 for token in tokens)
        assert len(set(tokens)) == len(tokens)

    run(test)
