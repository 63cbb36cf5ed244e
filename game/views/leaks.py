"""Where one's points go, as a tree, beside players of the same grade."""

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from game import services
from game.coach.leaks import LeakPage
from game.judgement.tables import coach_of
from game.selectors.leaks import drilled_since, player_slips
from game.web.rulesets import rules_asked, rules_played
from game.web.visitors import PlayRequest


@never_cache
@require_safe
def leaks(request: PlayRequest) -> HttpResponse:
    player = request.visitor.player
    rules = rules_asked(request)
    coach = coach_of(rules)
    if player is not None:
        services.games_judge_of_player(player=player, rules=rules)
    games = player_slips(player, coach) if player else []
    page = LeakPage(rules, games, drilled_since(player, games) if player else {})
    links = rules_played(player, rules)
    return render(request, "coach/leaks.html", {"page": page, "rules": rules, "links": links})
