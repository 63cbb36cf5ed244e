"""A running trial: who plays, how many games they finished, and who has not moved for long."""

import asyncio
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, cast

from channels.db import database_sync_to_async
from django.contrib.auth.models import AnonymousUser, User
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils import timezone, translation

from game.core.game_queries import Played, replay_games
from game.models import Game
from game.pages.sockets.common import (
    FORBIDDEN,
    UNKNOWN,
    Listener,
    NotShown,
    make_page_request,
    turn_into_code,
)
from game.trials.audiences import check_trial
from game.trials.changes import name_trial_group
from game.trials.design.masking import map_arm_names
from game.trials.joining.links import return_code
from game.trials.models import Participant, Trial, TrialGame, TrialStaff
from game.trials.reading import Finished, map_finished, map_open_games, query_shared_browser

STATES: dict[str, str] = {
    "invited": "Not begun",
    "playing": "Playing",
    "away": "Away",
    "done": "Finished",
    "screened_out": "Screened out",
    "withdrawn": "Withdrawn",
}

GONE = {"withdrawn", "screened_out"}


@dataclass(frozen=True, slots=True)
class ParticipantRow:
    """A participant's row in the monitor. ``card`` is set only if the page will show the row."""

    participant: Participant
    trial: Trial
    finished: Finished
    under_way: Game | None
    state: str
    since: str
    designed: bool = False  # True if the trial has arms or phases
    shared: bool = False  # True if another participant used the same browser
    arm: str = ""  # arm of the current game, else the assigned arm; a letter while blinded
    card: str = ""  # turn and points of the current game; only the turn while blinded

    @property
    def state_name(self) -> str:
        return STATES[self.state]

    @property
    def may_withdraw(self) -> bool:
        return self.state not in {"invited", "withdrawn"}

    @property
    def changeable(self) -> bool:
        return self.may_withdraw or self.bound

    @property
    def games(self) -> int:
        return self.participant.planned or self.trial.games_planned

    @property
    def condition(self) -> str:
        """The arm and phase of the current game. Between games, only the assigned arm, if any."""
        played = self.under_way.trial_game.phase if self.under_way else ""
        phase = TrialGame.Phase(played).label if played else ""
        return ", ".join(filter(None, (self.arm, str(phase))))

    @property
    def return_code(self) -> str:
        needs_code = self.participant.recruited and not self.participant.link_revoked
        return return_code(self.participant) if needs_code and self.may_withdraw else ""

    @property
    def bound(self) -> bool:
        """True if the participant is bound to a browser from which a researcher may free them."""
        return self.trial.resume == Trial.Resume.ONE_BROWSER and bool(self.participant.browser)


@dataclass(frozen=True, slots=True)
class Monitor:
    trial: Trial
    rows: tuple[ParticipantRow, ...]
    designed: bool

    @property
    def counts(self) -> list[tuple[str, int]]:
        states = [row.state for row in self.rows]
        return [(str(name), states.count(state)) for state, name in STATES.items()]

    @property
    def finished(self) -> int:
        return sum(row.finished.games for row in self.rows)

    @property
    def planned(self) -> int:
        """The number of games. People who left count only with their finished games."""
        return sum(row.finished.games if row.state in GONE else row.games for row in self.rows)

    @property
    def mean(self) -> float | None:
        sums = [row.finished.games * (row.finished.mean or 0) for row in self.rows]
        return sum(sums) / self.finished if self.finished else None

    def drawn(self, participants: Collection[int] | None = None) -> list[ParticipantRow]:
        """Return the rows of these participants (keys; None means all), including ``card``."""
        rows = [
            row for row in self.rows if participants is None or row.participant.pk in participants
        ]
        games = [row.under_way for row in rows if row.under_way is not None]
        show = _format_turn if self.trial.masked else _format_turn_and_points
        cards = {played.game.pk: show(played) for played in replay_games(games)}
        return [
            replace(row, card=cards[row.under_way.pk]) if row.under_way else row for row in rows
        ]


def _format_turn_and_points(played: Played) -> str:
    points = played.state.total
    return f"{_format_turn(played)}, {points} point{'' if points == 1 else 's'}"


def _format_turn(played: Played) -> str:
    return f"turn {min(played.state.turn + 1, len(played.state.boxes))}"


def monitor(trial: Trial) -> Monitor:
    """Read the progress of all participants with four database queries (five with arms)."""
    arm_names = map_arm_names(trial) if trial.designed else None
    finished, playing = map_finished(trial), map_open_games(trial)
    now = timezone.now()
    everybody = trial.participants.select_related("arm").annotate(shared=query_shared_browser(now))
    return Monitor(
        trial,
        tuple(
            _make_row(
                trial,
                participant,
                finished.get(participant.pk, Finished()),
                playing.get(participant.pk),
                now,
                arm_names,
            )
            for participant in everybody.order_by("number")
        ),
        arm_names is not None,
    )


