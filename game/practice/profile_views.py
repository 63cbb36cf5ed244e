"""Pages about a player's games: profile, statistics, leaks, and one week."""

from datetime import date

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from game.coach.waiting import reasons_awaited
from game.core.fair import days
from game.core.game_queries import player_statistics
from game.core.judging import games_judge_of_player
from game.core.profile_queries import WEEK, statistics_boxes, statistics_scores, week_figures
from game.core.words import labels
from game.core.worth.severity import FLAWLESS, GRADES, decisions_of
from game.core.worth.tables import coach_of
from game.pages.board import choices
from game.pages.daily.daily_queries import player_days
from game.pages.daily.streaks import daily_told, monday
from game.pages.history import scores_chart
from game.pages.requests.visitors import PlayRequest
from game.pages.ruleset_asked import rules_asked, rules_played
from game.practice.leak_board import LeakPage
from game.practice.leak_queries import drilled_since, player_slips
from game.practice.profile_board import portrait
from game.practice.statistics_board import box_rows, box_total, trend_chart
from game.practice.week_board import WeekBack
from solver.rules import PLAYED


@never_cache
@require_safe
def profile(request: PlayRequest) -> HttpResponse:
    player = request.visitor.player
    rules = rules_asked(request)
    coach = coach_of(rules)
    if player is not None:
        games_judge_of_player(player=player, rules=rules)
    context = {
        "portrait": portrait(player, rules, coach.value_start) if player else None,
        "flawless": FLAWLESS,
        "grades": GRADES[1:-1],
        "decisions": decisions_of(rules),
        "rules": rules,
        "links": rules_played(player, rules),
    }
    return render(request, "practice/profile.html", context)


@never_cache
@require_safe
def leaks(request: PlayRequest) -> HttpResponse:
    player = request.visitor.player
    rules = rules_asked(request)
    coach = coach_of(rules)
    if player is not None:
        games_judge_of_player(player=player, rules=rules)
    games = player_slips(player, coach) if player else []
    page = LeakPage(rules, games, drilled_since(player, games) if player else {})
    links = rules_played(player, rules)
    return render(request, "practice/leaks.html", {"page": page, "rules": rules, "links": links})


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
    if player is not None:
        context["summary"] = player_statistics(player, rules)
    boxes = statistics_boxes(player, rules) if player else None
    if player is not None and boxes is not None:
        context |= {
            "boxes": boxes,
            "rows": box_rows(coach, boxes),
            "total": box_total(coach, boxes),
            "perfect": coach.value_start,
            "scores_chart": scores_chart(player, rules),
            "trend_chart": trend_chart(statistics_scores(player, rules), coach.value_start),
        }
    return render(request, "practice/statistics.html", context)


@never_cache
@require_safe
def week(request: PlayRequest) -> HttpResponse:
    player = request.visitor.player
    rules = rules_asked(request)
    coach = coach_of(rules)
    first = monday(_asked(request.GET.get("of")))
    back = None
    if player is not None:
        games_judge_of_player(player=player, rules=rules)
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
    return render(request, "practice/week.html", context)


def _asked(text: str | None) -> date:
    if not text:
        return days.today()
    day = days.day_of(text)
    if day is None or not days.FIRST <= day <= days.today():
        raise Http404(_("There is no daily game of that day."))
    return day
