"""At most 13 queries, and a bounded work, for every page and every action."""

import statistics
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from django.core.handlers.base import BaseHandler
from django.db import connection
from django.http import HttpRequest, HttpResponseBase
from django.template import Template
from django.test import RequestFactory
from django.test.utils import CaptureQueriesContext

from game.models import Game
from tests.play import BOXES, HTMX, Browser

QUERIES = 13
PAGE, ACTION = 27_000, 8_700  # calls: a little more than it is
PASSWORD = "five sixes at once"


@pytest.fixture
def account(browser: Browser) -> Browser:
    """The most that a page has to look up: a session, a user, a player."""
    data = {"username": "anna", "password1": PASSWORD, "password2": PASSWORD}
    browser.post("/account/signup/", data)
    return browser


def queries(work: Callable[[], object]) -> int:
    with CaptureQueriesContext(connection) as captured:
        work()
    return len(captured)


def test_no_action_asks_the_database_too_often(account: Browser) -> None:
    nonce = account.nonce("/daily/")
    asked = {"start": queries(lambda: account.start(mode="daily", nonce=nonce))}
    game = Game.objects.get()
    asked["hold"] = queries(lambda: account.act(game, "hold", seq=1))
    asked["score"] = queries(lambda: account.act(game, "score", seq=2, category="ones"))
    asked["stale"] = queries(lambda: account.act(game, "hold", seq=1, slot=[1]))
    seq = 3
    for box in BOXES[1:]:
        account.act(game, "hold", seq=seq)
        score: dict[str, Any] = {"seq": seq + 1, "category": box}
        asked["last"] = queries(partial(account.act, game, "score", **score))
        seq += 2
    game.refresh_from_db()
    assert game.finished_at
    assert {what: number for what, number in asked.items() if number > QUERIES} == {}


# Work, through every middleware, as the server calls it: calls are counted, for a clock would tell
# how busy the machine is. `make load` and `python -m tests.browser.measure` have the times.


@pytest.fixture
def work_of(browser: Browser, monkeypatch: pytest.MonkeyPatch) -> Callable[..., int]:
    monkeypatch.setattr(Template, "_render", lambda self, context: self.nodelist.render(context))
    handler = BaseHandler()
    handler.load_middleware()
    factory = RequestFactory()

    def counted(method: str, url: str, data: dict[str, object] | None = None) -> int:
        request: HttpRequest = getattr(factory, method)(url, data, headers=HTMX if data else None)
        request.COOKIES = {name: morsel.value for name, morsel in browser.cookies.items()}
        request._dont_enforce_csrf_checks = True  # type: ignore[attr-defined]
        response, calls = calls_of(lambda: handler.get_response(request))
        assert response.status_code == 200
        return calls

    return counted


def calls_of(work: Callable[[], HttpResponseBase]) -> tuple[HttpResponseBase, int]:
    calls = 0

    def called(frame: object, event: str, arg: object) -> None:
        nonlocal calls
        calls += event == "call"

    before = sys.getprofile()
    sys.setprofile(called)
    try:
        response = work()
    finally:
        sys.setprofile(before)
    return response, calls


def test_no_action_is_much_work(browser: Browser, work_of: Callable[..., int]) -> None:
    game, seq, calls = browser.start(), 1, []
    for number, box in enumerate(BOXES):
        if number:
            calls.append(work_of("post", f"/games/{game.pk}/hold", {"seq": seq}))
            seq += 1
        data = {"seq": seq, "category": box, "confirmed": "1"}
        calls.append(work_of("post", f"/games/{game.pk}/score", data))
        seq += 1
    assert statistics.median(calls) <= ACTION, sorted(calls)
