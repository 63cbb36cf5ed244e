"""Tells everyone who looks at a game that it has changed; each is then shown it as it is."""

import re
import secrets
from contextvars import ContextVar

from channels.layers import get_channel_layer
from django.http import HttpRequest

from game.services.events import duel_changed, game_changed, trial_changed
from game.web.bots import runners
from game.web.posting import post

TAB = re.compile(r"[\w-]{1,32}")

# The tab whose request is being answered: it has the board in its answer, and needs no push.
moving: ContextVar[str] = ContextVar("moving", default="")


def tab_of(text: str) -> str:
    """Nothing where a browser says something else."""
    return text if TAB.fullmatch(text) else ""


def tab_of_page(request: HttpRequest) -> str:
    """As the page calls itself that asks, or a new name for one that is to be."""
    return tab_of(request.headers.get("X-Tab", "")) or secrets.token_urlsafe(6)


def group(game_id: str) -> str:
    return f"game.{game_id}"


def trial_group(trial_id: int) -> str:
    return f"trial.{trial_id}"


def duel_group(token: str) -> str:
    return f"duel.{token}"


def listen() -> None:
    game_changed.connect(publish, dispatch_uid="game.web.live")
    trial_changed.connect(publish_trial, dispatch_uid="game.web.live.trial")
    duel_changed.connect(publish_duel, dispatch_uid="game.web.live.duel")


def publish(*, game_id: str, **_: object) -> None:
    """The push carries no board: owner and watchers see different ones, each in their language."""
    layer = get_channel_layer()
    if layer is not None:
        post(layer, group(game_id), _changed())


def _changed() -> dict[str, str]:
    """Whoever sees the same board in the same language is shown one ``news`` by one rendering."""
    return {"type": "game.changed", "tab": moving.get(), "news": secrets.token_hex(8)}


def publish_trial(*, trial_id: int, participant_id: int | None, **_: object) -> None:
    """Of one participant; None where all of the trial may look different now."""
    layer = get_channel_layer()
    if layer is not None:
        event = {"type": "trial.changed", "participant": participant_id}
        post(layer, trial_group(trial_id), event)


def publish_duel(*, token: str, **_: object) -> None:
    """To everybody at the table and around it; a program may be to move now."""
    runners.wake(token)
    layer = get_channel_layer()
    if layer is not None:
        post(layer, duel_group(token), {"type": "duel.changed"})
