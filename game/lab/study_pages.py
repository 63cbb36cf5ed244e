"""The published study: its tables beside exact results, and where its own numbers disagree."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from game.coach.waiting import coming
from game.lab import dice_words, study_charts, study_effort, study_words
from game.lab import study as study_pages
from game.lab.lost import lost_in_study
from game.lab.study_files import study_json, tens_csv
from game.lab.study_readings import readings_csv
from game.lab.study_turns import number_rules, printed_turns
from game.web.visitors import PlayRequest
from solver.making import LAB
from solver.study.people import StudyPeople
from solver.study.published import RULES, real_dice, real_dice_value

SVG, CSV, JSON = "image/svg+xml", "text/csv; charset=utf-8", "application/json"


@never_cache
@require_safe
def study(request: PlayRequest) -> HttpResponse:
    strategies, people = study_pages.strategies(), study_pages.study_people()
    context = {
        "strategies": strategies,
        "missing": any(one.exact is None for one in strategies),
        "waiting": coming(RULES, LAB),
        "people_chart": _people(people, alone=False),
        "meaning": study_words.meaning(people, real_dice_value()) if people else [],
        "lines": list(study_pages.people_lines(people)),
        "tens": list(study_pages.people_tens(people)),
        "slips": list(study_words.slips()),
        **lost_in_study(),
        **_dice(),
        **_same_dice(),
        **study_effort.context(),
    }
    return render(request, "lab/study.html", context)


@never_cache
@require_safe
def study_file(request: PlayRequest, name: str) -> HttpResponse:
    if name not in FILES:
        raise Http404
    content_type, write = FILES[name]
    text = write()
    if not text:
        raise Http404
    response = HttpResponse(text, content_type=content_type)
    response["Content-Disposition"] = f'attachment; filename="yatzy-study-{name}"'
    return response


def _dice() -> dict[str, object]:
    test = real_dice()
    return {
        "faces": list(study_pages.faces(test)),
        "dice": test,
        "dice_stated": study_pages.dice_stated(),
        "dice_verdict": dice_words.verdict(test),
        "dice_limits": list(dice_words.limits(test)),
        "virtual": study_pages.virtual(),
    }


def _same_dice() -> dict[str, object]:
    names, games = [str(name) for name in study_pages.programs()], study_pages.same_dice()
    return {
        "programs": names,
        "games": games,
        "turns": printed_turns(),
        "number_rules": number_rules(),
        "same_dice_chart": study_charts.same_dice(names, games),
    }


def _people(people: StudyPeople | None, *, alone: bool) -> str:
    title = _("The study's people and perfect play, scores in tens")
    return study_charts.people(title, people, alone=alone) if people else ""


FILES: Mapping[str, tuple[str, Callable[[], str]]] = MappingProxyType(
    {
        "tens.csv": (CSV, lambda: tens_csv(study_pages.known())),
        "study.json": (JSON, lambda: study_json(study_pages.known())),
        "readings.csv": (CSV, readings_csv),
        "people.svg": (SVG, lambda: _people(study_pages.study_people(), alone=True)),
    }
)
