"""The published study compared with exact results, and the sources of published numbers."""

import csv
import io
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from game.core.words import labels, phrases
from game.lab.labels import CSV, JSON, SITE, SVG, format_percent, make_file_response, whole
from game.pages.requests.visitors import PlayRequest
from solver.players import PLAYERS
from solver.rules import RULESETS
from solver.study.answers import read_stored_answers
from solver.study.answers import report_answers as questions
from solver.study.chapter import draw_people_chart, name_program, report_chapter
from solver.study.html import (
    BulletList,
    Cell,
    Folded,
    Heading,
    Link,
    Paragraph,
    Part,
    TextTable,
    render_parts,
)
from solver.study.published import KEYS, RULES, require_published
from solver.study.readings import (
    BONUS,
    DICE,
    FILE,
    HOLD_BY_RULE,
    Candidate,
    count_printed_decisions,
    find_choices,
    read_candidates,
)
from solver.study.sources import FIGURES, NOTES, read_cited_works
from solver.study.sources import RULES as CITED_RULES
from solver.study.study import read_stored_facts

SHOWN = 8
COLUMNS = ("from", "to", "count", "percent", "cumulated_percent", "exact_share")


def report_readings(player: str) -> Iterator[Part]:
    """Yield the parts of a page about readings of a rule: the closest, the literal, the lab's."""
    name, published, counts = (
        name_program(player, SITE),
        require_published(player),
        count_printed_decisions(player),
    )
    printed = counts if any(counts) else ()
    candidates = [candidate for candidate in read_candidates() if candidate.player == player]
    yield Heading(name, player)
    text = _(
        "There are %(count)s readings; their exact means range from %(least)s to %(most)s points."
    )
    yield Paragraph(text % (_format_range(candidates) | {"count": whole(len(candidates))}))
    if player == "forced-scoring":
        thrice = [
            candidate
            for candidate in candidates
            if not any(option.name.endswith("twice") for option in candidate.options)
        ]
        text = _(
            "%(count)s of these readings give every box three rolls. Their means range from "
            "%(least)s to %(most)s, and no mean is near the published mean. Only readings that "
            "give some boxes two rolls come near the published mean, but the study does not "
            "mention two rolls."
        )
        yield Paragraph(text % (_format_range(thrice) | {"count": whole(len(thrice))}))
    if player == "optimal":
        text = _(
            "The reading that ignores the bonus comes closest to the published scores, but"
            " is still far off. We do not know what the study's program did."
        )
        yield Paragraph(text)
    means = (
        phrases.format_points(published.mean_of_counts),
        phrases.format_points(published.median, 0),
    )
    rows: list[list[Cell]] = [[_("Published"), *means, "", "", *map(str, printed)]]
    plain = find_choices(player).plain.name
    lab = next(iter(PLAYERS[player].readings), plain)
    for number, candidate in enumerate(candidates):
        usual = candidate.bonus_from == RULES.bonus_threshold and not candidate.dice_stay
        if number < SHOWN or (usual and candidate.reading in {plain, lab}):
            note = _("used by the lab's player") if usual and candidate.reading == lab else ""
            row: list[Cell] = [
                Link("; ".join(_(option.says) for option in candidate.options), "", note=note),
                phrases.format_points(candidate.mean, 2),
                str(candidate.median),
                format_percent(candidate.distance),
                whole(round(candidate.chi_squared)),
            ]
            rows.append([*row, *map(str, (candidate.holds, candidate.boxes) if printed else ())])
    head = [_("How we read the study"), _("Mean"), _("Median"), _("Games in another group")]
    head += [_("Chi-squared"), *([_("Printed holds"), _("Printed boxes")] if printed else ())]
    yield TextTable(name, head, rows, style="study__readings", captioned=False)
    dice = (DICE,) if player in HOLD_BY_RULE else ()
    left_open = [
        " / ".join([_(choice.plain), *(_(option.says) for option in choice.options)])
        for choice in (*find_choices(player).passages, BONUS, *dice)
    ]
    yield Folded(_("What the study leaves open"), [BulletList(left_open)])


def _format_range(candidates: list[Candidate]) -> dict[str, str]:
    means = [candidate.mean for candidate in candidates]
    return {
        "least": phrases.format_points(min(means), 2),
        "most": phrases.format_points(max(means), 2),
    }


@never_cache
@require_safe
def readings(request: PlayRequest) -> HttpResponse:
    parts = [part for player in KEYS for part in report_readings(player)]
    context = {"strategies": render_parts(parts, on_page=True)}
    return render(request, "lab/study_readings.html", context)


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
    """Return CSV with a row per player and group of ten points; human players come last."""
    facts, text = read_stored_facts(), io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["player", *COLUMNS])
    for player in (*facts["players"], facts["people"] | {"player": "people"}):
        writer.writerows(
            [player["player"], *(ten[name] for name in COLUMNS)] for ten in player["tens"]
        )
    return text.getvalue()


FILES: Mapping[str, tuple[str, Callable[[], str]]] = MappingProxyType(
    {
        "tens.csv": (CSV, make_tens_csv),
        "study.json": (JSON, lambda: json.dumps(read_stored_facts()) + "\n"),
        "readings.csv": (CSV, lambda: FILE.read_text()),
        # On a page, a heading has the chart's title.
        "people.svg": (
            SVG,
            lambda: replace(
                draw_people_chart(read_stored_facts()["people"], SITE), show_title=True
            ).svg(),
        ),
    }
)


@dataclass(frozen=True, slots=True)
class SourceLine:
    """A cited number with its description. It has only those details that its source has."""

    value: str
    what: str
    about: tuple[str, ...]
    where: str
    note: str


@never_cache
@require_safe
def sources(request: PlayRequest) -> HttpResponse:
    works = []
    for work in read_cited_works():
        lines = []
        for cited in work.numbers:
            about, (words, number) = [], cited.where
            if cited.rules:
                ours = RULESETS.get(cited.rules)
                about.append(
                    labels.find_ruleset_name(ours) if ours else _(CITED_RULES[cited.rules])
                )
            if cited.games:
                about.append(_("%(games)s games") % {"games": whole(cited.games)})
            if cited.trained:
                games = whole(cited.trained)
                about.append(_("learned from %(games)s games") % {"games": games})
            lines.append(
                SourceLine(
                    phrases.format_points(float(cited.value), len(cited.value.partition(".")[2])),
                    ": ".join(filter(None, (_(FIGURES[cited.figure]), cited.who and _(cited.who)))),
                    tuple(about),
                    _(words) % number,
                    _(NOTES[cited.note]) if cited.note else "",
                )
            )
        works.append((work, lines))
    return render(request, "lab/sources.html", {"works": works})
