"""The limits of one request and of one client. Nothing that names a client is kept on a disk."""

from contextlib import suppress
from time import time

from django.conf import settings
from django.http import HttpRequest

from game.api.api_refusals import TooLarge, TooMany
from game.models import Player
from game.pages.requests.limits import clients_of, counted

BODY = 1_000_000  # bytes
POSITIONS = 1000  # in one request
WINDOW = 60  # seconds
# Each costs a processor about as much as a small request: so many positions answered, so many bytes
# of their answer.
DEAR_POSITIONS, DEAR_BYTES = 200, 200_000


def count_request(request: HttpRequest, player: Player | None, cost: int = 1) -> None:
    """Raise TooMany where this client has asked for more than its share of this minute."""
    now = int(time())
    clients = clients_of(request, player)
    requests = max(counted(f"api:{client}:{now // WINDOW}", WINDOW, cost) for client in clients)
    if requests > settings.API_REQUESTS_A_MINUTE:
        wait = WINDOW - now % WINDOW
        raise TooMany(
            f"{settings.API_REQUESTS_A_MINUTE} requests a minute are answered, and one may hold"
            f" {POSITIONS} positions; each {DEAR_POSITIONS} of them, and each {DEAR_BYTES:,} bytes"
            f" of answers, count as one request more; try again in {wait} s",
            headers={"Retry-After": str(wait)},
        )


def count_positions(request: HttpRequest, player: Player | None, many: int) -> None:
    if more := many // DEAR_POSITIONS:
        count_request(request, player, more)


def count_answer(request: HttpRequest, player: Player | None, size: int) -> None:
    """Count a long answer as further requests. The answer itself is still sent; the next request
    meets the limit."""
    if more := size // DEAR_BYTES:
        with suppress(TooMany):
            count_request(request, player, more)


def read_body(request: HttpRequest) -> bytes:
    announced = request.META.get("CONTENT_LENGTH") or "0"
    if announced.isdecimal() and int(announced) <= BODY:
        body = request.read(BODY + 1)
        if len(body) <= BODY:
            return body
    raise TooLarge(f"a request holds at most {BODY:,} bytes")
