"""Learn and You: the two pages from which everything about a player's own play is reached."""

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from game.core.access import silent
from game.core.profile_queries import player_skill
from game.core.worth.drilled import DRILLED
from game.core.worth.tables import value_start
from game.pages.board import choices
from game.pages.board.cards import past_games
from game.pages.history import Wanted, player_past
from game.pages.requests.visitors import PlayRequest
from game.pages.ruleset_asked import rules_asked, rules_played
from game.practice.drill_queries import drill_mistakes
from solver.players.playbook import stored_books

RECENT = 5  # games


@never_cache
@require_safe
def learn(request: PlayRequest) -> HttpResponse:
    player, rules = request.visitor.player, rules_asked(request, DRILLED)
    context = {
        "rules": rules,
        "links": rules_played(player, rules, among=DRILLED),
        "five_url": choices.five_url(rules),
        "mistakes": len(drill_mistakes(player, rules)) if player else 0,
        "has_lessons": bool(stored_books(rules.id)),
    }
    return render(request, "practice/learn_hub.html", context)


@never_cache
@require_safe
def you(request: PlayRequest) -> HttpResponse:
    player, rules = request.visitor.player, rules_asked(request)
    start = value_start(rules)
    skill = None
    if player is not None and start is not None and not silent(player):
        skill = player_skill(player, rules, start)
    context = {
        "rules": rules,
        "links": rules_played(player, rules),
        "skill": skill,
        "recent": past_games(player_past(player, Wanted(rules))[:RECENT]) if player else [],
    }
    return render(request, "practice/you.html", context)
