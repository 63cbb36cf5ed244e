"""The page "Learn": the player's leaks, and links to all practice."""

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from game.core.judging import judge_player_games
from game.core.worth.tables import load_advisor
from game.models import Player
from game.pages import rulesets
from game.pages.requests.visitors import PlayRequest
from game.pages.rulesets import list_rules_links, rules_asked
from game.practice.drill_queries import list_mistake_keys
from game.practice.leak_board import LeakPage
from game.practice.leak_queries import find_drill_starts, list_slips
from solver.players.playbook import read_stored_books
from solver.rules import Ruleset


@never_cache
@require_safe
def learn(request: PlayRequest) -> HttpResponse:
    player, rules = request.visitor.player, rules_asked(request)
    context = {
        "rules": rules,
        "choices": list_rules_links(rules),
        "five_url": rulesets.make_five_url(rules),
        "mistakes": len(list_mistake_keys(player, rules)) if player else 0,
        "has_lessons": bool(read_stored_books(rules.id)),
        "page": find_leaks(player, rules),
    }
    return render(request, "practice/learn_hub.html", context)


def find_leaks(player: Player | None, rules: Ruleset) -> LeakPage | None:
    """Return the player's costliest habits (leaks), or None while the value table is missing."""
    if player is None:
        return LeakPage(rules, [])
    coach = load_advisor(rules)
    if coach is None:
        return None
    judge_player_games(player=player, rules=rules)
    games = list_slips(player, coach)
    return LeakPage(rules, games, find_drill_starts(player, games))
