"""The current state of a duel, for a page or a socket."""

from collections.abc import Iterable
from contextlib import suppress
from typing import Any

from django.core.cache import cache
from django.utils import timezone
from redis.exceptions import RedisError

from game.core.access import check_may_play
from game.duels.duel_board import DuelView, Onlooker, build_challenge_view, build_duel_view
from game.duels.duel_bots import runners
from game.duels.duel_ends import NoSuchDuel, settle_duel
from game.duels.duel_queries import find_duel, list_seats, load_standing
from game.models import DuelSeat, Player

REMEMBERED = 45  # seconds; three times the pause between two updates of a page


def mark_seat_absent(seat: DuelSeat, token: str) -> None:
    with suppress(RedisError):
        cache.delete(_make_key(token, seat.number))


def find_present_seats(token: str, seats: Iterable[DuelSeat]) -> set[int]:
    """Return the numbers of the seats whose players have the page open; empty without Redis."""
    keys = {_make_key(token, seat.number): seat.number for seat in seats}
    with suppress(RedisError):
        return {keys[key] for key in cache.get_many(keys)}
    return set()


def _make_key(token: str, number: int) -> str:
    return f"duel.{token}.{number}"


def view_duel(token: str, player: Player | None, **notes: Any) -> DuelView:
    """Remove late players, wake the duel's bots, and return the duel as this viewer sees it."""
    check_may_play(player)
    duel = find_duel(token)
    if duel is None:
        raise NoSuchDuel
    if duel.state == "running":
        rounds, now = load_standing(duel).rounds, timezone.now()
        deadline = rounds.find_next_deadline()
        if rounds.over or (deadline is not None and deadline[0] <= now):
            settle_duel(token=token)
            duel = find_duel(token) or duel
    if duel.state == "running":
        runners.wake_bots(token)
    seats = list_seats(duel)
    for seat in seats:
        if player is not None and seat.player_id == player.pk:
            with suppress(RedisError):
                cache.set(_make_key(duel.token, seat.number), True, REMEMBERED)
    here = find_present_seats(duel.token, seats)
    if duel.started_at is None:
        return build_challenge_view(duel, seats, player, here)
    onlooker = Onlooker(player, timezone.now(), here, **notes)
    return build_duel_view(load_standing(duel), onlooker)
