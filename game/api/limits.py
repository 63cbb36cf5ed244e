"""What one request and one client may ask for. Nothing that names a client is kept on a disk."""

from time import time

from django.conf import settings
from django.http import HttpRequest

from game.api.refusals import TooLarge, TooMany
from game.models import Player
from game.web.limits import clients_of, counted

BODY = 1_000_000  # bytes
POSITIONS = 1000  # in one request
WINDOW = 60  # seconds


def count_request(request: HttpRequest, player: Player | None) -> None:
    now = int(time())
    clients = clients_of(request, player)
    asked = max(counted(f"api:{client}:{now // WINDOW}", WINDOW) for client in clients)
    if asked > settings.API_REQUESTS_A_MINUTE:
        wait = WINDOW - now % WINDOW
        raise TooMany(
            f"{settings.API_REQUESTS_A_MINUTE} requests a minute are answered, and one may hold"
            f" {POSITIONS} positions; try again in {wait} s",
            headers={"Retry-After": str(wait)},
        )


def read_body(request: HttpRequest) -> bytes:
    announced = request.META.get("CONTENT_LENGTH") or "0"
    if announced.isdecimal() and int(announced) <= BODY:
        body = request.read(BODY + 1)
        if len(body) <= BODY:
            return body
    raise TooLarge(f"a request holds at most {BODY:,} bytes")