def _make_row(
    trial: Trial,
    participant: Participant,
    finished: Finished,
    game: Game | None,
    now: datetime,
    arm_names: Mapping[int, str] | None,
) -> ParticipantRow:
    moments = (participant.seen_at, finished.last_at, getattr(game, "last_at", None))
    last_at = max((moment for moment in moments if moment is not None), default=None)
    arm = (game.trial_game.arm if game else None) or participant.arm
    return ParticipantRow(
        participant=participant,
        trial=trial,
        finished=finished,
        under_way=game,
        state=_find_state(trial, participant, finished, last_at, now),
        since=format_ago(now - last_at) if last_at else "",
        designed=arm_names is not None,
        shared=participant.shared,  # type: ignore[attr-defined]
        arm=arm_names[arm.position] if arm and arm_names else "",
    )


def _find_state(
    trial: Trial,
    participant: Participant,
    finished: Finished,
    last_at: datetime | None,
    now: datetime,
) -> str:
    if participant.withdrawn_at is not None:
        return "withdrawn"
    if participant.consent_id is None or last_at is None:
        return "invited"
    if participant.screened_out_at is not None:
        return "screened_out"
    if finished.games >= (participant.planned or trial.games_planned):
        return "done"
    away = now - last_at > timedelta(minutes=trial.idle_minutes) or not trial.is_open
    return "away" if away else "playing"


def format_ago(passed: timedelta) -> str:
    minutes = int(passed.total_seconds()) // 60
    hours, days = minutes // 60, minutes // 60 // 24
    if minutes < 1:
        return "just now"
    if hours < 1:
        return f"{minutes} minute ago" if minutes == 1 else f"{minutes} minutes ago"
    if days < 2:
        return f"{hours} hour ago" if hours == 1 else f"{hours} hours ago"
    return f"{days} day ago" if days == 1 else f"{days} days ago"


TOGETHER = 0.2  # seconds; changes within this time are sent in one message
TOTALS = "totals"
TICK = 15.0  # seconds between full updates, which show absent people even if nobody moves


class TrialConsumer(Listener):
    """The web socket of a researcher who watches a trial; it sends only changed fragments."""

    page = "trial"

    async def connect(self) -> None:
        self.sent: dict[str, str] = {}
        self.changed: set[int] | None = (
            None  # participants whose rows must be sent; None means all participants
        )
        self.soon: asyncio.Task[None] | None = None
        await self.accept()
        try:
            trial = await database_sync_to_async(self.find)()
            await self.listen(name_trial_group(trial.pk))
            await self.show()
            self.run_in_background(self.send_updates())
        except NotShown as refused:
            await self.close(code=refused.code)

    async def disconnect(self, code: int) -> None:
        await self.unlisten()

    async def trial_changed(self, event: dict[str, Any]) -> None:
        if event["participant"] is None:
            self.changed = None
        elif self.changed is not None:
            self.changed.add(event["participant"])
        if self.soon is None or self.soon.done():
            self.soon = self.run_in_background(self.show_soon())

    async def send_updates(self) -> None:
        while True:
            await asyncio.sleep(TICK)
            self.changed = None
            await self.show()

    async def show_soon(self) -> None:
        """Send changes until none are left, including changes during the sending."""
        while self.changed is None or self.changed:
            await self.gather()
            await self.show()

    async def gather(self) -> None:
        await asyncio.sleep(TOGETHER)

    async def show(self) -> None:
        """Send each fragment of the page that differs from the fragment sent before."""
        changed, self.changed = self.changed, set()
        try:
            fragments = await database_sync_to_async(self.render)(changed)
        except NotShown as refused:
            await self.close(code=refused.code)
            return
        news = {name: html for name, html in fragments.items() if self.sent.get(name) != html}
        self.sent |= fragments
        # Send all table rows as one message, because a parser accepts no content before rows.
        totals = news.pop(TOTALS, "")
        for html in filter(None, (totals, "".join(news.values()))):
            await self.send(text_data=html)

    def find(self) -> Trial:
        user = self.find_researcher()
        slug = self.scope["url_route"]["kwargs"]["slug"]
        trial = Trial.objects.filter(slug=slug).first()
        if trial is None:
            raise NotShown(UNKNOWN)
        with turn_into_code():
            self.rights = check_trial(user, slug, TrialStaff.Role.VIEW)
        return trial

    def find_researcher(self) -> User:
        user = cast("User | AnonymousUser", self.scope["user"])
        researcher = User.objects.filter(pk=user.pk or 0, is_staff=True, is_active=True).first()
        if researcher is None:
            raise NotShown(FORBIDDEN)
        return researcher

    def render(self, changed: set[int] | None) -> dict[str, str]:
        request = make_page_request(cast(dict[str, Any], self.scope))
        with translation.override("en"):
            seen = monitor(self.find())
            request.rights = self.rights  # type: ignore[attr-defined]
            return _render_fragments(seen, changed, request)


def _render_fragments(
    seen: Monitor, changed: set[int] | None, request: HttpRequest
) -> dict[str, str]:
    def render(template: str, **context: object) -> str:
        context |= {"trial": seen.trial, "oob": True}
        return render_to_string(template, context, request=request)

    rows = {
        row.participant.label: render("trials/_monitor_row.html", row=row)
        for row in seen.drawn(changed)
    }
    return {TOTALS: render("trials/_monitor_totals.html", monitor=seen), **rows}
