"""Pages and parts of pages that wait for what is worked out in the background."""

from collections.abc import Callable

from django.db import DatabaseError, connection
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from game.coach.waiting import waiting
from game.judgement.tables import advisor, damaged, in_use
from game.web.visitors import PlayRequest
from solver.advice import Advisor
from solver.making import PARTS, there
from solver.rules import RULESETS, Ruleset
from solver.tables import TableError

SECONDS = 2  # after which a page asks again


class NoCoach(Exception):
    """There is no table of values for these rules."""

    def __init__(self, rules: Ruleset) -> None:
        super().__init__(rules.id)
        self.rules = rules


def coach_of(rules: Ruleset) -> Advisor:
    """Without one the answer is a page that says so, whatever else it was to be."""
    coach = advisor(rules)
    if coach is None:
        raise NoCoach(rules)
    return coach


class SilentCoach:
    """A page whose table turns out to be damaged is the page of one that has none."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(self, request: PlayRequest, error: Exception) -> HttpResponse | None:
        if isinstance(error, NoCoach):
            return silent(request, error.rules)
        if not isinstance(error, TableError) or error.ruleset not in RULESETS:
            return None
        damaged(error)
        return silent(request, RULESETS[error.ruleset])


def silent(request: PlayRequest, rules: Ruleset) -> HttpResponse:
    """The page of a coach without a table of values: it comes, or somebody has to see to it."""
    found = waiting(rules)
    status = 202 if found.expected else 503
    response = render(request, "coach/silent.html", {"waiting": found}, status=status)
    response["Retry-After"] = str(SECONDS)
    return response


@never_cache
@require_safe
def tables(request: PlayRequest, ruleset: str, part: str) -> HttpResponse:
    """How far a part is, for a page that shows it; when it is there, the page is loaded again."""
    if ruleset not in RULESETS or part not in PARTS:
        raise Http404
    found = waiting(RULESETS[ruleset], part)
    response = render(request, "coach/_waiting.html", {"waiting": found})
    if found.there:
        response["HX-Refresh"] = "true"
    return response


@never_cache
@require_safe
def livez(request: HttpRequest) -> HttpResponse:
    """That this process answers: a proxy that asks goes on to pass on what it says."""
    return JsonResponse({"ok": True})


@never_cache
@require_safe
def healthz(request: HttpRequest) -> HttpResponse:
    """That this process answers, and its database too."""
    found = _database_answers()
    return JsonResponse({"ok": found, "database": found}, status=200 if found else 503)


@never_cache
@require_safe
def readyz(request: PlayRequest) -> HttpResponse:
    """Whether its database answers, and which parts of every ruleset in use are there."""
    found = _database_answers()
    parts = {rules.id: there(rules) for rules in in_use()}
    return JsonResponse({"rulesets": parts, "database": found}, status=200 if found else 503)


def _database_answers() -> bool:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        return False
    return True
