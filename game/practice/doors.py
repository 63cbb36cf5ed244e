"""The page "Learn", which links to all practice."""

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from game.core.worth.drilled import DRILLED
from game.pages.board import choices
from game.pages.requests.visitors import PlayRequest
from game.pages.ruleset_asked import list_rules_links, rules_asked
from game.practice.drill_queries import list_mistake_keys
from solver.players.playbook import read_stored_books


@never_cache
@require_safe
def learn(request: PlayRequest) -> HttpResponse:
    player, rules = request.visitor.player, rules_asked(request, DRILLED)
    context = {
        "rules": rules,
        "choices": list_rules_links(rules, among=DRILLED),
        "five_url": choices.make_five_url(rules),
        "mistakes": len(list_mistake_keys(player, rules)) if player else 0,
        "has_lessons": bool(read_stored_books(rules.id)),
    }
    return render(request, "practice/learn_hub.html", context)
