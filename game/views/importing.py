"""Games that were played elsewhere, read from text."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from game import services
from game.services import Imported, Refused
from game.web.import_forms import ImportForm
from game.web.limits import check_start
from game.web.rulesets import FIELD, rules_asked, rules_links, rules_named
from game.web.visitors import PlayRequest
from game.words.game_text import MOST_GAMES
from solver.rules import Ruleset


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def games_import(request: PlayRequest) -> HttpResponse:
    if request.method != "POST":
        rules = rules_asked(request)
        return _form(request, rules, ImportForm(initial={"ruleset": rules.id}))
    rules = rules_named(request.POST.get("ruleset", ""))
    form = ImportForm(request.POST, request.FILES)
    player = request.visitor.player
    try:
        check_start(request, player)
        if not form.is_valid():
            return _form(request, rules, form, status=400)
        done = services.games_import(player=player, recorded=form.recorded)
    except Refused as refusal:
        form.add_error(None, refusal.message)
        return _form(request, rules, form, status=refusal.status)
    request.visitor.become(done.player)
    return _imported(request, done, form.recorded[0].rules)


def _form(
    request: PlayRequest, rules: Ruleset, form: ImportForm, status: int = 200
) -> HttpResponse:
    context = {"form": form, "choices": rules_links(rules), "most": MOST_GAMES}
    return render(request, "import/new.html", context, status=status)


def _imported(request: PlayRequest, done: Imported, rules: Ruleset) -> HttpResponse:
    """To the game that was imported, or to the list where there are several, or none."""
    if done.known:
        told = ngettext(
            "%(games)s game was imported before, and is not stored again.",
            "%(games)s games were imported before, and are not stored again.",
            done.known,
        )
        messages.info(request, told % {"games": done.known})
    if len(done.games) == 1:
        return redirect("game", done.games[0].pk)
    return redirect(f"{reverse('history')}?{urlencode({FIELD: rules.id})}")
