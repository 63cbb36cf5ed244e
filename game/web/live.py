"""Tells everyone who looks at a game that it has changed; each is then shown it as it is."""

import asyncio

from asgiref.sync import async_to_sync
from channels.layers import get_channel_layer

from game.services.events import duel_changed, game_changed, trial_changed
from game.web.bots import runners


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
        async_to_sync(layer.group_send)(group(game_id), {"type": "game.changed"})


def publish_trial(*, trial_id: int, participant_id: int | None, **_: object) -> None:
    """Of one participant; None where all of the trial may look different now."""
    layer = get_channel_layer()
    if layer is not None:
        event = {"type": "trial.changed", "participant": participant_id}
        async_to_sync(layer.group_send)(trial_group(trial_id), event)


def publish_duel(*, token: str, **_: object) -> None:
    """To everybody at the table and around it; a program may be to move now."""
    runners.wake(token)
    layer = get_channel_layer()
    if layer is None:
        return
    sending = layer.group_send(duel_group(token), {"type": "duel.changed"})
    if _sockets and _sockets[0].is_running():
        asyncio.run_coroutine_threadsafe(sending, _sockets[0])
    else:
        asyncio.run(sending)


# Where the sockets of this process live. A program moves in a thread of its own, and what it told a
# loop of its own would be found by theirs only when something else wakes them.
_sockets: list[asyncio.AbstractEventLoop] = []


def sockets_live_here() -> None:
    _sockets[:] = [asyncio.get_running_loop()]
