"""The API's limits, per request and per client. Data that identifies clients is not stored on
disk."""

from contextlib import suppress
from time import time

from django.conf import settings
from django.http import HttpRequest

from game.api.api_refusals import TooLarge, TooMany
from game.models import Player
from game.pages.requests.limits import add_to_counter, list_clients

BODY = 1_000_000  # bytes
POSITIONS = 1000  # positions per request
WINDOW = 60  # seconds
# Every 200 positions, and every 200 kB of answers, count as one more request.
DEAR_POSITIONS, DEAR_BYTES = 200, 200_000


def count_request(request: HttpRequest, player: Player | None, cost: int = 1) -> None:
    """Count a request; raise TooMany if the client exceeds its requests per minute."""
    now = int(time())
    clients = list_clients(request, player)
    requests = max(
        add_to_counter(f"api:{client}:{now // WINDOW}", WINDOW, cost) for client in clients
    )
    if requests > settings.API_REQUESTS_A_MINUTE:
        wait = WINDOW - now % WINDOW
        raise TooMany(
            f"too many requests: send up to {settings.API_REQUESTS_A_MINUTE} per minute, each with"
            f" up to {POSITIONS} positions; every {DEAR_POSITIONS} positions, and every"
            f" {DEAR_BYTES:,} bytes of answers, count as another request; try again in {wait} s",
            headers={"Retry-After": str(wait)},
        )


def count_positions(request: HttpRequest, player: Player | None, many: int) -> None:
    if more := many // DEAR_POSITIONS:
        count_request(request, player, more)


def count_answer(request: HttpRequest, player: Player | None, size: int) -> None:
    """Count a long answer as several requests. If they exceed the limit, the next request fails."""
    if more := size // DEAR_BYTES:
        with suppress(TooMany):
            count_request(request, player, more)


def read_body(request: HttpRequest) -> bytes:
    announced = request.META.get("CONTENT_LENGTH") or "0"
    if announced.isdecimal() and int(announced) <= BODY:
        body = request.read(BODY + 1)
        if len(body) <= BODY:
            return body
    raise TooLarge(f"the body of a request can have up to {BODY:,} bytes")
