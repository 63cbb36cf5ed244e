"""Tells everyone who looks at a game that it has changed; each is then shown it as it is."""

from asgiref.sync import async_to_sync
from channels.layers import get_channel_layer

from game.services.events import game_changed


def group(game_id: str) -> str:
    return f"game.{game_id}"


def listen() -> None:
    game_changed.connect(publish, dispatch_uid="game.live")


def publish(*, game_id: str, **_: object) -> None:
    """The push carries no board: owner and watchers see different ones, each in their language."""
    layer = get_channel_layer()
    if layer is not None:
        async_to_sync(layer.group_send)(group(game_id), {"type": "game.changed"})
