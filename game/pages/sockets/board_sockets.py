"""The sockets of a game: they send its board to outdated pages, and after each change."""

import re
from abc import ABC, abstractmethod
from functools import partial
from typing import Any, cast

from channels.db import database_sync_to_async
from django.contrib.auth.models import AnonymousUser, User
from django.core import signing
from django.middleware.csrf import get_token
from django.template.loader import render_to_string
from django.utils import translation

from game.core.access import find_own_game, find_watched_game
from game.core.coach_lock import CurrentBrowser, browser
from game.core.game_queries import LATER
from game.core.kind import find_kind
from game.models import Game, Player
from game.pages.board.showing import make_game_board
from game.pages.daily.daily_dice import would_spoil_daily
from game.pages.requests import live
from game.pages.requests.visitors import MARK_COOKIE, identify_player
from game.pages.sockets.common import (
    FORBIDDEN,
    UNKNOWN,
    AwaitedListener,
    Listener,
    NotShown,
    make_page_request,
    render_once,
    turn_into_code,
)

LONGEST = Game._meta.get_field("id").max_length or 0
SEEN = re.compile(r"[0-9]{1,3}")
TOKENS_PLACE = "the-token-of-this-viewer"


class BoardConsumer(Listener, ABC):
    """A viewer's socket. It subscribes to changes before it reads the game, so it misses none."""

    async def connect(self) -> None:
        await self.accept()
        try:
            await self.listen(live.name_game_group(await self.find_game_id()))
            if not await database_sync_to_async(self.is_current)():
                await self.show()
        except NotShown as refused:
            await self.close(code=refused.code)

    async def disconnect(self, code: int) -> None:
        await self.unlisten()

    async def game_changed(self, event: dict[str, Any]) -> None:
        if event["tab"] and event["tab"] == self.tab:
            return
        try:
            await self.show(event["news"])
        except NotShown as refused:
            await self.close(code=refused.code)

    async def show(self, news: str = "") -> None:
        await self.send(text_data=await database_sync_to_async(self.render)())

    @property
    def tab(self) -> str:
        """The name of the page's tab. After its own moves, it gets the board by HTTP instead."""
        return live.parse_tab(self.read_parameter("tab"))

    def is_current(self) -> bool:
        """Return whether the page shows the latest decision, judging by the number it sent."""
        game, _ = self.read_game()
        seen = self.read_parameter("seen")
        if game.real_dice or game.abandoned_at or not SEEN.fullmatch(seen):
            return False
        return not any(True for _ in LATER.rows(game.pk, int(seen)))

    @abstractmethod
    async def find_game_id(self) -> str:
        """Return the id of the game in the address. ``read_game`` checks the viewer's
        permission."""

    @abstractmethod
    def read_game(self) -> tuple[Game, Player | None]:
        """Return the current game, and the player who views it or None for a spectator."""

    def player(self) -> Player | None:
        user = cast("User | AnonymousUser", self.scope["user"])
        try:
            return identify_player(user, self.scope["cookies"])
        except signing.BadSignature:
            return None

    def render(self) -> str:
        browser.set(CurrentBrowser(self.scope["cookies"].get(MARK_COOKIE, "")))
        request = make_page_request(cast(dict[str, Any], self.scope))
        with translation.override(translation.get_language_from_request(request)):
            game, viewer = self.read_game()
            context = {"board": make_game_board(game, viewer=viewer), "oob": True}
            return render_to_string("pages/_update.html", context, request=request)


class OwnerConsumer(AwaitedListener, BoardConsumer):
    page = "game"
    viewer: Player | None = None  # the player to whom the board was shown

    async def connect(self) -> None:
        await super().connect()
        if self.viewer is not None:
            await self.listen_to_duels(self.viewer)

    async def find_game_id(self) -> str:
        named = str(self.scope["url_route"]["kwargs"]["game_id"])
        if len(named) > LONGEST:
            raise NotShown(UNKNOWN)
        return named

    def read_game(self) -> tuple[Game, Player | None]:
        player = self.player()
        with turn_into_code():
            game = find_own_game(self.scope["url_route"]["kwargs"]["game_id"], player)
        self.viewer = player
        return game, player


class WatchConsumer(BoardConsumer):
    """The socket of a spectator. All spectators of a game with the same language get the same
    board, except for the CSRF tokens in its forms."""

    page = "watch"

    async def find_game_id(self) -> str:
        games_watched = Game.objects.filter(share_token=self.token).values_list("pk", flat=True)
        game = await database_sync_to_async(games_watched.first)()
        if game is None:
            raise NotShown(UNKNOWN)
        await database_sync_to_async(self.check_seen)()
        return game

    def check_seen(self) -> None:
        """Refuse a spectator who could still play these dice for a rank, unless the spectator has
        already seen the page."""
        (game, _), player = self.read_game(), self.player()
        if not find_kind(game).only_result and would_spoil_daily(
            game, player, self.scope["cookies"]
        ):
            raise NotShown(FORBIDDEN)

    async def show(self, news: str = "") -> None:
        request = make_page_request(cast(dict[str, Any], self.scope))
        language = translation.get_language_from_request(request)
        find = database_sync_to_async(partial(self.render_for, language))
        html = await render_once((self.group, news, language), find) if news else await find()
        await self.send(text_data=html.replace(TOKENS_PLACE, get_token(request)))

    def render_for(self, language: str) -> str:
        with translation.override(language):
            game, _ = self.read_game()
            request = make_page_request({"cookies": {}, "headers": []})
            if find_kind(game).only_result:
                over = {"game": game, "result": find_kind(game).make_share_url(owner=True)}
                return render_to_string("pages/_watched_over.html", over, request=request)
            context = {
                "board": make_game_board(game, viewer=None),
                "oob": True,
                "csrf_token": TOKENS_PLACE,
            }
            return render_to_string("pages/_update.html", context, request=request)

    @property
    def token(self) -> str:
        return str(self.scope["url_route"]["kwargs"]["share_token"])

    def read_game(self) -> tuple[Game, Player | None]:
        with turn_into_code():
            return find_watched_game(self.token), None


class NowhereConsumer(Listener):
    async def connect(self) -> None:
        await self.accept()
        await self.close(code=UNKNOWN)
