"""A game without a network: the pages that a device keeps, what its kernel is told of the rules,
and what it hands in when there is a network again."""

from collections.abc import Callable
from functools import wraps

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.middleware.csrf import get_token
from django.template.loader import render_to_string
from django.utils import translation
from django.utils.translation import get_language
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from game import services
from game.board import offline as board
from game.board import offline_coach
from game.board import stored as stored_words
from game.services import Refused
from game.web.limits import check_start
from game.web.offline_forms import SentGameForm
from game.web.visitors import PlayRequest
from solver.pocket import facts_of
from solver.rules import RULESETS


def as_asked(page: Callable[[], str]) -> Callable[[HttpRequest], HttpResponse]:
    """The same for everybody: it knows neither a player nor a session, so it is told a language."""

    @require_safe
    @wraps(page)
    def view(request: HttpRequest) -> HttpResponse:
        asked = request.GET.get("in", "")
        with translation.override(asked if asked in dict(settings.LANGUAGES) else get_language()):
            return HttpResponse(page())

    return view


def away_page() -> str:
    """In place of a page that cannot be had now."""
    return render_to_string("offline.html")


def table_page() -> str:
    context = {
        "cards": list(board.cards()),
        "row": board.blank_row(),
        "used": board.filled_row(),
        "die": board.blank_die(),
        "words": board.words(),
        "coach": offline_coach.parts(),
    }
    return render_to_string("offline/table.html", context)


def stored_page() -> str:
    """Of what lies on a device nothing is known here: a script fills it in."""
    context = {"parts": stored_words.parts(), "words": stored_words.words()}
    return render_to_string("offline/stored.html", context)


away, table, stored = as_asked(away_page), as_asked(table_page), as_asked(stored_page)


@require_safe
def facts(request: HttpRequest) -> JsonResponse:
    """Of all rulesets at once, for whoever is without a network cannot ask for more."""
    told = {rules.id: facts_of(rules) for rules in RULESETS.values()}
    return JsonResponse(told, json_dumps_params={"separators": (",", ":")})


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def hand_in(request: PlayRequest) -> JsonResponse:
    """A service worker asks: it has no page with a token, and is answered in words to be shown."""
    if request.method != "POST":
        return JsonResponse({"token": get_token(request)})
    player, form = request.visitor.player, SentGameForm(request.POST)
    try:
        check_start(request, player)
        if not form.is_valid():
            told = " ".join(str(error) for errors in form.errors.values() for error in errors)
            # An older worker sends "text": after this status it offers the game again.
            return JsonResponse({"told": told}, status=400 if "turns" in request.POST else 409)
        game = services.game_hand_in(player=player, sent=form.sent)
    except Refused as refusal:
        return JsonResponse({"told": refusal.message}, status=refusal.status)
    if game is not None:
        request.visitor.become(game.player)
    return JsonResponse({"stored": game is not None})
