"""Who looks at a duel just now. It is forgotten by itself, and nothing depends on it.

Where the cache is away nobody is there: the duel goes on.
"""

from collections.abc import Iterable
from contextlib import suppress

from django.core.cache import cache
from redis.exceptions import RedisError

from game.models import DuelSeat

REMEMBERED = 45  # seconds: three times as long as a page stays silent


def come(seat: DuelSeat, token: str) -> None:
    with suppress(RedisError):
        cache.set(_key(token, seat.number), True, REMEMBERED)


def go(seat: DuelSeat, token: str) -> None:
    with suppress(RedisError):
        cache.delete(_key(token, seat.number))


def present(token: str, seats: Iterable[DuelSeat]) -> set[int]:
    """The numbers of the seats whose player is there."""
    keys = {_key(token, seat.number): seat.number for seat in seats}
    with suppress(RedisError):
        return {keys[key] for key in cache.get_many(keys)}
    return set()


def _key(token: str, number: int) -> str:
    return f"duel.{token}.{number}"
