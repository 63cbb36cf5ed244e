"""Signals: a service sends them without knowing which functions receive them."""

from django.db import transaction
from django.dispatch import Signal

from game.core.kind import find_kind
from game.models import Duel, Game

game_changed = Signal()
duel_changed = Signal()
# Sent inside the transaction: if a receiver of these two signals fails, nothing is stored.
player_goes = Signal()  # sent before a player is deleted
guest_joins = Signal()  # sent before the games of a guest move to an account


def announce(game: Game) -> None:
    announce_board(game)
    find_kind(game).notify_pages()


def announce_board(game: Game) -> None:
    """Announce that a game has changed, after the commit. A receiver's error does not undo it."""

    # This is a function, not a partial, because Django logs a failed hook by its __qualname__.
    def send() -> None:
        game_changed.send(sender=None, game_id=game.pk)

    transaction.on_commit(send, robust=True)


def announce_duel(duel: Duel) -> None:
    token = duel.token

    def send() -> None:
        duel_changed.send(sender=None, token=token)

    transaction.on_commit(send, robust=True)
