"""What services tell others; who listens is none of their business."""

from functools import partial

from django.db import transaction
from django.dispatch import Signal

game_changed = Signal()


def announce(game_id: str) -> None:
    """Once the change is committed. A listener that fails takes nothing back."""
    transaction.on_commit(partial(game_changed.send, sender=None, game_id=game_id), robust=True)
