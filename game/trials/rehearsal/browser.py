"""A bot's browser, which sends the requests of a person's browser. A refusal is an error."""

from collections.abc import Collection, Mapping
from http import HTTPStatus
from itertools import count
from typing import Any

from django.conf import settings
from django.http import HttpResponse
from django.test import Client

HTMX = {"HX-Request": "true"}
WELL = (HTTPStatus.OK, HTTPStatus.FOUND)
_numbers = count(1)


class RehearsalFailed(Exception):
    """The error if a page answers a bot in a way in which it should not answer a person."""


class Browser:
    """A test client with an IP address of its own, because the site limits requests per address."""

    def __init__(self, who: str) -> None:
        self.who = who
        self._client = Client(
            HTTP_HOST=_choose_host(), REMOTE_ADDR=_make_ip_address(next(_numbers))
        )

    def get(self, address: str, answers: Collection[int] = WELL) -> HttpResponse:
        response = self._client.get(address, secure=settings.SECURE_SSL_REDIRECT)
        return self._check(address, response, answers)

    def post(
        self,
        address: str,
        data: Mapping[str, object] | None = None,
        answers: Collection[int] = WELL,
    ) -> HttpResponse:
        response = self._client.post(
            address, data or {}, headers=HTMX, secure=settings.SECURE_SSL_REDIRECT
        )
        return self._check(address, response, answers)

    def _check(self, address: str, response: Any, answers: Collection[int]) -> HttpResponse:
        if response.status_code not in answers:
            raise RehearsalFailed(f"{self.who}: {address} answered {response.status_code}")
        answered: HttpResponse = response
        return answered


def _choose_host() -> str:
    names = [name.lstrip(".") for name in settings.ALLOWED_HOSTS if name != "*"]
    return names[0] if names and "localhost" not in names else "localhost"


def _make_ip_address(number: int) -> str:
    return f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"
