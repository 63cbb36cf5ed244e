"""Pages about the site itself: for crawlers, for people who report security faults, and the
privacy page."""

from datetime import UTC, datetime, timedelta

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

PLAIN = "text/plain; charset=utf-8"
EXPIRES = timedelta(days=90)
# Personal links, and pages that are expensive to calculate.
NOT_FOR_CRAWLERS = (
    *("account", "admin", "api", "beat", "duel", "duels", "games", "join", "review", "table"),
    *("take-part", "trials", "watch"),
)


@require_safe
def robots(request: HttpRequest) -> HttpResponse:
    """Return robots.txt, which keeps crawlers off personal pages, or off the site (INDEXED=off)."""
    paths = [f"/{name}/" for name in NOT_FOR_CRAWLERS] if settings.INDEXED else ["/"]
    lines = ["User-agent: *", *(f"Disallow: {path}" for path in paths), ""]
    return HttpResponse("\n".join(lines), content_type=PLAIN)


@require_safe
def security(request: HttpRequest) -> HttpResponse:
    """Return security.txt (RFC 9116) with the contact for security faults; 404 without one."""
    if not settings.SUPPORT:
        raise Http404
    expires = (datetime.now(UTC) + EXPIRES).strftime("%Y-%m-%dT00:00:00Z")
    lines = [f"Contact: {settings.SUPPORT}", f"Expires: {expires}", "Preferred-Languages: en", ""]
    return HttpResponse("\n".join(lines), content_type=PLAIN)


@require_safe
def privacy(request: HttpRequest) -> HttpResponse:
    address = settings.SUPPORT
    context = {
        "operator": settings.OPERATOR,
        "address": address,
        "contact": address.removeprefix("mailto:"),
    }
    return render(request, "pages/privacy.html", context)
