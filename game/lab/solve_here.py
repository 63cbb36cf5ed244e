"""The page that solves a ruleset in the visitor's browser, and the data that its program needs.

The program is a static file; only the audience ``learners`` (``audiences``) gets the data.
"""

from functools import cache
from math import comb
from pathlib import Path

from django.contrib.staticfiles import finders
from django.http import HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from game.core.words import labels, phrases
from game.core.words.speech import say
from game.lab.labels import find_lab_rules, make_lab_url
from game.pages.board.choices import list_rules_choices
from game.pages.requests.visitors import PlayRequest
from solver.pocket import collect_facts
from solver.rules import RULESETS, Ruleset
from solver.rules.dice import FACES

PROGRAM = "pocket/float64.wasm"


@never_cache
@require_safe
def solve_here(request: PlayRequest, ruleset: str = "") -> HttpResponse:
    rules = find_lab_rules(ruleset)
    boxes = len(rules.categories)
    context = {
        "game_name": labels.find_ruleset_name(rules),
        "choices": list_rules_choices(
            rules, lambda other: make_lab_url("solve_here", other), RULESETS
        ),
        "facts_url": make_lab_url("solve_here_facts", rules),
        "lab_url": make_lab_url("lab", rules),
        "size": _format_size(),
        "levels": [(filled, comb(boxes, filled)) for filled in range(boxes, -1, -1)],
        "words": _make_words(rules),
    }
    return render(request, "lab/solve_here.html", context)


@require_safe
def facts(request: PlayRequest, ruleset: str = "") -> JsonResponse:
    return JsonResponse(collect_facts(find_lab_rules(ruleset)))


@cache
def _format_size() -> str:
    program = Path(finders.find(PROGRAM) or "")
    return f"{round(program.stat().st_size / 1000)}{phrases.NO_BREAK}kB"


def _make_words(rules: Ruleset) -> dict[str, object]:
    """Return the page's text patterns for moves; its script fills in dice, boxes and points."""
    places = {"points": "%(points)s", "name": "%(name)s"}
    return {
        "nothing": phrases.describe_hold((), rules),
        "all": phrases.describe_hold((1,) * rules.dice, rules),
        "hold": say("hold", dice="%(dice)s"),
        "score": [say("scored", number, **places) for number in (1, 2)],
        "cross_out": say("crossed_out", name="%(name)s"),
        "boxes": {
            category.id: labels.find_category_name(category) for category in rules.categories
        },
        "best": say("best"),
        "dice": rules.dice,
        "faces": FACES,
        "rolls_left": rules.throws - 1,
    }
