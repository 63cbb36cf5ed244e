"""Places over many days, and what one is called there."""

from functools import partial

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from game.core.fair import days
from game.core.nicknames import player_nickname
from game.core.refusals import Refused
from game.core.words import labels
from game.pages.board import choices
from game.pages.leader_queries import FEWEST, leaders_of_all_time, leaders_of_week, week_of
from game.pages.requests.forms import NicknameForm
from game.pages.requests.limits import check_nickname, check_visit
from game.pages.requests.visitors import PlayRequest
from game.pages.ruleset_asked import rules_named


@never_cache
@require_safe
def leaders(request: PlayRequest, ruleset: str = "") -> HttpResponse:
    player = request.visitor.player
    rules = rules_named(ruleset)
    all_time = request.GET.get("span") == "all"
    today = days.today()
    places_of = (
        partial(leaders_of_all_time, rules, player)
        if all_time
        else partial(leaders_of_week, rules, today, player)
    )
    context = {
        "rules": rules,
        "game_name": labels.ruleset_name(rules),
        "choices": choices.choices(rules, choices.leaders_url),
        "all_time": all_time,
        "week": week_of(today),
        "fewest": FEWEST,
        "places": places_of(),
        "guests": places_of(guests=True),
        "my_name": labels.player(player) if player else "",
        "daily_url": choices.daily_url(rules),
    }
    return render(request, "pages/leaders.html", context)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def nickname(request: PlayRequest) -> HttpResponse:
    player = request.visitor.player
    known = {"nickname": player.nickname if player else ""}
    form = NicknameForm(request.POST or None, initial=known)
    if request.method != "POST" or not form.is_valid():
        return _nickname_page(request, form, 400 if request.method == "POST" else 200)
    try:
        check_nickname(request)
        check_visit(request, player)
        player = player_nickname(player=player, nickname=form.cleaned_data["nickname"])
    except Refused as refusal:
        form.add_error("nickname", refusal.message)
        return _nickname_page(request, form, refusal.status)
    request.visitor.become(player)
    messages.success(request, _("You are called %(name)s.") % {"name": labels.player(player)})
    return redirect("leaders")


def _nickname_page(request: PlayRequest, form: NicknameForm, status: int) -> HttpResponse:
    return render(request, "pages/nickname.html", {"form": form}, status=status)
