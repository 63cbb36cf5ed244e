"""The player's pages: You, and the leak finder."""

from datetime import date
from typing import Any

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from game.coach.waiting import reasons_awaited
from game.core.access import silent
from game.core.fair import days
from game.core.game_queries import player_statistics, player_unfinished
from game.core.judging import games_judge_of_player
from game.core.profile_queries import WEEK, statistics_boxes, statistics_scores, week_figures
from game.core.worth.severity import FLAWLESS, GRADES, decisions_of
from game.core.worth.tables import coach_of, value_start
from game.models import Player
from game.pages.board import choices
from game.pages.board.cards import past_games
from game.pages.daily.daily_queries import player_days
from game.pages.daily.streaks import describe_daily_streak, monday
from game.pages.history import games_context
from game.pages.requests.visitors import PlayRequest
from game.pages.ruleset_asked import ALL, FIELD, rules_asked, rules_links
from game.practice.leak_board import LeakPage
from game.practice.leak_queries import drilled_since, player_slips
from game.practice.profile_board import portrait
from game.practice.statistics_board import box_rows, box_total, scores_chart, trend_chart
from game.practice.week_board import WeekBack
from solver.rules import Ruleset


@never_cache
@require_safe
def you(request: PlayRequest) -> HttpResponse:
    """Show a player's skill, games, week and records; a search shows only the games."""
    player = request.visitor.player
    rules = None if request.GET.get(FIELD) == ALL else rules_asked(request)
    context: dict[str, Any] = {"rules": rules, "choices": rules_links(rules)}
    monday_asked = monday(_asked(request.GET.get("of")))
    if player is not None:
        context |= games_context(request, player, rules)
        if rules is not None and not context["form"].asked:
            context["unfinished"] = past_games(player_unfinished(player))
            context["summary"] = player_statistics(player, rules)
            if context["page"].number == 1:
                context |= _figures(player, rules, monday_asked)
    status = 400 if player and context["form"].errors else 200
    return render(request, "practice/you.html", context, status=status)


def _figures(player: Player, rules: Ruleset, first: date) -> dict[str, Any]:
    """Return the context from judged games; empty without a value table, or if a trial hides it."""
    start = value_start(rules)
    if start is None or silent(player):
        return {}
    coach = coach_of(rules)
    games_judge_of_player(player=player, rules=rules)
    figures = week_figures(player, rules, start, first)
    back = WeekBack(rules, first, player_days(player, rules), figures)
    context = {
        "portrait": portrait(player, rules, start),
        "flawless": FLAWLESS,
        "grades": GRADES[1:-1],
        "decisions": decisions_of(rules),
        "waiting": reasons_awaited(coach),
        "week": back,
        "before": first - WEEK if first > days.FIRST else None,
        "after": first + WEEK if first + WEEK <= days.today() else None,
        "this_week": first == monday(days.today()),
        "streak": describe_daily_streak(back.mine.daily, choices.five_url(rules)),
    }
    boxes = statistics_boxes(player, rules)
    if boxes is not None:
        context |= {
            "boxes": boxes,
            "rows": box_rows(coach, boxes),
            "total": box_total(coach, boxes),
            "scores_chart": scores_chart(player, rules),
            "trend_chart": trend_chart(statistics_scores(player, rules), start),
        }
    return context


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
    context = {"page": page, "rules": rules, "choices": rules_links(rules)}
    return render(request, "practice/leaks.html", context)


def _asked(text: str | None) -> date:
    if not text:
        return days.today()
    day = days.day_of(text)
    if day is None or not days.FIRST <= day <= days.today():
        raise Http404(_("There is no daily game for that day."))
    return day
