"""The middleware of every request: finds its visitor, checks permissions, adds template data."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, partial
from typing import cast
from zoneinfo import ZoneInfo, available_timezones

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.cache import add_never_cache_headers
from django.utils.functional import SimpleLazyObject

from game.coach.waiting import request_one_table
from game.core.access import Blinded
from game.core.coach_lock import CurrentBrowser, browser, is_closed_here
from game.core.studies import get_studies
from game.core.words.speech import TABLE
from game.core.words.times import COOKIE as ZONE
from game.core.worth.tables import NoCoach, note_damaged_table
from game.models import Player
from game.pages.requests.audiences import PAGES, is_closed_within, may_solve
from game.pages.requests.live import find_tab, moving, parse_tab
from game.pages.requests.visitors import MARK_COOKIE, PlayRequest, Visitor
from solver.rules import Ruleset
from solver.tables import TableError

SECONDS = 2  # after this number of seconds, a page repeats its request


class Visitors:
    """Finds the visitor, checks whether the visitor may see the page, and sets cookies."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        moving.set(parse_tab(request.headers.get("X-Tab", "")))
        visitor = cast(PlayRequest, request).visitor = Visitor(request)
        asking = browser.set(CurrentBrowser(request.COOKIES.get(MARK_COOKIE, "")))
        try:
            with use_time_zone(request.COOKIES.get(ZONE, "")):
                response = self.get_response(request)
        finally:
            browser.reset(asking)
        visitor.set_cookies(response)
        return response

    def process_view(self, request: PlayRequest, *_: object) -> HttpResponse | None:
        """Refuse visitors who may not see the page. Participants see no page outside their trial;
        for them, redirect the first page to the trial's page. Staff pages stay open."""
        page = request.resolver_match.view_name if request.resolver_match else ""
        audience = PAGES.get(page)
        refused: HttpResponse | None = None
        if audience and is_closed_within(page) and request.visitor.frame:
            if page != "play":
                raise Blinded
            refused = redirect("take_part")
        elif audience:
            refused = audience(request)
        if refused:
            add_never_cache_headers(refused)
        return refused

    def process_exception(self, request: PlayRequest, error: Exception) -> HttpResponse | None:
        """Show a page if a table is missing or damaged. Return None for other errors."""
        if isinstance(error, NoCoach):
            return show_missing_table(request, error.rules)
        if not isinstance(error, TableError):
            return None
        rules = note_damaged_table(error)
        return show_missing_table(request, rules) if rules else None


def show_missing_table(request: PlayRequest, rules: Ruleset) -> HttpResponse:
    wait = request_one_table(rules)
    status = 202 if wait.expected else 503
    response = render(request, "coach/silent.html", {"waiting": wait}, status=status)
    response["Retry-After"] = str(SECONDS)
    return response


def visitor(request: HttpRequest) -> dict[str, object]:
    current: Visitor | None = getattr(request, "visitor", None)
    player = current.player if current else None
    participant = current.participant if current else None
    least = TABLE["read_out"][player.read_out if player else Player.ReadOut.ALL]
    return {
        "player": player,
        "participant": participant,
        "frame": current.frame if current else None,
        "tab": find_tab(request),
        "way": SimpleLazyObject(partial(_find_menu_entry, request)),
        "blind": SimpleLazyObject(partial(_is_blind, current)),
        # whether this browser has solved a ruleset (js/shelf.js) and may use the result
        "solved": SimpleLazyObject(
            lambda: bool(request.COOKIES.get("solved")) and may_solve(cast(PlayRequest, request))
        ),
        "awaited": SimpleLazyObject(lambda: current.awaited if current else []),
        "theme": player.theme if player else Player.Theme.AUTO.value,
        "quiet": " ".join(event for event, weight in TABLE["events"].items() if weight < least),
    }


# The pages of the five menu entries. ``_find_menu_entry`` adds those of drill and account.
WAYS = {
    "play": {"play", "game", "game_verify", "watch", "game_start"},
    "daily": {"daily", "day_result", "leaders", "nickname"},
    "duels": {"duels", "duel", "duel_below_list", "party", "party_new", "reminders"},
    "learn": {"learn_hub", "five", "lessons", "lists", "position_list", "explore"},
    "you": {"you", "archive", "export", "settings", "login", "signup"},
}


def _find_menu_entry(request: HttpRequest) -> str:
    name = request.resolver_match.url_name if request.resolver_match else ""
    if name and name.startswith(("drill", "account")):
        return "learn" if name.startswith("drill") else "you"
    return next((way for way, pages in WAYS.items() if name in pages), "")


def _is_blind(visitor: Visitor | None) -> bool:
    """Return whether a trial hides the coach and all pages for practice from this reader."""
    if visitor is None:
        return False
    if visitor.frame:
        return True
    player = visitor.player if visitor.participant is not None else None
    return (player is not None and get_studies().include(player)) or is_closed_here()


@contextmanager
def use_time_zone(zone: str) -> Iterator[None]:
    """Use the cookie's time zone inside the block; ignore an unknown zone."""
    with timezone.override(ZoneInfo(zone) if zone in _list_time_zones() else None):
        yield


@cache
def _list_time_zones() -> frozenset[str]:
    """Return the names of all time zones (cached, because the system's files are slow to read)."""
    return frozenset(available_timezones())
