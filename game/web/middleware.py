from collections.abc import Callable
from typing import cast

from django.http import HttpRequest, HttpResponse

from game.web.visitors import PlayRequest, Visitor


def visitors(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Names the visitor, and writes the cookie that the request left behind."""

    def middleware(request: HttpRequest) -> HttpResponse:
        visitor = cast(PlayRequest, request).visitor = Visitor(request)
        response = get_response(request)
        visitor.settle(response)
        return response

    return middleware
