"""The live monitor of a trial: rows that have changed are pushed, several changes in one go."""

import asyncio
from typing import Any, cast

from channels.db import database_sync_to_async
from django.contrib.auth.models import AnonymousUser, User
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils import translation

from game.models import Trial
from game.selectors.studies import rights_of
from game.trials.monitor.reading import Monitor, monitor
from game.views.sockets.common import FORBIDDEN, UNKNOWN, Listener, NotShown, page_request
from game.web import live

TOGETHER = 0.2  # seconds: a class that plays makes one push of many changes
TOTALS = "totals"
TICK = 15.0  # seconds: who has not moved for long is seen without anybody moving


class TrialConsumer(Listener):
    """One researcher who looks at one trial. Only what looks different is sent."""

    async def connect(self) -> None:
        self.sent: dict[str, str] = {}
        self.changed: set[int] | None = None  # participants to be shown anew; None is everyone
        self.soon: asyncio.Task[None] | None = None
        await self.accept()
        try:
            trial = await database_sync_to_async(self.find)()
            await self.listen(live.trial_group(trial.pk))
            await self.show()
            self.beside(self.tick())
        except NotShown as refused:
            await self.close(code=refused.code)

    async def disconnect(self, code: int) -> None:
        await self.unlisten()

    async def trial_changed(self, event: dict[str, Any]) -> None:
        """Of one participant, or of all."""
        if event["participant"] is None:
            self.changed = None
        elif self.changed is not None:
            self.changed.add(event["participant"])
        if self.soon is None or self.soon.done():
            self.soon = self.beside(self.show_soon())

    async def tick(self) -> None:
        while True:
            await asyncio.sleep(TICK)
            self.changed = None
            await self.show()

    async def show_soon(self) -> None:
        """Until nothing is left: what changes while a push is made starts no other one."""
        while self.changed is None or self.changed:
            await self.gather()
            await self.show()

    async def gather(self) -> None:
        """Let changes come together."""
        await asyncio.sleep(TOGETHER)

    async def show(self) -> None:
        """Every fragment that looks different now from what was sent before."""
        changed, self.changed = self.changed, set()
        try:
            fragments = await database_sync_to_async(self.render)(changed)
        except NotShown as refused:
            await self.close(code=refused.code)
            return
        news = {name: html for name, html in fragments.items() if self.sent.get(name) != html}
        self.sent |= fragments
        # By itself: a parser takes rows of a table only where nothing else stands before them.
        totals = news.pop(TOTALS, "")
        for html in filter(None, (totals, "".join(news.values()))):
            await self.send(text_data=html)

    def find(self) -> Trial:
        user = self.researcher()
        slug = self.scope["url_route"]["kwargs"]["slug"]
        trial = Trial.objects.filter(slug=slug).first()
        if trial is None:
            raise NotShown(UNKNOWN)
        self.rights = rights_of(user, slug)
        if not self.rights.view:
            raise NotShown(FORBIDDEN)
        return trial

    def researcher(self) -> User:
        user = cast("User | AnonymousUser", self.scope["user"])
        found = User.objects.filter(pk=user.pk or 0, is_staff=True, is_active=True).first()
        if found is None:
            raise NotShown(FORBIDDEN)
        return found

    def render(self, changed: set[int] | None) -> dict[str, str]:
        request = page_request(cast(dict[str, Any], self.scope))
        with translation.override("en"):
            seen = monitor(self.find())
            request.rights = self.rights  # type: ignore[attr-defined]
            return _fragments(seen, changed, request)


def _fragments(seen: Monitor, changed: set[int] | None, request: HttpRequest) -> dict[str, str]:
    def rendered(template: str, **context: object) -> str:
        context |= {"trial": seen.trial, "oob": True}
        return render_to_string(template, context, request=request)

    rows = {
        row.participant.label: rendered("trials/_monitor_row.html", row=row)
        for row in seen.drawn(changed)
    }
    return {TOTALS: rendered("trials/_monitor_totals.html", monitor=seen), **rows}
