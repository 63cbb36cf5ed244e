"""Keeps duels correct when a player is deleted or joins an account, and maintains
``Player.in_duels``.

``in_duels`` is True if a player has a seat in a duel with other people. Every page reads the
player, so most pages need no query of duels.
"""

from collections.abc import Collection
from typing import Any

from django.db.models import Exists, OuterRef, QuerySet
from django.db.models.signals import post_save

from game.core.duel_awaited_queries import query_seats_with_people
from game.core.events import guest_joins, player_goes
from game.core.refusals import Refused
from game.duels.duel_ends import leave_duel
from game.models import Duel, DuelSeat, Player

# The columns of a duel that change when it begins or ends.
STATE_COLUMNS = {"started_at", "finished_at", "withdrawn_at"}


def listen() -> None:
    post_save.connect(_note_saved_duel, sender=Duel, dispatch_uid="game.duels.duel_sitting")
    player_goes.connect(_leave_all, dispatch_uid="game.duels.duel_sitting.goes")
    guest_joins.connect(_move_seats, dispatch_uid="game.duels.duel_sitting.joins")


def _note_saved_duel(
    *, instance: Duel, created: bool, update_fields: Collection[str] | None, **_: Any
) -> None:
    if not created and (update_fields is None or STATE_COLUMNS & set(update_fields)):
        _note_sitting(Player.objects.filter(seats__duel=instance, bot=""))


def _note_sitting(players: QuerySet[Player]) -> None:
    sits = query_seats_with_people().filter(player=OuterRef("pk"))
    players.update(in_duels=Exists(sits))


def _leave_all(*, player: Player, **_: Any) -> None:
    """Leave every duel, so that no opponent waits for a player who is deleted."""
    for token in _open_duels_of(player):
        _leave(token, player)


def _move_seats(*, guest: Player, account: Player, **_: Any) -> None:
    """Give the guest's duels to the account. If both play in one duel, the guest leaves it."""
    for token in _open_duels_of(guest) & _open_duels_of(account):
        _leave(token, guest)
    taken = DuelSeat.objects.filter(player=account, duel=OuterRef("duel"))
    DuelSeat.objects.filter(~Exists(taken), player=guest).update(player=account)
    _note_sitting(Player.objects.filter(pk=account.pk))


def _open_duels_of(player: Player) -> set[str]:
    duels = Duel.objects.filter(
        seats__player=player, seats__left_at=None, finished_at=None, withdrawn_at=None
    )
    return set(duels.values_list("token", flat=True))


def _leave(token: str, player: Player) -> None:
    try:
        leave_duel(token=token, player=player)
    except Refused:  # the game is finished, so there is nothing to give up
        return
