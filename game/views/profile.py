"""What a player's games say: how good, how sure that is, how lucky, and where points are lost."""

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from game.coach.blinding import check_not_blinded
from game.coach.portrait import portrait
from game.judgement.severity import GRADES
from game.judgement.tables import advisor
from game.web.visitors import PlayRequest
from solver.rules import YATZY


@never_cache
@require_safe
def profile(request: PlayRequest) -> HttpResponse:
    player = request.visitor.player
    check_not_blinded(player)
    coach = advisor(YATZY)
    if coach is None:
        return render(request, "coach/silent.html", status=503)
    seen = portrait(player, coach.value_start) if player else None
    return render(request, "coach/profile.html", {"portrait": seen, "grades": GRADES[:-1]})
