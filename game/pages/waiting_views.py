"""Pages that wait for tables which are calculated in the background, and health checks."""

from django.conf import settings
from django.db import DatabaseError, connection
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from game.coach.waiting import request_one_table
from game.core.worth.tables import find_used_rulesets
from game.pages.requests.readiness import list_running_problems, list_startup_problems
from game.pages.requests.visitors import PlayRequest
from game.pages.ruleset_asked import find_named_rules
from solver.tables.parts import find_existing_parts, list_parts


@never_cache
@require_safe
def tables(request: PlayRequest, ruleset: str, part: str) -> HttpResponse:
    """Show the progress of a part of the tables; reload the page when the part is finished."""
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
    """Answer 200 while this process is alive, for a proxy."""
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
    """Answer 200 if this version can be served, store moves and coach the default ruleset."""
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
