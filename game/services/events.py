"""What services tell others; who listens is none of their business."""

from django.db import transaction
from django.dispatch import Signal

game_changed = Signal()


def announce(game_id: str) -> None:
    """Once the change is committed. A listener that fails takes nothing back."""

    # A function, not a partial: Django names a robust hook that failed by its __qualname__.
    def tell() -> None:
        game_changed.send(sender=None, game_id=game_id)

    transaction.on_commit(tell, robust=True)
