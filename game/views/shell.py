"""What a device keeps of the site once it is installed: its shell, and no page of anybody."""

import hashlib
from collections.abc import Sequence

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.templatetags.static import static
from django.urls import reverse
from django.utils import translation
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

# What the offline page is drawn with, and nothing that is not drawn there.
SHELL = ("css/tokens.css", "css/site.css", "css/pages.css", "js/back.js", "img/favicon.svg")
ICONS = (("img/icon-192.png", 192, "any"), ("img/icon-512.png", 512, "any"))
MASKABLE = ("img/icon-maskable-512.png", 512, "maskable")


@require_safe
def manifest(request: HttpRequest) -> HttpResponse:
    facts = {
        "id": reverse("play"),
        "name": _("Yatzy"),
        "short_name": _("Yatzy"),
        "description": _("Play Yatzy or Yahtzee: the first page is the game."),
        "lang": get_language(),
        "start_url": reverse("play"),
        "scope": reverse("play"),
        "display": "standalone",
        "background_color": "#efe9db",
        "theme_color": "#efe9db",
        "icons": [_icon(*one) for one in (*ICONS, MASKABLE)],
        "shortcuts": [
            {"name": _("Daily game"), "url": reverse("daily")},
            {"name": _("Five a day"), "url": reverse("five")},
        ],
    }
    response = JsonResponse(facts, content_type="application/manifest+json")
    response["Vary"] = "Accept-Language, Cookie"
    return response


def _icon(name: str, size: int, purpose: str) -> dict[str, str]:
    return {
        "src": static(name),
        "sizes": f"{size}x{size}",
        "type": "image/png",
        "purpose": purpose,
    }


@never_cache
@require_safe
def service_worker(request: HttpRequest) -> HttpResponse:
    """It lies at the root, so that it may answer for every page; its name for its cache changes
    with every file and with what the offline page says."""
    kept = [static(name) for name in SHELL]
    offline_page = render(request, "offline.html").content
    context = {
        "version": _version(kept, offline_page),
        "shell": kept,
        "offline": f"{reverse('offline')}?in={get_language()}",
        "icon": static(ICONS[0][0]),
    }
    return render(request, "service-worker.js", context, content_type="text/javascript")


def _version(kept: Sequence[str], page: bytes) -> str:
    return hashlib.sha256("\n".join(kept).encode() + page).hexdigest()[:16]


@require_safe
def offline(request: HttpRequest) -> HttpResponse:
    """The same for everybody: it knows neither a player nor a session, so it is told a language."""
    asked = request.GET.get("in", "")
    spoken = asked if asked in dict(settings.LANGUAGES) else get_language()
    with translation.override(spoken):
        return render(request, "offline.html")
