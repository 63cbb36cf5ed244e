"""The service worker, and the files that it stores on a device. It stores no personal page."""

import hashlib

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.templatetags.static import static
from django.urls import reverse
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from game.offline.offline_views import render_away_page, render_stored_page, render_table_page
from game.pages.requests.audiences import may_solve
from game.pages.requests.visitors import PlayRequest
from solver.rules import RULESETS

# Files that the offline pages need.
SHELL = (
    *("css/tokens.css", "css/site.css", "css/pages.css", "js/back.js", "img/favicon.svg"),
    *("js/stored.js", SHELF := "js/shelf.js"),
)
# Files of the board and the solver. Only visitors who may use the coach get them.
TABLE = (
    *("css/play.css", "css/end.css", "font/archivo.woff2", "js/play.js", "js/offline.js"),
    *("js/pocket.js", "pocket/float64.wasm"),
    *("css/coach.css", "css/judged.css", "css/review.css", "css/offline.css"),
    *("js/coach_says.js", "js/coach_reasons.js"),
    *("js/offline_coach.js", "js/offline_game.js", "js/offline_parts.js", "js/offline_after.js"),
)
ICONS = (("img/icon-192.png", 192, "any"), ("img/icon-512.png", 512, "any"))
MASKABLE = ("img/icon-maskable-512.png", 512, "maskable")


@require_safe
def manifest(request: HttpRequest) -> HttpResponse:
    facts = {
        "id": reverse("play"),
        "name": _("Yatzy"),
        "short_name": _("Yatzy"),
        "description": _("Play Yatzy or Yahtzee. The game is on the first page."),
        "lang": get_language(),
        "start_url": reverse("play"),
        "scope": reverse("play"),
        "display": "standalone",
        "background_color": "#efe9db",
        "theme_color": "#efe9db",
        "icons": [
            {
                "src": static(name),
                "sizes": f"{size}x{size}",
                "type": "image/png",
                "purpose": purpose,
            }
            for name, size, purpose in (*ICONS, MASKABLE)
        ],
        "shortcuts": [
            {"name": _("Daily game"), "url": reverse("daily")},
            {"name": _("Five a day"), "url": reverse("five")},
        ],
    }
    response = JsonResponse(facts, content_type="application/manifest+json")
    response["Vary"] = "Accept-Language, Cookie"
    return response


@never_cache
@require_safe
def service_worker(request: PlayRequest) -> HttpResponse:
    """Send the service worker. Its address is at the root, so that it controls every page. The name
    of its cache changes when a file or a text of the offline page changes."""
    plays = may_solve(request)
    kept = [static(name) for name in (*SHELL, *(TABLE if plays else ()))]
    drawn = render_away_page() + render_stored_page()
    stored = ("offline_stored", "daily", "learn_hub", "you")
    shown = dict.fromkeys(map(reverse, stored), _format_language_url("offline_stored"))
    if plays:
        kept.append(reverse("offline_facts"))
        drawn += render_table_page() + "".join(rules.hash for rules in RULESETS.values())
        shown |= dict.fromkeys(
            (reverse("play"), reverse("offline_table")), _format_language_url("offline_table")
        )
    version = hashlib.sha256(("\n".join(kept) + drawn).encode()).hexdigest()[:16]
    context = {
        "version": version,
        "shell": kept,
        "shelf": static(SHELF),
        "offline": _format_language_url("offline"),
        "pages": shown.items(),
        "icon": static(ICONS[0][0]),
    }
    return render(request, "service-worker.js", context, content_type="text/javascript")


def _format_language_url(name: str) -> str:
    return f"{reverse(name)}?in={get_language()}"
