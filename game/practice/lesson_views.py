"""The lessons of the playbook, in order of worth; each is a row of positions of ``again.py``."""

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from game.core.words import labels
from game.pages.board.choices import choices
from game.pages.requests.visitors import PlayRequest
from game.pages.ruleset_asked import rules_asked
from game.practice.again_views import again_url
from game.practice.lesson_board import lesson_name, lesson_worth, lessons_url
from game.practice.lessons import lessons_of
from solver.players.playbook import stored_books
from solver.players.playbook_words import sentence
from solver.rules import RULESETS


@never_cache
@require_safe
def lessons(request: PlayRequest) -> HttpResponse:
    taught = {name: rules for name, rules in RULESETS.items() if stored_books(name)}
    rules = rules_asked(request, taught)
    sizes = list(stored_books(rules.id))
    size = request.GET.get("size", next(iter(sizes), ""))
    found = lessons_of(rules, size)
    if not found:
        raise Http404(_("There is no such lesson."))
    rows = [
        (
            again_url(lesson_name(rules, size, place)),
            sentence(lesson.rule, rules, _),
            lesson_worth(lesson),
        )
        for place, lesson in enumerate(found, start=1)
    ]
    context = {
        "rows": rows,
        "sizes": [(one, lessons_url(rules, one), one == size) for one in sizes],
        "choices": choices(rules, lambda one: lessons_url(one, size), taught),
        "game_name": labels.ruleset_name(rules),
        "rules": rules,
    }
    return render(request, "practice/lessons.html", context)
