"""Error pages, reports of errors, and addresses from earlier releases."""

import logging
import re
import sys
from contextlib import suppress
from typing import NamedTuple
from urllib.parse import quote

from django.conf import settings
from django.db import DatabaseError, connection
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseServerError, JsonResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.urls import NoReverseMatch
from django.utils.translation import gettext as _
from django.views import defaults
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from game.coach.waiting import request_one_table
from game.core.worth.tables import find_used_rulesets
from game.pages.requests.audiences import PAGES
from game.pages.requests.readiness import list_running_problems, list_startup_problems
from game.pages.requests.troubles import find_trouble
from game.pages.requests.visitors import MARK_COOKIE, PARTICIPANT_COOKIE, PlayRequest
from game.pages.rulesets import NotForTheseRules, find_named_rules
from solver.tables.parts import find_existing_parts, list_parts


class Removed(NamedTuple):
    """A page of an earlier release. ``address`` is a regular expression for its path."""

    address: str
    instead: str = ""  # the URL name of the new page; without one, the answer is 410 (gone)


REMOVED = (
    Removed(r"parts/"),
    Removed(r"import/"),
    Removed(r"games/[\w-]+/text$"),
    Removed(r"trials/[\w-]+/looks?/?$"),
    Removed(r"lab/own/"),
    Removed(r"(api/v1/)?ladder/"),
    Removed(r"lab/glossary/", "lab_sources"),
)


def find_removed(path: str) -> Removed | None:
    return next((row for row in REMOVED if re.match(f"/{row.address}", path)), None)


logger = logging.getLogger(__name__)
MOVES = "/games/"  # after a failure, forms to these addresses can be sent again unchanged


def permission_denied(request: HttpRequest, exception: Exception) -> HttpResponse:
    if request.path.startswith("/api/v"):
        return JsonResponse({"error": str(exception), "status": 403, "problems": []}, status=403)
    return _reload(request, defaults.permission_denied(request, exception))


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer a request for an unknown address. Pages of earlier releases may have moved."""
    removed = find_removed(request.path_info)
    if removed and removed.instead:
        with suppress(NoReverseMatch):  # the new page's app may not be installed
            return redirect(removed.instead, permanent=True)
    if removed:
        return _reload(request, render(request, "404.html", {"digits": "410"}, status=410))
    if isinstance(exception, NotForTheseRules):
        context = {"reason": str(exception)}
        return _reload(request, render(request, "404.html", context, status=404))
    return _reload(request, defaults.page_not_found(request, exception))


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    text = _("This page was open for too long, or cookies are switched off. Please try again.")
    return _reload(request, render(request, "403.html", {"exception": text}, status=403))


def server_error(request: HttpRequest) -> HttpResponse:
    """Show the error page. Django calls this view after an exception."""
    error = sys.exc_info()[1]
    trouble = find_trouble(error)
    if trouble is None:
        return HttpResponseServerError(render_to_string("500.html", _make_reader_context(request)))
    logger.warning("the database %s: %s", trouble.name, error)
    response: HttpResponse
    if request.path.startswith("/api/"):
        facts = {"error": str(trouble.text), "status": trouble.status, "problems": []}
        response = JsonResponse(facts, status=trouble.status)
    elif getattr(request, "htmx", False):  # the page shows the message and keeps its board
        response = HttpResponse(str(trouble.text), "text/plain; charset=utf-8", trouble.status)
    else:
        # The fields of a failed move, so that a form can send it again. The fields of other forms
        # are private.
        again = None
        if request.method != "POST" or request.path.startswith(MOVES):
            sent = request.POST.lists() if request.method == "POST" else ()
            again = [(name, str(value)) for name, values in sent for value in values]
        context = {"text": trouble.text, "address": request.get_full_path(), "again": again}
        page = render_to_string("503.html", context | _make_reader_context(request))
        response = HttpResponse(page, status=trouble.status)
    response["Retry-After"] = str(trouble.retry_after)
    response["Cache-Control"] = "no-store"
    return response


@require_safe
def report(request: PlayRequest) -> HttpResponse:
    """Show what a report of an error should contain, and where to send it. The link to this page
    names the failed page, but not its address, which may be secret."""
    page = request.GET.get("page", "")
    facts = [(_("Version"), settings.VERSION)]
    if re.fullmatch(r"\w{1,40}", page):
        facts.append((_("Page"), page))
    if browser := request.headers.get("User-Agent", "")[:300]:
        facts.append((_("Browser"), browser))
    address = settings.SUPPORT
    mail = address.removeprefix("mailto:") if address.startswith("mailto:") else ""
    if mail:
        body = "\n".join(["", "", "", *(f"{name}: {value}" for name, value in facts)])
        address += f"?subject={quote('Yatzy: ' + _('Report a fault'))}&body={quote(body)}"
    context = {"facts": facts, "address": address, "mail": mail}
    return render(request, "pages/report.html", context)


def _make_reader_context(request: HttpRequest) -> dict[str, object]:
    """Return what templates need to know about the reader. Read only cookies, not the database."""
    taking_part = PARTICIPANT_COOKIE in request.COOKIES and "take_part" in PAGES
    return {
        "participant": taking_part,
        "frame": taking_part,
        "blind": taking_part or MARK_COOKIE in request.COOKIES,
        "here": request.resolver_match.view_name if request.resolver_match else "",
    }


def _reload(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """Make htmx load the whole page, because an error page does not fit into a part of a page."""
    if getattr(request, "htmx", False):
        response["HX-Refresh"] = "true"
    return response


@never_cache
@require_safe
def tables(request: PlayRequest, ruleset: str, part: str) -> HttpResponse:
    """Show how far a part of the tables is made; reload the page when this part is finished."""
    rules = find_named_rules(ruleset)
    if part not in list_parts(rules):
        raise Http404
    wait = request_one_table(rules, part)
    response = render(request, "coach/_waiting.html", {"waiting": wait})
    if wait.there:
        response["HX-Refresh"] = "true"
    return response


@never_cache
@require_safe
def livez(request: HttpRequest) -> HttpResponse:
    """Answer 200 as long as this process is alive. Proxies request this page."""
    return JsonResponse({"ok": True})


@never_cache
@require_safe
def healthz(request: HttpRequest) -> HttpResponse:
    """Answer 200 if the database answers, else 503."""
    answers = _is_database_up()
    return JsonResponse({"ok": answers, "database": answers}, status=200 if answers else 503)


@never_cache
@require_safe
def readyz(request: PlayRequest) -> HttpResponse:
    """Answer 200 if this version can serve pages, store moves and coach the default ruleset."""
    answers = _is_database_up()
    wrong = [*list_startup_problems(), *list_running_problems()] if answers else []
    parts = {rules.id: find_existing_parts(rules) for rules in find_used_rulesets()}
    facts = {"version": settings.VERSION, "rulesets": parts, "database": answers, "unready": wrong}
    return JsonResponse(facts, status=200 if answers and not wrong else 503)


def _is_database_up() -> bool:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        return False
    return True
