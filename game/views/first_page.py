"""The page of whoever comes for the first time: drawn once for what it shows.

A link that many follow at once is answered with it. Nothing is known of such a visitor but the
language; what is theirs alone is put into its place: the token of their forms, the name of their
tab, and the ticket of their dice with its seal.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import get_token
from django.template.loader import render_to_string
from django.urls import get_script_prefix, resolve
from django.utils.translation import get_language

from game.board.showing import board_new
from game.coach.blinding import closed_note
from game.fair import tickets
from game.web.live import tab_of_page
from solver.rules import Ruleset

TOKEN, TAB = "the-token-of-this-visitor", "the-tab-of-this-visitor"
NONCE, SEAL = "the-ticket-of-this-visitor", "the-seal-of-this-visitor"
MOST = 64  # pages, of 20 kB


def first_page(request: HttpRequest, rules: Ruleset | None, coach: str) -> HttpResponse:
    """For a request without a cookie."""
    ticket = tickets.issue()
    page = _draw()(get_language(), get_script_prefix(), rules, coach, closed_note())
    own = {
        TOKEN: get_token(request),
        TAB: tab_of_page(request),
        NONCE: ticket.signed,
        SEAL: ticket.commitment,
    }
    for place, what in own.items():
        page = page.replace(place, what)
    return HttpResponse(page)


def _draw() -> Callable[..., str]:
    """Whoever changes templates sees what comes of it."""
    return _drawn.__wrapped__ if settings.DEBUG else _drawn


@lru_cache(maxsize=MOST)
def _drawn(language: str, prefix: str, rules: Ruleset | None, coach: str, closed: str) -> str:
    """``prefix`` is what the site lies under, and part of every address in it."""
    card = board_new(None, rules=rules, coach=coach, newcomer=True)
    board = replace(card, nonce=NONCE, commitment=SEAL)
    context = {"board": board, "csrf_token": TOKEN, "tab": TAB}
    return render_to_string("game/play.html", context, request=_nobody())


def _nobody() -> HttpRequest:
    request = HttpRequest()
    request.user = AnonymousUser()
    request.resolver_match = resolve("/")
    return request
