"""What stands beside the game: its rules, its proof, the player's past and wishes."""

from typing import Any

from django.conf import settings as site
from django.contrib import messages
from django.core.paginator import Page, Paginator
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone, translation
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from game import services
from game.board import choices
from game.board.cards import box_rules, past_games
from game.coach import scores as charts
from game.coach.blinding import silent
from game.exports.personal import FORMATS
from game.models import Player
from game.selectors.games import (
    player_finished,
    player_scores,
    player_statistics,
    player_unfinished,
)
from game.web.forms import SettingsForm
from game.web.limits import TooMuch, check_visit
from game.web.rulesets import FIELD, rules_asked, rules_named, rules_played
from game.web.visitors import PlayRequest
from game.words import labels
from game.words import rules as words
from solver.rules import Ruleset


@require_safe
def rules(request: PlayRequest, ruleset: str = "") -> HttpResponse:
    found = rules_named(ruleset)
    context = {
        "rules": found,
        "game_name": labels.ruleset_name(found),
        "choices": choices.choices(found, choices.rules_url),
        "card_url": choices.card_url(found),
        "headline": words.headline(found),
        "steps": words.steps(found),
        "columns": box_rules(found),
        "notes": words.notes(found),
    }
    return render(request, "game/rules.html", context)


@require_safe
def fair(request: PlayRequest) -> HttpResponse:
    return render(request, "game/fair.html")


@never_cache
@require_safe
def history(request: PlayRequest) -> HttpResponse:
    player = request.visitor.player
    if player is None:
        return render(request, "game/history.html")
    rules = rules_asked(request)
    finished = player_finished(player, rules)
    page: Page[Any] = Paginator(finished, 50).get_page(request.GET.get("page"))
    page.object_list = past_games(page.object_list)
    summary = player_statistics(player, rules)
    context = {
        "page": page,
        "summary": summary if summary.played else None,
        "chart": scores_chart(player, rules),
        "unfinished": past_games(player_unfinished(player)),
        "links": rules_played(player, rules),
        "address": urlencode({FIELD: rules.id}),
    }
    return render(request, "game/history.html", context)


def scores_chart(player: Player, rules: Ruleset) -> str:
    """Empty where it would teach somebody in a trial, or there is nothing to show."""
    if silent(player):
        return ""
    scores, perfect = player_scores(player, rules), charts.perfect(rules)
    title = _("Your scores and those of perfect play, in tens")
    return charts.own_games(title, scores, perfect) if scores and perfect else ""


@never_cache
@require_safe
def export(request: PlayRequest) -> HttpResponse:
    """Every decision of every game of this player, as a file."""
    name = "csv" if request.GET.get("format") == "csv" else "json"
    content_type, write = FORMATS[name]
    response = HttpResponse(content_type=content_type)
    filename = f"yatzy-{timezone.now():%Y-%m-%d}.{name}"
    response["Content-Disposition"] = f'attachment; filename="{filename}"'
    write(request.visitor.player, response)
    return response


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def settings(request: PlayRequest) -> HttpResponse:
    player = request.visitor.player
    # The form validates into its instance, which must not be the player that the page still shows.
    shown = Player.objects.get(pk=player.pk) if player else Player()
    form = SettingsForm(request.POST or None, instance=shown)
    if request.method != "POST" or not form.is_valid():
        status = 400 if request.method == "POST" else 200
        return render(request, "game/settings.html", {"form": form}, status=status)
    try:
        check_visit(request, player)
    except TooMuch as refusal:
        form.add_error(None, refusal.message)
        return render(request, "game/settings.html", {"form": form}, status=refusal.status)
    player = services.player_configure(player=player, **form.cleaned_data)
    request.visitor.become(player)
    with translation.override(player.language or translation.get_language()):
        messages.success(request, _("Your settings are saved."))
    return language_kept(redirect("settings"), player)


def language_kept(response: HttpResponse, player: Player) -> HttpResponse:
    """The cookie that Django reads the language from; without one it asks the browser."""
    name = site.LANGUAGE_COOKIE_NAME
    if player.language:
        age, https = 365 * 24 * 60 * 60, site.LANGUAGE_COOKIE_SECURE
        response.set_cookie(name, player.language, max_age=age, secure=https, samesite="Lax")
    else:
        response.delete_cookie(name, samesite="Lax")
    return response
