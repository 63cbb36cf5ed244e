from collections.abc import Callable
from typing import cast

from django.http import HttpRequest, HttpResponse

from game.coach.closing import Asking, browser
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
