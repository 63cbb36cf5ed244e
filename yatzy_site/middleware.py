from collections.abc import Callable, MutableMapping
from typing import Any, cast

from django.conf import settings
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, HttpResponse

from game.api.api_refusals import WrongType
from game.pages.requests.troubles import TooLate
from yatzy_site.gate import LATE

POLICY = "; ".join(
    (
        "default-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "object-src 'none'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    )
)

# A worker goes by the policy that its script came with: this one may compile WebAssembly, and no
# page nor any other script may.
COMPILES = POLICY + "; script-src 'self' 'wasm-unsafe-eval'"
COMPILER = "js/pocket."  # with or without a hash in its name


def content_security_policy(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Everything from this server, nothing inline, nobody frames the page."""

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        compiles = request.path.startswith(settings.STATIC_URL + COMPILER)
        response.headers.setdefault("Content-Security-Policy", COMPILES if compiles else POLICY)
        return response

    return middleware


def views_named(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """For the figures, which are taken outside: which view an address led to."""

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        if isinstance(request, ASGIRequest) and request.resolver_match is not None:
            scope = cast(MutableMapping[str, Any], request.scope)
            scope["view"] = request.resolver_match.view_name
        return response

    return middleware


def in_time(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Innermost: who has waited before the gate for too long is told so, and nothing is begun."""

    def middleware(request: HttpRequest) -> HttpResponse:
        if isinstance(request, ASGIRequest) and request.scope.get("threads") == LATE:
            raise TooLate
        return get_response(request)

    return middleware


API = "/api/"
NOT_UTF_8 = "A form is sent in UTF-8."
FORMS = {"application/x-www-form-urlencoded", "multipart/form-data"}


def forms_in_utf_8(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Our pages send nothing else, and Django's parser fails at what is wider than a byte."""

    def middleware(request: HttpRequest) -> HttpResponse:
        charset = (request.content_params or {}).get("charset", "utf-8").lower()
        is_form = request.method == "POST" and request.content_type in FORMS
        if not is_form or charset in {"utf-8", "utf8", "us-ascii"}:
            return get_response(request)
        if request.path.startswith(API):
            return WrongType(NOT_UTF_8).response()
        return HttpResponse(NOT_UTF_8, "text/plain", status=415)

    return middleware
