"""Everything that one answered in the drill, to win and five a day, and how it went."""

from dataclasses import dataclass
from typing import Any

from django.core.paginator import Page, Paginator
from django.http import HttpResponse
from django.shortcuts import render
from django.utils.http import urlencode
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from game.core.words import labels, phrases
from game.core.worth.drilled import DRILLED
from game.core.worth.severity import Severity, severity
from game.pages.requests.visitors import PlayRequest
from game.pages.ruleset_asked import FIELD, rules_asked, rules_played
from game.practice.again_views import again_url
from game.practice.answered_queries import (
    SOURCES,
    WEEKS,
    MadeAnswer,
    answered,
    answered_figures,
    made_answers,
)
from game.practice.list_views import AnsweredForm
from game.practice.position_links import PositionLine
from solver.advice import state_of

ANSWERS = 25  # on a page


@dataclass(frozen=True, slots=True)
class AnsweredLine:
    made: MadeAnswer
    line: PositionLine | None
    deed: str
    severity: Severity
    again: str

    @property
    def source(self) -> str:
        return str(labels.SOURCES[self.made.source])


@never_cache
@require_safe
def drill_history(request: PlayRequest) -> HttpResponse:
    rules, player = rules_asked(request, DRILLED), request.visitor.player
    form = AnsweredForm(request.GET)
    rows = answered(player, rules, form.source_wanted, right=form.right_wanted)
    page: Page[Any] = Paginator(rows, ANSWERS).get_page(request.GET.get("page"))
    page.object_list = [_line(made) for made in made_answers(page.object_list)]
    figures = answered_figures(player, rules)
    context = {
        "page": page,
        "form": form,
        "rules": rules,
        "figures": figures,
        "sources": [
            (labels.SOURCES[source], figures.sources[source])
            for source in SOURCES
            if source in figures.sources
        ],
        "weeks": list(figures.weeks.items())[:WEEKS],
        "links": rules_played(player, rules, among=DRILLED),
        "address": urlencode({FIELD: rules.id} | form.wanted),
    }
    return render(request, "practice/answered.html", context)


def _line(made: MadeAnswer) -> AnsweredLine:
    position = made.position
    return AnsweredLine(
        made=made,
        line=PositionLine(position, made.needed) if position else None,
        deed=phrases.deed(state_of(position), made.action) if position else "",
        severity=severity(made.regret),
        again=again_url(made.key) if position else "",
    )
