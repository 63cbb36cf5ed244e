"""The best results of all players: their queries and pages."""

from dataclasses import dataclass
from datetime import date, timedelta
from functools import partial
from typing import Any

from django.contrib import messages
from django.db.models import Avg, Count, Max, Q, QuerySet, Sum
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from game.core.accounts import store_nickname
from game.core.fair import days
from game.core.refusals import Refused
from game.core.words import labels
from game.models import Game, Player
from game.pages import rulesets
from game.pages.daily.daily_queries import query_counted_daily
from game.pages.requests.forms import NicknameForm
from game.pages.requests.limits import check_rate, check_visit
from game.pages.requests.visitors import PlayRequest
from game.pages.rulesets import find_named_rules
from solver.rules import Ruleset

FEWEST = 7  # least number of games for the all-time ranking
SHOWN = 50


@dataclass(frozen=True, slots=True)
class Place:
    place: int
    name: str
    games: int
    total: int
    average: float
    best: int
    mine: bool


def find_week(day: date) -> tuple[date, date]:
    monday = day - timedelta(days=day.weekday())
    return monday, monday + timedelta(days=6)


def list_week_leaders(
    rules: Ruleset, day: date, player: Player | None, *, guests: bool = False
) -> list[Place]:
    ranked = _query_ranked(rules, guests=guests).filter(day__range=find_week(day))
    return _list_places(_sum_by_player(ranked), "total", player)


def list_all_time_leaders(
    rules: Ruleset, player: Player | None, *, guests: bool = False
) -> list[Place]:
    often = _sum_by_player(_query_ranked(rules, guests=guests)).filter(games__gte=FEWEST)
    return _list_places(often, "average", player)


def _query_ranked(rules: Ruleset, *, guests: bool) -> QuerySet[Game]:
    """Return ranked daily games: of accounts or, with ``guests``, of guests and new accounts."""
    return query_counted_daily(rules).filter(unranked=False, among_guests=guests)


def _sum_by_player(ranked: QuerySet[Game]) -> QuerySet[Any, Any]:
    return (
        ranked.order_by()
        .values("player")
        .annotate(
            games=Count("pk"),
            total=Sum("final_score"),
            average=Avg("final_score"),
            best=Max("final_score"),
        )
    )


def _list_places(rows: QuerySet[Any, Any], column: str, player: Player | None) -> list[Place]:
    """Return the top lines of a ranking, and the visitor's line if it is further down."""
    shown = list(rows.order_by(f"-{column}", "player")[:SHOWN])
    mine = player.pk if player else None
    if mine is not None and all(row["player"] != mine for row in shown):
        shown += rows.filter(player=mine)
    names = Player.objects.select_related("user").in_bulk([row["player"] for row in shown])
    places = []
    for number, row in enumerate(shown):
        if number < SHOWN:  # equal results share a rank
            better = sum(other[column] > row[column] for other in shown[:SHOWN])
        else:
            better = rows.filter(Q(**{f"{column}__gt": row[column]})).count()
        facts = {name: row[name] for name in ("games", "total", "average", "best")}
        name = labels.format_player(names[row["player"]])
        places.append(Place(better + 1, name, **facts, mine=row["player"] == mine))
    return places


@never_cache
@require_safe
def leaders(request: PlayRequest, ruleset: str = "") -> HttpResponse:
    player = request.visitor.player
    rules = find_named_rules(ruleset)
    all_time = request.GET.get("span") == "all"
    today = days.today()
    this_week = partial(list_week_leaders, rules, today, player)
    places_of = partial(list_all_time_leaders, rules, player) if all_time else this_week
    context = {
        "rules": rules,
        "game_name": labels.find_ruleset_name(rules),
        "choices": rulesets.list_rules_choices(rules, rulesets.make_leaders_url),
        "all_time": all_time,
        "week": find_week(today),
        "fewest": FEWEST,
        "places": places_of(),
        "guests": places_of(guests=True),
        "my_name": labels.format_player(player) if player else "",
        "daily_url": rulesets.make_daily_url(rules),
    }
    return render(request, "pages/leaders.html", context)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def nickname(request: PlayRequest) -> HttpResponse:
    player = request.visitor.player
    known = {"nickname": player.nickname if player else ""}
    form = NicknameForm(request.POST or None, initial=known)
    if request.method != "POST" or not form.is_valid():
        return _show_nickname_page(request, form, 400 if request.method == "POST" else 200)
    try:
        check_rate(request, "nickname")
        check_visit(request, player)
        player = store_nickname(player=player, nickname=form.cleaned_data["nickname"])
    except Refused as refusal:
        form.add_error("nickname", refusal.message)
        return _show_nickname_page(request, form, refusal.status)
    request.visitor.become(player)
    address, here = form.cleaned_data["next"], request.get_host()
    if player.nickname or not address:
        messages.success(
            request, _("You are called %(name)s.") % {"name": labels.format_player(player)}
        )
    allowed = url_has_allowed_host_and_scheme(address, here, require_https=request.is_secure())
    return redirect(address if allowed else "leaders")


def _show_nickname_page(request: PlayRequest, form: NicknameForm, status: int) -> HttpResponse:
    return render(request, "pages/nickname.html", {"form": form}, status=status)
