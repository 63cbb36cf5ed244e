"""The pages of the daily game: its dice, its results, and shared results."""

from datetime import date, timedelta
from functools import partial

from django.core import signing
from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from game.core.access import hides_advice_from
from game.core.fair import blocks, days, tickets
from game.core.game_queries import Rank, find_player_daily, query_games, replay_game
from game.core.kind import find_kind
from game.core.refusals import NoSuchGame
from game.core.words import labels
from game.models import Game
from game.pages import rulesets
from game.pages.board import sharing
from game.pages.daily import daily_dice
from game.pages.daily.daily_board import (
    DayResult,
    build_month,
    build_perfect_day,
    compare_with_perfect,
    find_left_open,
    make_countdown,
    make_day_end,
    make_day_result,
)
from game.pages.daily.daily_queries import (
    PlayerDays,
    build_day_boards,
    derive_day_seed,
    find_day_anchor,
    find_day_link,
    read_day_chain,
    read_player_days,
)
from game.pages.daily.streaks import describe_daily_streak
from game.pages.history import make_past_game
from game.pages.pictures import answer_picture
from game.pages.requests.visitors import PlayRequest
from game.pages.rulesets import find_named_rules
from solver.rules import Ruleset


@never_cache
@require_safe
def daily_view(request: PlayRequest, ruleset: str = "") -> HttpResponse:
    rules = find_named_rules(ruleset)
    day = parse_shown_day(request.GET.get("day", ""), days.FIRST)
    return daily_page(request, rules, day)


def daily_page(
    request: PlayRequest, rules: Ruleset, day: date | None = None, *, status: int = 200
) -> HttpResponse:
    day, player = day or days.today(), request.visitor.player
    blinded = hides_advice_from(player)
    mine = read_player_days(player, rules) if player and not blinded else None
    five_url = rulesets.make_five_url(rules)
    perfect = None if blinded else build_perfect_day(day, rules)
    month_text, first_month = request.GET.get("month", ""), days.FIRST.replace(day=1)
    month = parse_shown_day(f"{month_text}-01" if month_text else "", first_month)
    today = days.today()
    seed, closed = derive_day_seed(day, rules.id), days.is_closed(day)
    player = request.visitor.player
    game = find_player_daily(player, day, rules)
    players, guests = build_day_boards(day, rules, player, game)
    context = {
        "day": day,
        "rules": rules,
        "game_name": labels.find_ruleset_name(rules),
        "choices": rulesets.list_rules_choices(
            rules, partial(rulesets.make_daily_url, day=None if day == days.today() else day)
        ),
        "blinded": blinded,
        "month": build_month(month or day.replace(day=1), day, rules, mine),
        "countdown": make_countdown(),
        "five_url": five_url,
        "leaders_url": rulesets.make_leaders_url(rules),
        "perfect": perfect and perfect.total,
        "chain": read_day_chain().first,
        "anchor": find_day_anchor(),
        "link": find_day_link(day) if closed else "",
        "commitment": blocks.hash_seed(seed),
        "seed": seed if closed else "",
        "nonce": tickets.issue().signed if closed or day == days.today() else "",
        "is_today": day == today,
        "closed": days.is_closed(day),
        "closes_at": days.find_closing_time(day),
        "previous_day": day - timedelta(days=1) if day > days.FIRST else None,
        "next_day": day + timedelta(days=1) if day < today else None,
        "streak": mine and describe_daily_streak(mine.daily, five_url),
        "left_open": find_left_open(mine),
        "players": players,
        "guests": guests,
        "spoilt": game is None and day == days.today() and daily_dice.has_seen_dice(request, rules),
        **_make_game_context(request, game, players.rank or guests.rank, mine),
    }
    return render(request, "pages/daily.html", context, status=status)


def parse_shown_day(text: str, first: date) -> date | None:
    """Return the day that a text names, or None for an empty text. Raise Http404 for other texts,
    for days before ``first``, and for future days."""
    day = days.parse_day(text)
    if text and (day is None or not first <= day <= days.today()):
        raise Http404(_("There is no daily game for that day."))
    return day


def _make_game_context(
    request: PlayRequest, game: Game | None, rank: Rank | None, mine: PlayerDays | None
) -> dict[str, object]:
    """Return the context of the player's game. ``mine`` is None if a trial hides the results."""
    if game is None:
        return {"my_game": None}
    facts: dict[str, object] = {
        "my_game": make_past_game(game),
        "my_rank": rank and rank.place,
        "my_players": rank and rank.players,
        "unranked": game.unranked,
        "among_guests": game.among_guests,
    }
    if game.finished_at is None:
        return facts
    played = replay_game(game)
    moves = played.moves if mine is not None else ()
    shared = sharing.make_shared(game, rank, moves, owner=True)
    end = make_day_end(game, rank, moves, shared, mine) if mine is not None else None
    link = request.build_absolute_uri(shared.address) if shared else ""
    return facts | {
        "end": end,
        "shared": shared,
        "share_text": f"{shared.text}\n{link}" if shared else "",
        "boxes": compare_with_perfect(played) if mine is not None else None,
    }


@never_cache
@require_safe
def result(request: PlayRequest, signed: str) -> HttpResponse:
    shared = _find_shared_result(signed)
    player = request.visitor.player
    blinded = hides_advice_from(player)
    context = {
        "result": shared,
        "picture": request.build_absolute_uri(reverse("day_picture", args=[signed])),
        "address": request.build_absolute_uri(),
        "squares": "" if blinded else shared.squares,
        "daily_url": rulesets.make_daily_url(shared.game.rules),
        "countdown": make_countdown(),
    }
    return render(request, "pages/result.html", context)


@require_safe
def picture(request: PlayRequest, signed: str) -> HttpResponse:
    """Return the preview picture of a link. It shows the game's current rank."""
    return answer_picture(request, _find_shared_result(signed).game)


def _find_shared_result(signed: str) -> DayResult:
    try:
        game_id = signing.Signer(salt=sharing.SALT).unsign(signed)
    except signing.BadSignature as error:
        raise NoSuchGame from error
    game = query_games().filter(pk=game_id).first()
    if game is None or not find_kind(game).ranked or game.finished_at is None:
        raise NoSuchGame
    return make_day_result(game)
