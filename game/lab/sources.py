"""Who published the numbers that the lab calls published, as a page."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from game.lab.study_words import whole
from game.web.visitors import PlayRequest
from game.words import labels, phrases
from solver.rules import RULESETS
from solver.study.sources import FIGURES, NOTES, RULES, CitedNumber, cited_works


@dataclass(frozen=True, slots=True)
class SourceLine:
    """A number with what it is of; what the source does not say is left out."""

    value: str
    what: str
    about: tuple[str, ...]
    where: str
    note: str


@never_cache
@require_safe
def sources(request: PlayRequest) -> HttpResponse:
    works = [(work, [_line(one) for one in work.numbers]) for work in cited_works()]
    return render(request, "lab/sources.html", {"works": works})


def _line(one: CitedNumber) -> SourceLine:
    words, number = one.where
    return SourceLine(
        phrases.points(float(one.value), len(one.value.partition(".")[2])),
        ": ".join(filter(None, (_(FIGURES[one.figure]), one.who and _(one.who)))),
        tuple(_about(one)),
        _(words) % number,
        _(NOTES[one.note]) if one.note else "",
    )


def _about(one: CitedNumber) -> Iterator[str]:
    if one.rules:
        ours = RULESETS.get(one.rules)
        yield labels.ruleset_name(ours) if ours else _(RULES[one.rules])
    if one.games:
        yield _("%(games)s games") % {"games": whole(one.games)}
    if one.trained:
        yield _("learned from %(games)s games") % {"games": whole(one.trained)}
