"""Any position, set up in a form that sends an address, and what its options are worth."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from game.coach.waiting import reasons_awaited
from game.core.own_games import OwnGame, stands_like
from game.core.worth.tables import coach_of
from game.models import Player
from game.models.drill import LONGEST_LIST_NAME
from game.pages.requests.visitors import PlayRequest
from game.pages.ruleset_asked import FIELD, rules_asked, rules_links
from game.practice.drill_queries import list_used_last
from game.practice.explore import explored
from game.practice.explore_setup import Setup, read
from game.practice.position_links import PositionLine
from solver.advice import Advisor
from solver.rules import PLAYED, Ruleset

COOKIE = "explored"
MOST = 10
BETWEEN = "|"
CHANGING = "~"  # before one that the next change of the form replaces


@dataclass(frozen=True, slots=True)
class Earlier:
    queries: Sequence[str]  # the latest first

    @classmethod
    def of(cls, request: PlayRequest) -> "Earlier":
        kept = request.COOKIES.get(COOKIE, "").split(BETWEEN)
        return cls([query for query in kept if query])

    def besides(self, shown: str) -> list[PositionLine]:
        """What a cookie says that is no position is left out."""
        lines = (_line(query.removeprefix(CHANGING)) for query in self.queries)
        return [line for line in lines if line and line.query != shown]

    def remember(self, request: PlayRequest, response: HttpResponse, shown: str) -> None:
        known = list(self.queries)
        if request.htmx and known and known[0].startswith(CHANGING):
            known = known[1:]
        others = [one for one in (query.removeprefix(CHANGING) for query in known) if one != shown]
        first = f"{CHANGING}{shown}" if request.htmx else shown
        response.set_cookie(
            COOKIE,
            BETWEEN.join([first, *others][:MOST]),
            path=reverse("explore"),
            secure=request.is_secure(),
            httponly=True,
            samesite="Lax",
        )


def _line(query: str) -> PositionLine | None:
    asked = QueryDict(query)
    rules = PLAYED.get(asked.get(FIELD, ""))
    setup = read(rules, asked) if rules else None
    if setup is None or setup.problems:
        return None
    return PositionLine(setup.position, setup.needed or 0, query=setup.query)


@never_cache
@require_safe
def explore(request: PlayRequest) -> HttpResponse:
    rules = _rules(request)
    coach = coach_of(rules)
    setup = read(rules, request.GET)
    if setup.by_form and not setup.problems and not request.htmx:
        return redirect(address_of(setup))
    earlier = Earlier.of(request)
    response = _answer(request, coach, setup, earlier)
    if response.status_code == 200 and request.GET.keys() - {FIELD, "compare"}:
        earlier.remember(request, response, setup.query)
    return response


def _rules(request: PlayRequest) -> Ruleset:
    """An address that names a position means the same for everybody, whatever they play by."""
    if FIELD not in request.GET and request.GET:
        return Player().rules
    return rules_asked(request)


def _answer(request: PlayRequest, coach: Advisor, setup: Setup, earlier: Earlier) -> HttpResponse:
    problems = dict(setup.problems)
    own = not problems and stands_like(request.visitor.player, [setup.position])
    found = None if problems or own else explored(coach, setup, request.GET.get("compare", ""))
    if found and found.unknown:
        problems["compare"] = _("This position has no such option to compare.")
    context = {
        "setup": setup,
        "found": found,
        "problems": problems,
        "own": str(OwnGame()) if own else "",
        "links": rules_links(setup.rules),
        "waiting": reasons_awaited(coach),
        "earlier": earlier.besides(setup.query),
        "kept_in": list_used_last(request.visitor.player),
        "longest": LONGEST_LIST_NAME,
    }
    template = "practice/_explored.html" if request.htmx else "practice/explore.html"
    response = render(request, template, context, status=422 if problems else 200)
    if request.htmx and not problems and setup.by_form:
        response["HX-Replace-Url"] = address_of(setup)
    return response


def address_of(setup: Setup) -> str:
    """Short, and the same for everyone who sets up this position."""
    return f"{reverse('explore')}?{setup.query}"
