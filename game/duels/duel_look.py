"""The present state of a duel, for a page or a socket."""

from collections.abc import Iterable
from contextlib import suppress
from typing import Any

from django.core.cache import cache
from django.utils import timezone
from redis.exceptions import RedisError

from game.core.refusals import InTrial
from game.core.studies import studies
from game.duels.duel_board import DuelView, Onlooker, challenge_view, duel_view
from game.duels.duel_bot_threads import runners
from game.duels.duel_ends import NoSuchDuel, duel_settle
from game.duels.duel_queries import duel_of_token, seats_of, standing
from game.models import Duel, DuelSeat, Player

REMEMBERED = 45  # seconds: three times the pause between two updates of a page


def seat_come(seat: DuelSeat, token: str) -> None:
    with suppress(RedisError):
        cache.set(_key(token, seat.number), True, REMEMBERED)


def seat_go(seat: DuelSeat, token: str) -> None:
    with suppress(RedisError):
        cache.delete(_key(token, seat.number))


def seats_present(token: str, seats: Iterable[DuelSeat]) -> set[int]:
    """Return the numbers of the seats whose player is present."""
    keys = {_key(token, seat.number): seat.number for seat in seats}
    with suppress(RedisError):
        return {keys[key] for key in cache.get_many(keys)}
    return set()


def _key(token: str, number: int) -> str:
    return f"duel.{token}.{number}"


def view_duel(token: str, player: Player | None, **notes: Any) -> DuelView:
    """Return this viewer's view of the duel, after removing late players and waking its bots."""
    if player is not None and studies().include(player):
        raise InTrial
    duel = duel_of_token(token)
    if duel is None:
        raise NoSuchDuel
    if duel.state == "running" and standing(duel).due(timezone.now()):
        duel_settle(token=token)
        duel = duel_of_token(token) or duel
    if duel.state == "running":
        runners.wake(token)
    return _shown(duel, player, notes)


def _shown(duel: Duel, player: Player | None, notes: dict[str, Any]) -> DuelView:
    seats = seats_of(duel)
    _note_presence(seats, duel, player)
    here = seats_present(duel.token, seats)
    if duel.started_at is None:
        return challenge_view(duel, seats, player, here)
    onlooker = Onlooker(player, timezone.now(), here, **notes)
    return duel_view(standing(duel), onlooker)


def _note_presence(seats: list[DuelSeat], duel: Duel, player: Player | None) -> None:
    for seat in seats:
        if player is not None and seat.player_id == player.pk:
            seat_come(seat, duel.token)
