"""Where the lab's pages are, which game they are about, and their files.

The short addresses belong to the rules that the study played by.
"""

from functools import partial

from django.http import Http404, HttpResponse
from django.urls import reverse

from game.coach.waiting import coming
from game.core.words import labels
from game.pages.board.choices import choices
from solver.making import LAB
from solver.rules import RULESETS, Ruleset
from solver.study.published import RULES

SVG, CSV, JSON = "image/svg+xml", "text/csv; charset=utf-8", "application/json"


def lab_url(name: str, rules: Ruleset, *more: object) -> str:
    named = () if rules == RULES else (rules.id,)
    return reverse(name, args=[*named, *more])


def lab_rules(ruleset: str) -> Ruleset:
    """Those that an address names; Http404 where there are none of that name."""
    if not ruleset:
        return RULES
    if ruleset not in RULESETS:
        raise Http404
    return RULESETS[ruleset]


def about(page: str, rules: Ruleset) -> dict[str, object]:
    """Which game the page is about, and its addresses about other games."""
    return {
        "rules": rules,
        "game_name": labels.ruleset_name(rules),
        "choices": choices(rules, partial(lab_url, page), RULESETS),
        "waiting": coming(rules, LAB),
    }


def file_answer(name: str, content_type: str, text: str) -> HttpResponse:
    """A download; Http404 if nothing is in it."""
    if not text:
        raise Http404
    response = HttpResponse(text, content_type=content_type)
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
