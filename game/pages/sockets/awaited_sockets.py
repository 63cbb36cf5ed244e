"""The number of duels that wait for the reader, kept up to date in the menu of an open page."""

from typing import Any, cast

from channels.db import database_sync_to_async
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils import translation

from game.core.duel_awaited_queries import list_awaiting_duels, list_duels_with_people
from game.models import Player
from game.pages.requests import live
from game.pages.sockets.common import Listener, make_page_request


def render_awaited_part(player: Player | None, request: HttpRequest) -> dict[str, str]:
    """Return the HTML with the number of waiting duels, by its name; empty without a player."""
    if player is None:
        return {}
    context = {"awaited": list_awaiting_duels(player), "oob": True}
    return {"awaited": render_to_string("_awaited_news.html", context, request=request)}


class AwaitedListener(Listener):
    reader: Player | None = None  # the player whose duels this socket follows
    beside_groups: tuple[str, ...] = ()
    told = ""

    async def listen_to_duels(self, reader: Player) -> None:
        self.reader = reader
        tokens = await database_sync_to_async(list_duels_with_people)(reader)
        self.beside_groups = tuple(map(live.name_duel_group, tokens))
        for group in self.beside_groups:
            await self.channel_layer.group_add(group, self.channel_name)
        if self.beside_groups:
            await self.tell_awaited()

    async def unlisten(self) -> None:
        await super().unlisten()
        for group in self.beside_groups:
            await self.channel_layer.group_discard(group, self.channel_name)

    async def duel_changed(self, event: dict[str, Any]) -> None:
        await self.tell_awaited()

    async def tell_awaited(self) -> None:
        html = await database_sync_to_async(self.render_awaited)()
        if html != self.told:
            self.told = html
            await self.send(text_data=html)

    def render_awaited(self) -> str:
        request = make_page_request(cast(dict[str, Any], self.scope))
        with translation.override(translation.get_language_from_request(request)):
            return render_awaited_part(self.reader, request)["awaited"]
