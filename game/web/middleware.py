from collections.abc import Callable
from typing import cast

from django.http import HttpRequest, HttpResponse
from django.utils.cache import add_never_cache_headers

from game.coach.closing import Asking, browser
from game.web.audiences import PAGES
from game.web.live import moving, tab_of
from game.web.visitors import MARK_COOKIE, PlayRequest, Visitor


def visitors(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Names the visitor, and writes the cookie that the request left behind."""

    def middleware(request: HttpRequest) -> HttpResponse:
        moving.set(tab_of(request.headers.get("X-Tab", "")))
        visitor = cast(PlayRequest, request).visitor = Visitor(request)
        asking = browser.set(Asking(request.COOKIES.get(MARK_COOKIE, "")))
        try:
            response = get_response(request)
        finally:
            browser.reset(asking)
        visitor.settle(response)
        return response

    return middleware


class Audiences:
    """A page is shown to those whom its row names."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(self, request: PlayRequest, *_: object) -> HttpResponse | None:
        found = request.resolver_match
        audience = PAGES.get(found.view_name) if found else None
        refused = audience(request) if audience else None
        if refused:
            add_never_cache_headers(refused)
        return refused
