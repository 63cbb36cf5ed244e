"""The daily game: the same dice for everyone, one game each, and how it went."""

from datetime import date, timedelta

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.dateparse import parse_date
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from game.board import sharing
from game.board.cards import past_game
from game.fair import blocks, days, tickets
from game.models import Game
from game.selectors.games import Rank, daily_leaders, daily_rank, daily_statistics, player_daily
from game.web.visitors import PlayRequest
from solver.rules import YATZY

FIRST_DAY = date(2025, 1, 1)


@never_cache
@require_safe
def daily_view(request: PlayRequest) -> HttpResponse:
    return daily_page(request, _asked_day(request.GET.get("day")))


def daily_page(request: PlayRequest, day: date | None = None, *, status: int = 200) -> HttpResponse:
    day = day or days.today()
    context = {"day": day, **_dice(day), **_neighbours(day), **_results(request, day)}
    return render(request, "game/daily.html", context, status=status)


def _asked_day(text: str | None) -> date | None:
    if not text:
        return None
    try:
        day = parse_date(text)
    except ValueError:
        day = None
    if day is None or not FIRST_DAY <= day <= days.today():
        raise Http404(_("There is no daily game of that day."))
    return day


def _dice(day: date) -> dict[str, object]:
    seed = blocks.seed_of_day(day, YATZY.id)
    return {
        "commitment": blocks.commitment(seed),
        "seed": seed if days.closed(day) else "",
        "nonce": tickets.issue().signed if day == days.today() else "",
    }


def _neighbours(day: date) -> dict[str, object]:
    today = days.today()
    return {
        "is_today": day == today,
        "closes_at": days.closes_at(day),
        "previous_day": day - timedelta(days=1) if day > FIRST_DAY else None,
        "next_day": day + timedelta(days=1) if day < today else None,
    }


def _results(request: PlayRequest, day: date) -> dict[str, object]:
    player = request.visitor.player
    mine = player_daily(player, day)
    rank = daily_rank(mine) if mine else None
    statistics = daily_statistics(day)
    return {
        "my_game": past_game(mine) if mine else None,
        "my_rank": rank.place if rank else None,
        "leaders": daily_leaders(day, player),
        "players": statistics.players,
        "average": statistics.average,
        "share_text": _share_text(request, mine, rank),
    }


def _share_text(request: PlayRequest, game: Game | None, rank: Rank | None) -> str:
    if game is None or game.day is None or game.finished_at is None:
        return ""
    path = reverse("daily") + f"?day={game.day.isoformat()}"
    return sharing.share(game, rank, request.build_absolute_uri(path))
