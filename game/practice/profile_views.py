"""The page "You": a player's skill, games, week and records."""

from datetime import date
from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from game.coach.waiting import find_missing_reasons
from game.core.access import hides_advice_from
from game.core.fair import days
from game.core.game_queries import OPEN, calculate_statistics
from game.core.judging import judge_player_games
from game.core.profile_queries import WEEK, average_box_points, list_latest_scores, measure_week
from game.core.worth.severity import FLAWLESS, GRADES, count_decisions
from game.core.worth.tables import find_value_start, require_advisor
from game.models import Game, Player
from game.pages import rulesets
from game.pages.daily.daily_queries import read_player_days
from game.pages.daily.daily_views import parse_shown_day
from game.pages.daily.streaks import describe_daily_streak, find_monday
from game.pages.history import games_context, make_past_game
from game.pages.requests.visitors import PlayRequest
from game.pages.rulesets import ALL, FIELD, list_rules_links, rules_asked
from game.practice.profile_board import build_portrait
from game.practice.statistics_board import (
    draw_scores_chart,
    draw_trend_chart,
    list_box_rows,
    make_total_row,
)
from game.practice.week_board import WeekBack
from solver.rules import Ruleset


@never_cache
@require_safe
def you(request: PlayRequest) -> HttpResponse:
    """Show a player's skill, games, week and records, or only the games of a search."""
    player = request.visitor.player
    rules = None if request.GET.get(FIELD) == ALL else rules_asked(request)
    context: dict[str, Any] = {"rules": rules, "choices": list_rules_links(rules)}
    wanted = request.GET.get("of", "")
    monday_asked = find_monday(parse_shown_day(wanted, days.FIRST) or days.today())
    if player is not None:
        context |= games_context(request, player, rules)
        if rules is not None and not context["form"].asked:
            unfinished = Game.objects.filter(OPEN, player=player).order_by("-started_at")[:20]
            context["unfinished"] = [make_past_game(game) for game in unfinished]
            context["summary"] = calculate_statistics(player, rules)
            if context["page"].number == 1:
                context |= _make_context(player, rules, monday_asked)
    status = 400 if player and context["form"].errors else 200
    return render(request, "practice/you.html", context, status=status)


def _make_context(player: Player, rules: Ruleset, first: date) -> dict[str, Any]:
    """Return the context from judged games; empty without a table, or if a trial hides it."""
    start = find_value_start(rules)
    if start is None or hides_advice_from(player):
        return {}
    coach = require_advisor(rules)
    judge_player_games(player=player, rules=rules)
    figures = measure_week(player, rules, start, first)
    back = WeekBack(rules, first, read_player_days(player, rules), figures)
    context = {
        "portrait": build_portrait(player, rules, start),
        "flawless": FLAWLESS,
        "grades": GRADES[1:-1],
        "decisions": count_decisions(rules),
        "waiting": find_missing_reasons(coach),
        "week": back,
        "before": first - WEEK if first > days.FIRST else None,
        "after": first + WEEK if first + WEEK <= days.today() else None,
        "this_week": first == find_monday(days.today()),
        "streak": describe_daily_streak(back.mine.daily, rulesets.make_five_url(rules)),
    }
    boxes = average_box_points(player, rules)
    if boxes is not None:
        context |= {
            "boxes": boxes,
            "rows": list_box_rows(coach, boxes),
            "total": make_total_row(coach, boxes),
            "scores_chart": draw_scores_chart(player, rules),
            "trend_chart": draw_trend_chart(list_latest_scores(player, rules), start),
        }
    return context
