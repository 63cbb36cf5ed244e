"""The published study next to exact results, and the sources of published numbers."""

import csv
import io
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from game.core.words import labels, phrases
from game.lab.labels import CSV, JSON, SITE, SVG, make_file_response, whole
from game.lab.study_readings import read_readings_csv
from game.pages.requests.visitors import PlayRequest
from solver.rules import RULESETS
from solver.study.answers import read_stored_answers
from solver.study.answers import report_answers as questions
from solver.study.chapter import draw_people_chart, report_chapter
from solver.study.html import Folded, Heading, TextTable, render_parts
from solver.study.sources import FIGURES, NOTES, RULES, CitedNumber, read_cited_works
from solver.study.study import read_stored_facts

COLUMNS = ("from", "to", "count", "percent", "cumulated_percent", "exact_share")


@never_cache
@require_safe
def study(request: PlayRequest) -> HttpResponse:
    parts = [
        Folded(part.caption, [part]) if isinstance(part, TextTable) else part
        for part in report_chapter(read_stored_facts(), SITE)
    ]
    sections = [part for part in parts if isinstance(part, Heading) and part.level == 2]
    context = {"sections": sections, "chapter": render_parts(parts, on_page=True)}
    return render(request, "lab/study.html", context)


@never_cache
@require_safe
def answers(request: PlayRequest) -> HttpResponse:
    parts = list(questions(read_stored_answers(), SITE))
    headings = [part for part in parts if isinstance(part, Heading)]
    return render(
        request, "lab/answers.html", {"asked": headings, "parts": render_parts(parts, on_page=True)}
    )


@never_cache
@require_safe
def study_file(request: PlayRequest, name: str) -> HttpResponse:
    if name not in FILES:
        raise Http404
    content_type, write = FILES[name]
    return make_file_response(f"yatzy-study-{name}", content_type, write())


def make_tens_csv() -> str:
    """Return CSV with a row per player and ten-point group of the study; people come last."""
    facts, text = read_stored_facts(), io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["player", *COLUMNS])
    for player in (*facts["players"], facts["people"] | {"player": "people"}):
        writer.writerows(
            [player["player"], *(ten[name] for name in COLUMNS)] for ten in player["tens"]
        )
    return text.getvalue()


def draw_people_svg() -> str:
    """Return the chart of the people's scores as SVG, with a title for use outside the page."""
    return SITE.with_title(draw_people_chart(read_stored_facts()["people"], SITE)).svg()


FILES: Mapping[str, tuple[str, Callable[[], str]]] = MappingProxyType(
    {
        "tens.csv": (CSV, make_tens_csv),
        "study.json": (JSON, lambda: json.dumps(read_stored_facts()) + "\n"),
        "readings.csv": (CSV, read_readings_csv),
        "people.svg": (SVG, draw_people_svg),
    }
)


@dataclass(frozen=True, slots=True)
class SourceLine:
    """A cited number with its description; facts that the source omits are missing."""

    value: str
    what: str
    about: tuple[str, ...]
    where: str
    note: str


@never_cache
@require_safe
def sources(request: PlayRequest) -> HttpResponse:
    works = [
        (work, [_make_source_line(number) for number in work.numbers])
        for work in read_cited_works()
    ]
    return render(request, "lab/sources.html", {"works": works})


def _make_source_line(cited: CitedNumber) -> SourceLine:
    words, number = cited.where
    return SourceLine(
        phrases.format_points(float(cited.value), len(cited.value.partition(".")[2])),
        ": ".join(filter(None, (_(FIGURES[cited.figure]), cited.who and _(cited.who)))),
        tuple(_describe_cited(cited)),
        _(words) % number,
        _(NOTES[cited.note]) if cited.note else "",
    )


def _describe_cited(cited: CitedNumber) -> Iterator[str]:
    if cited.rules:
        ours = RULESETS.get(cited.rules)
        yield labels.find_ruleset_name(ours) if ours else _(RULES[cited.rules])
    if cited.games:
        yield _("%(games)s games") % {"games": whole(cited.games)}
    if cited.trained:
        yield _("learned from %(games)s games") % {"games": whole(cited.trained)}
