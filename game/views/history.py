"""A player's games that are over: as a list that can be narrowed down, and as a file."""

from typing import Any

from django.core.paginator import Page, Paginator
from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from game.board.cards import past_games
from game.coach import scores as charts
from game.coach.blinding import silent
from game.exports.personal import FORMATS
from game.models import Player
from game.selectors.duels.records import records
from game.selectors.games import player_scores, player_statistics, player_unfinished
from game.selectors.history import player_modes, player_past
from game.web.history import HistoryForm
from game.web.rulesets import ALL, FIELD, rules_asked, rules_played
from game.web.visitors import PlayRequest
from solver.rules import Ruleset

ON_A_PAGE = 50


@never_cache
@require_safe
def history(request: PlayRequest) -> HttpResponse:
    player = request.visitor.player
    if player is None:
        return render(request, "game/history.html")
    rules = None if request.GET.get(FIELD) == ALL else rules_asked(request)
    rivals = [one.rival for one in records(player)]
    form = HistoryForm(request.GET, player_modes(player), rivals)
    found = player_past(player, form.wanted(rules))
    page: Page[Any] = Paginator(found, ON_A_PAGE).get_page(request.GET.get("page"))
    page.object_list = past_games(page.object_list)
    named = {FIELD: rules.id if rules else ALL}
    context = {
        "page": page,
        "form": form,
        "rules_field": named,
        "every": f"?{urlencode({FIELD: ALL} | form.asked)}",
        "every_is_current": rules is None,
        "links": rules_played(player, rules, form.asked),
        "address": urlencode(named | form.asked),
        "statistics_address": urlencode(named) if rules else "",
    }
    if rules is not None and not form.asked:
        context |= _opening(player, rules)
    return render(request, "game/history.html", context, status=400 if form.errors else 200)


def _opening(player: Player, rules: Ruleset) -> dict[str, object]:
    """What stands above the list of all games by these rules."""
    summary = player_statistics(player, rules)
    return {
        "summary": summary if summary.played else None,
        "chart": scores_chart(player, rules),
        "unfinished": past_games(player_unfinished(player)),
    }


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
    asked = request.GET.get("format", "")
    name = asked if asked in FORMATS else "json"
    content_type, write = FORMATS[name]
    response = HttpResponse(content_type=content_type)
    filename = f"yatzy-{timezone.now():%Y-%m-%d}.{name}"
    response["Content-Disposition"] = f'attachment; filename="{filename}"'
    write(request.visitor.player, response)
    return response
