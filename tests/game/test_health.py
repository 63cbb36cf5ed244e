"""What a proxy or a supervisor asks before it sends people here."""

from typing import Any

import pytest
from django.db import DatabaseError, connection
from django.test import Client

pytestmark = pytest.mark.django_db


def test_a_server_that_works_says_so() -> None:
    answer = Client().get("/healthz")
    assert (answer.status_code, answer.json()) == (200, {"ok": True, "database": True})


def test_a_server_whose_database_is_away_says_that(monkeypatch: pytest.MonkeyPatch) -> None:
    def away() -> None:
        raise DatabaseError("nobody answers")

    monkeypatch.setattr(connection, "cursor", away)
    answer = Client().get("/healthz")
    assert (answer.status_code, answer.json()) == (503, {"ok": False, "database": False})


@pytest.mark.parametrize("path", ["/livez", "/healthz", "/readyz"])
def test_whoever_asks_on_the_machine_itself_needs_no_https(path: str, settings: Any) -> None:
    settings.SECURE_SSL_REDIRECT = True
    assert Client().get(path).status_code == 200
    assert Client().get("/").status_code == 301
