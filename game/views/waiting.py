"""Pages and parts of pages that wait for what is worked out in the background."""

from django.http import Http404, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from game.coach.waiting import waiting
from game.judgement.tables import in_use
from game.web.visitors import PlayRequest
from solver.making import PARTS, there
from solver.rules import RULESETS, Ruleset

SECONDS = 2  # after which a page asks again


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
def readyz(request: PlayRequest) -> HttpResponse:
    """Which parts of every ruleset in use are there."""
    return JsonResponse({"rulesets": {rules.id: there(rules) for rules in in_use()}})
