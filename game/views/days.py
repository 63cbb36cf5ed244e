"""The daily game: the same dice for everyone, one game each, and how it went."""

from datetime import date, timedelta
from functools import partial

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.utils.dateparse import parse_date
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from game.board import choices, sharing
from game.board.cards import past_game
from game.fair import blocks, days, tickets
from game.models import Game
from game.selectors.games import Rank, daily_leaders, daily_rank, daily_statistics, player_daily
from game.services import NoSuchRules
from game.web.visitors import PlayRequest
from game.words import labels
from solver.rules import RULESETS, Ruleset

FIRST_DAY = date(2025, 1, 1)


@never_cache
@require_safe
def daily_view(request: PlayRequest, ruleset: str = "") -> HttpResponse:
    rules = RULESETS.get(ruleset or Game().ruleset)
    if rules is None:
        raise Http404(NoSuchRules().message)
    return daily_page(request, rules, _asked_day(request.GET.get("day")))


def daily_page(
    request: PlayRequest, rules: Ruleset, day: date | None = None, *, status: int = 200
) -> HttpResponse:
    day = day or days.today()
    context = {
        "day": day,
        "rules": rules,
        "game_name": labels.ruleset_name(rules),
        "choices": choices.choices(rules, partial(choices.daily_url, day=_shown(day))),
        **_dice(day, rules),
        **_neighbours(day),
        **_results(request, day, rules),
    }
    return render(request, "game/daily.html", context, status=status)


def _shown(day: date) -> date | None:
    """As it is in the address: today needs no mention."""
    return None if day == days.today() else day


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


def _dice(day: date, rules: Ruleset) -> dict[str, object]:
    seed = blocks.seed_of_day(day, rules.id)
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


def _results(request: PlayRequest, day: date, rules: Ruleset) -> dict[str, object]:
    player = request.visitor.player
    mine = player_daily(player, day, rules)
    rank = daily_rank(mine) if mine else None
    statistics = daily_statistics(day, rules)
    return {
        "my_game": past_game(mine) if mine else None,
        "my_rank": rank.place if rank else None,
        "leaders": daily_leaders(day, rules, player),
        "players": statistics.players,
        "average": statistics.average,
        "share_text": _share_text(request, mine, rank),
    }


def _share_text(request: PlayRequest, game: Game | None, rank: Rank | None) -> str:
    if game is None or game.day is None or game.finished_at is None:
        return ""
    path = choices.daily_url(game.rules, game.day)
    return sharing.share(game, rank, request.build_absolute_uri(path))
