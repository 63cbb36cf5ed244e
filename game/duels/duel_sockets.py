"""Sockets of a duel: they send the viewer the cards, the present players and the clocks."""

import asyncio
import re
from contextlib import suppress
from typing import Any, cast

from channels.db import database_sync_to_async
from channels.exceptions import ChannelFull
from django.contrib.auth.models import AnonymousUser, User
from django.core import signing
from django.template.loader import render_to_string
from django.utils import timezone, translation

from game.duels.duel_look import mark_seat_absent, view_duel
from game.duels.duel_queries import find_duel, load_standing
from game.models import DuelSeat, Player
from game.pages.requests import live
from game.pages.requests.visitors import identify_player
from game.pages.sockets.common import (
    Listener,
    NotShown,
    make_page_request,
    render_awaited_part,
    turn_into_code,
)

TICK = 15.0  # seconds between two regular updates
TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="\w+"')  # a new value in each rendering
SOON = 0.05  # seconds after a deadline until the socket checks it


class DuelConsumer(Listener):
    page = "duel"

    async def connect(self) -> None:
        self.token = self.scope["url_route"]["kwargs"]["token"]
        self.sent: dict[str, str] = {}
        live.serve_here()
        await self.accept()
        await self.listen(live.name_duel_group(self.token))
        if await self.show():
            await self.notify_others()
            self.run_in_background(self.send_updates())

    async def disconnect(self, code: int) -> None:
        if self.group:
            await self.unlisten()
            await database_sync_to_async(self.mark_absent)()
            await self.notify_others()

    async def duel_changed(self, event: dict[str, Any]) -> None:
        await self.show()

    async def notify_others(self) -> None:
        """Notify the other viewers that this viewer has come or gone."""
        await self.channel_layer.group_send(self.group, {"type": "duel.changed"})

    async def send_updates(self) -> None:
        """Send regular updates through the channel layer, because it ignores closed sockets."""
        while True:
            await asyncio.sleep(await database_sync_to_async(self.find_pause)())
            with suppress(ChannelFull):  # a full channel already contains an update
                await self.channel_layer.send(self.channel_name, {"type": "duel.changed"})

    async def show(self) -> bool:
        """Send every part of the page whose HTML has changed since it was last sent."""
        try:
            parts = await database_sync_to_async(self.render)()
        except NotShown as refused:
            await self.close(code=refused.code)
            return False
        for name, html in parts.items():
            looks = TOKEN.sub("", html)
            if self.sent.get(name) != looks:
                self.sent[name] = looks
                await self.send(text_data=html)
        return True

    def find_pause(self) -> float:
        """Return the seconds until the next regular update, or until a clock runs out."""
        duel = find_duel(self.token)
        if duel is None or duel.state != "running":
            return TICK
        due = load_standing(duel).rounds.find_next_deadline()
        if due is None:
            return TICK
        left = (due[0] - timezone.now()).total_seconds()
        return min(TICK, max(0.0, left) + SOON)

    def mark_absent(self) -> None:
        seats = DuelSeat.objects.filter(duel__token=self.token, player=self.player() or 0)
        if seat := seats.first():
            mark_seat_absent(seat, self.token)

    def player(self) -> Player | None:
        try:
            user = cast("User | AnonymousUser", self.scope["user"])
            return identify_player(user, self.scope["cookies"])
        except signing.BadSignature:
            return None

    def render(self) -> dict[str, str]:
        request = make_page_request(cast(dict[str, Any], self.scope))
        with translation.override(translation.get_language_from_request(request)):
            with turn_into_code():
                view = view_duel(self.token, self.player())
            context = {"view": view, "board": view.board, "oob": True, "out_of_band": True}
            parts: dict[str, str] = {}
            parts["table"] = render_to_string("duels/_table.html", context, request=request)
            place = "pages/_board.html" if view.board else "duels/_tray.html"
            parts["board"] = render_to_string(place, context, request=request)
            parts |= render_awaited_part(self.player(), request)
        return parts
