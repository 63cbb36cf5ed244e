"""Who looks at a duel just now. It is forgotten by itself, and nothing depends on it."""

from collections.abc import Iterable

from django.core.cache import cache

from game.models import DuelSeat

REMEMBERED = 45  # seconds: three times as long as a page stays silent


def come(seat: DuelSeat, token: str) -> None:
    cache.set(_key(token, seat.number), True, REMEMBERED)


def go(seat: DuelSeat, token: str) -> None:
    cache.delete(_key(token, seat.number))


def present(token: str, seats: Iterable[DuelSeat]) -> set[int]:
    """The numbers of the seats whose player is there."""
    keys = {_key(token, seat.number): seat.number for seat in seats}
    return {keys[key] for key in cache.get_many(keys)}


def _key(token: str, number: int) -> str:
    return f"duel.{token}.{number}"
