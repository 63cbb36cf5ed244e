"""A week of a player's, looked back upon."""

from datetime import date

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from game import services
from game.board import choices
from game.board.streaks import daily_told
from game.coach.week import WeekBack
from game.fair import days
from game.judgement.streaks import monday
from game.judgement.tables import coach_of
from game.selectors.daily import player_days
from game.selectors.profile import WEEK, week_figures
from game.web.rulesets import rules_asked, rules_played
from game.web.visitors import PlayRequest
from solver.rules import PLAYED


@never_cache
@require_safe
def week(request: PlayRequest) -> HttpResponse:
    player = request.visitor.player
    rules = rules_asked(request)
    coach = coach_of(rules)
    first = monday(_asked(request.GET.get("of")))
    back = None
    if player is not None:
        services.games_judge_of_player(player=player, rules=rules)
        figures = week_figures(player, rules, coach.value_start, first)
        back = WeekBack(rules, first, player_days(player, rules), figures)
    context = {
        "week": back,
        "rules": rules,
        "links": rules_played(player, rules, among=PLAYED),
        "before": first - WEEK if first > days.FIRST else None,
        "after": first + WEEK if first + WEEK <= days.today() else None,
        "this_week": first == monday(days.today()),
        "daily_url": choices.daily_url(rules),
        "streak": daily_told(back.mine.daily, choices.five_url(rules)) if back else None,
    }
    return render(request, "coach/week.html", context)


def _asked(text: str | None) -> date:
    if not text:
        return days.today()
    day = days.day_of(text)
    if day is None or not days.FIRST <= day <= days.today():
        raise Http404(_("There is no daily game of that day."))
    return day
