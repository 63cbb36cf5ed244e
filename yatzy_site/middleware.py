from collections.abc import Callable, MutableMapping
from typing import Any, cast

from django.conf import settings
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, HttpResponse

from game.api.api_refusals import ApiRefusal, WrongType
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

# A web worker gets the policy of its script's response. Only this script may compile WebAssembly.
COMPILES = POLICY + "; script-src 'self' 'wasm-unsafe-eval'"
COMPILER = "js/pocket."  # the start of its file name, with or without a hash
View = Callable[[HttpRequest], HttpResponse]


def add_security_policy(get_response: View) -> View:
    """Add a policy that allows only content from this server, no inline code, and no frames."""

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        compiles = request.path.startswith(settings.STATIC_URL + COMPILER)
        response.headers.setdefault("Content-Security-Policy", COMPILES if compiles else POLICY)
        return response

    return middleware


def store_view_name(get_response: View) -> View:
    """Store the view's name in the request's scope, for the metrics."""

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        if isinstance(request, ASGIRequest) and request.resolver_match is not None:
            scope = cast(MutableMapping[str, Any], request.scope)
            scope["view"] = request.resolver_match.view_name
        return response

    return middleware


def refuse_late(get_response: View) -> View:
    """Raise TooLate if the request waited too long in the queue. This middleware runs last."""

    def middleware(request: HttpRequest) -> HttpResponse:
        if isinstance(request, ASGIRequest) and request.scope.get("threads") == LATE:
            raise TooLate
        return get_response(request)

    return middleware


API = "/api/"
NOT_UTF_8 = "Send the form in UTF-8."
NUL = "The request contains a NUL character: remove it. Nothing was changed."
FORM, PARTS = "application/x-www-form-urlencoded", "multipart/form-data"


def refuse_unreadable(get_response: View) -> View:
    """Refuse forms that are not in UTF-8, and NUL characters in parameters and fields. Django's
    parser fails if an encoding needs several bytes for ASCII, and PostgreSQL cannot store NUL."""

    def middleware(request: HttpRequest) -> HttpResponse:
        charset = (request.content_params or {}).get("charset", "utf-8").lower()
        is_form = request.method == "POST" and request.content_type in {FORM, PARTS}
        if is_form and charset not in {"utf-8", "utf8", "us-ascii"}:
            return _refuse(request, NOT_UTF_8, 415)
        if _has_nul(request):
            return _refuse(request, NUL, 400)
        return get_response(request)

    return middleware


def _has_nul(request: HttpRequest) -> bool:
    if "\0" in request.path_info or "%00" in request.META["QUERY_STRING"]:
        return True
    if request.method not in {"POST", "PUT", "PATCH"} or request.path.startswith(API):
        return False  # the API checks a body's type and size before it reads it, and stores no NUL
    if request.content_type == PARTS:  # an uploaded file may contain any byte
        return any(
            "\0" in text for values in request.POST.lists() for text in (values[0], *values[1])
        )
    if request.content_type == FORM:
        return b"\0" in request.body or b"%00" in request.body
    return b"\0" in request.body or b"\\u0000" in request.body


def _refuse(request: HttpRequest, reason: str, status: int) -> HttpResponse:
    if request.path.startswith(API):
        refusal = WrongType(reason) if status == WrongType.status else ApiRefusal(reason)
        return refusal.make_response()
    return HttpResponse(reason, "text/plain", status=status)
