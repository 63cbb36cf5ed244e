"""What one request and one client may ask for. Nothing that names a client is kept on a disk."""

from time import time

from django.conf import settings
from django.core.cache import cache
from django.http import HttpRequest
from django.utils.crypto import salted_hmac

from game.api.refusals import TooLarge, TooMany
from game.models import Player

BODY = 1_000_000  # bytes
POSITIONS = 1000  # in one request
WINDOW = 60  # seconds


def count_request(request: HttpRequest, player: Player | None) -> None:
    now = int(time())
    if _counted(f"api:{_client(request, player)}:{now // WINDOW}") > settings.API_REQUESTS_A_MINUTE:
        wait = WINDOW - now % WINDOW
        raise TooMany(
            f"{settings.API_REQUESTS_A_MINUTE} requests a minute are answered, and one may hold"
            f" {POSITIONS} positions; try again in {wait} s",
            headers={"Retry-After": str(wait)},
        )


def _counted(key: str) -> int:
    """How often this key was counted in its window."""
    if cache.add(key, 1, timeout=WINDOW):
        return 1
    try:
        return cache.incr(key)
    except ValueError:  # a full cache has dropped it meanwhile
        return 1


def _client(request: HttpRequest, player: Player | None) -> str:
    """A player by number, anybody else by a hash of the address that only this site can make."""
    if player is not None:
        return f"player-{player.pk}"
    address = request.META.get("REMOTE_ADDR", "")
    return salted_hmac("game.api.client", address, algorithm="sha256").hexdigest()


def read_body(request: HttpRequest) -> bytes:
    announced = request.META.get("CONTENT_LENGTH") or "0"
    if announced.isdecimal() and int(announced) <= BODY:
        body = request.read(BODY + 1)
        if len(body) <= BODY:
            return body
    raise TooLarge(f"a request holds at most {BODY:,} bytes")
