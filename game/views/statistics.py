"""What one's games made, beside perfect play, by the ruleset."""

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from game.coach.statistics import box_rows, box_total, trend_chart
from game.coach.waiting import coming, reasons_awaited
from game.judgement.tables import coach_of
from game.selectors.games import player_statistics
from game.selectors.profile import statistics_boxes, statistics_scores
from game.views.history import scores_chart
from game.web.rulesets import rules_asked, rules_played
from game.web.visitors import PlayRequest
from game.words import labels
from solver.making import LAB


@never_cache
@require_safe
def statistics(request: PlayRequest) -> HttpResponse:
    player = request.visitor.player
    rules = rules_asked(request)
    coach = coach_of(rules)
    context = {
        "rules": rules,
        "game_name": labels.ruleset_name(rules),
        "links": rules_played(player, rules),
        "waiting": reasons_awaited(coach),
    }
    boxes = statistics_boxes(player, rules) if player else None
    if player is not None and boxes is not None:
        context |= {
            "boxes": boxes,
            "rows": box_rows(coach, boxes),
            "total": box_total(coach, boxes),
            "summary": player_statistics(player, rules),
            "perfect": coach.value_start,
            "scores_chart": scores_chart(player, rules),
            "scores_coming": coming(rules, LAB),
            "trend_chart": trend_chart(statistics_scores(player, rules), coach.value_start),
        }
    return render(request, "coach/statistics.html", context)
