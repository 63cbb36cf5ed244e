"""The positions that a visitor explored last: their addresses, in a cookie of that page alone.

Nothing of them is stored here. While a form is changed by a script every change is a position; the
last of such a row is the one that stays.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from django.http import HttpResponse, QueryDict
from django.urls import reverse

from game.board.positions import PositionLine
from game.coach.setup import read
from game.web.rulesets import FIELD
from game.web.visitors import PlayRequest
from solver.rules import PLAYED

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
