"""What a player's games say: how good, how sure that is, how lucky, and where points are lost."""

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from game import services
from game.coach.portrait import portrait
from game.judgement.severity import FLAWLESS, GRADES, decisions_of
from game.judgement.tables import coach_of
from game.web.rulesets import rules_asked, rules_played
from game.web.visitors import PlayRequest


@never_cache
@require_safe
def profile(request: PlayRequest) -> HttpResponse:
    player = request.visitor.player
    rules = rules_asked(request)
    coach = coach_of(rules)
    if player is not None:
        services.games_judge_of_player(player=player, rules=rules)
    context = {
        "portrait": portrait(player, rules, coach.value_start) if player else None,
        "flawless": FLAWLESS,
        "grades": GRADES[1:-1],
        "decisions": decisions_of(rules),
        "rules": rules,
        "links": rules_played(player, rules),
    }
    return render(request, "coach/profile.html", context)
