"""At most 12 queries and 15 ms of the server for every page and every action."""

import statistics
import time
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
from tests.game.conftest import BOXES, HTMX, Browser, play_through

QUERIES = 12
MILLISECONDS = 15.0
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


def test_no_page_asks_the_database_too_often(account: Browser) -> None:
    for mode in ("daily", "solo"):
        over = play_through(account, account.start(mode=mode))
    game = account.start()
    urls = ["/", "/daily/", "/history/", "/history/export", "/rules/", "/fair/", "/settings/"]
    urls += ["/account/delete/", f"/watch/{game.share_token}/"]
    for one in (game, over):
        urls += [f"/games/{one.pk}/", f"/games/{one.pk}/verify"]
    asked = {url: queries(partial(account.get, url)) for url in urls}
    assert {url: number for url, number in asked.items() if number > QUERIES} == {}


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


# Time, through every middleware, as the server calls it


@pytest.fixture
def answer(browser: Browser, monkeypatch: pytest.MonkeyPatch) -> Callable[..., float]:
    """Milliseconds for one request, without what the test client adds to templates.

    Of this thread's own work, for other tests keep the cores busy; SQLite works in this thread.
    """
    monkeypatch.setattr(Template, "_render", lambda self, context: self.nodelist.render(context))
    handler = BaseHandler()
    handler.load_middleware()
    factory = RequestFactory()

    def timed(method: str, url: str, data: dict[str, object] | None = None) -> float:
        request: HttpRequest = getattr(factory, method)(url, data, headers=HTMX if data else None)
        request.COOKIES = {name: morsel.value for name, morsel in browser.cookies.items()}
        request._dont_enforce_csrf_checks = True  # type: ignore[attr-defined]
        began = time.thread_time()
        response: HttpResponseBase = handler.get_response(request)
        taken = (time.thread_time() - began) * 1000
        assert response.status_code == 200
        return taken

    return timed


def best_median(times: Callable[[], list[float]], rounds: int = 5) -> float:
    """The median of the quietest moment: a shared core is slow as well as busy."""
    best = statistics.median(times())
    for _ in range(rounds):
        if best <= MILLISECONDS / 2:
            break
        best = min(best, statistics.median(times()))
    return best


def test_the_play_page_is_answered_in_time(browser: Browser, answer: Callable[..., float]) -> None:
    def times(url: str) -> list[float]:
        return [answer("get", url) for _ in range(15)]

    game = browser.start()
    for url in ("/", f"/games/{game.pk}/", f"/watch/{game.share_token}/", "/daily/", "/history/"):
        answer("get", url)
        assert best_median(partial(times, url)) <= MILLISECONDS


def test_actions_are_answered_in_time(browser: Browser, answer: Callable[..., float]) -> None:
    def whole_game() -> list[float]:
        Game.objects.all().delete()
        game, seq, times = browser.start(), 1, []
        for number, box in enumerate(BOXES):
            if number:
                times.append(answer("post", f"/games/{game.pk}/hold", {"seq": seq}))
                seq += 1
            data = {"seq": seq, "category": box}
            times.append(answer("post", f"/games/{game.pk}/score", data))
            seq += 1
        return times

    assert best_median(whole_game) <= MILLISECONDS
