"""What a person sees when a request cannot be answered: plain words, and where to go on."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views import defaults


def permission_denied(request: HttpRequest, exception: Exception) -> HttpResponse:
    return _reload(request, defaults.permission_denied(request, exception))


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    return _reload(request, defaults.page_not_found(request, exception))


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    text = _("This page was open for too long, or cookies are switched off. Please try again.")
    return _reload(request, render(request, "403.html", {"exception": text}, status=403))


def _reload(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """An error page does not fit into a fragment's place: htmx is told to load the whole page."""
    if getattr(request, "htmx", False):
        response["HX-Refresh"] = "true"
    return response
