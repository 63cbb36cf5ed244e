"""The daily game: the same dice for everyone, one game each, and how it went."""

from datetime import date, timedelta
from functools import partial

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from game.board import choices, sharing
from game.board.cards import past_game
from game.board.daily import (
    FIRST_DAY,
    DayResult,
    better_words,
    coming_back,
    countdown,
    day_result,
    day_shared,
)
from game.coach.blinding import silent
from game.fair import blocks, days, tickets
from game.kind import kind_of
from game.selectors.day_boards import day_boards
from game.selectors.games import (
    games,
    player_daily,
)
from game.services import NoSuchGame
from game.views.pictures import answer_picture
from game.web import dice_seen
from game.web.rulesets import rules_named
from game.web.visitors import PlayRequest
from game.words import labels
from solver.rules import Ruleset


@never_cache
@require_safe
def daily_view(request: PlayRequest, ruleset: str = "") -> HttpResponse:
    rules = rules_named(ruleset)
    return daily_page(request, rules, _asked_day(request.GET.get("day")))


def daily_page(
    request: PlayRequest, rules: Ruleset, day: date | None = None, *, status: int = 200
) -> HttpResponse:
    day, player = day or days.today(), request.visitor.player
    blinded = silent(player)
    context = {
        "day": day,
        "rules": rules,
        "game_name": labels.ruleset_name(rules),
        "choices": choices.choices(rules, partial(choices.daily_url, day=_shown(day))),
        **_dice(day, rules),
        **_neighbours(day),
        **_results(request, day, rules, blinded=blinded),
        **coming_back(player, day, rules, blinded=blinded),
    }
    return render(request, "game/daily.html", context, status=status)


def _shown(day: date) -> date | None:
    """As it is in the address: today needs no mention."""
    return None if day == days.today() else day


def _asked_day(text: str | None) -> date | None:
    if not text:
        return None
    day = days.day_of(text)
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


def _results(
    request: PlayRequest, day: date, rules: Ruleset, *, blinded: bool
) -> dict[str, object]:
    player = request.visitor.player
    mine = player_daily(player, day, rules)
    players, guests = day_boards(day, rules, player, mine)
    rank = players.rank or guests.rank
    shared = day_shared(mine, rank, blinded=blinded)
    return {
        "my_game": past_game(mine) if mine else None,
        "my_rank": rank.place if rank else None,
        "unranked": bool(mine and mine.unranked),
        "among_guests": bool(mine and mine.among_guests),
        "spoilt": mine is None and day == days.today() and dice_seen.before(request, rules),
        "better": better_words(rank),
        "my_players": rank.players if rank else None,
        "players": players,
        "guests": guests,
        "shared": shared,
        "share_text": _share_text(request, shared),
    }


def _share_text(request: PlayRequest, shared: sharing.Shared | None) -> str:
    """For who copies it by hand: with the whole address."""
    if shared is None:
        return ""
    return f"{shared.text}\n{request.build_absolute_uri(shared.address)}"


@never_cache
@require_safe
def result(request: PlayRequest, signed: str) -> HttpResponse:
    """A result that somebody shows around: no card, and no die."""
    found = _result(signed)
    player = request.visitor.player
    blinded = silent(player)
    context = {
        "result": found,
        "picture": request.build_absolute_uri(reverse("day_picture", args=[signed])),
        "address": request.build_absolute_uri(),
        "squares": "" if blinded else found.squares,
        "daily_url": choices.daily_url(found.game.rules),
        "countdown": countdown(),
    }
    return render(request, "game/result.html", context)


@require_safe
def picture(request: PlayRequest, signed: str) -> HttpResponse:
    """For the programs that show where a link leads; it changes with its place in the day."""
    return answer_picture(request, _result(signed).game)


def _result(signed: str) -> DayResult:
    game = games().filter(pk=sharing.result_game_id(signed)).first()
    if game is None or not kind_of(game).ranked or game.finished_at is None:
        raise NoSuchGame
    return day_result(game)
