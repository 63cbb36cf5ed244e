"""The ladder of programs: how well each plays, who waits, and the programs of one's own."""

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from game import services
from game.board import choices
from game.coach.blinding import check_not_blinded
from game.judgement.tables import asked
from game.models import Player
from game.selectors.duels.lobby import with_seats
from game.selectors.ladder import FEWEST, duels_waiting, ladder_places, programs_of
from game.services import Refused
from game.web.forms import ProgramForm
from game.web.limits import check_nickname
from game.web.rulesets import rules_named
from game.web.visitors import PlayRequest
from game.words import labels


@never_cache
@require_safe
def ladder(request: PlayRequest, ruleset: str = "") -> HttpResponse:
    rules = rules_named(ruleset)
    value_start = asked(rules, lambda coach: coach.value_start)
    places = [] if value_start is None else ladder_places(rules, value_start)
    context = {
        "game_name": labels.ruleset_name(rules),
        "choices": choices.choices(rules, choices.ladder_url),
        "fewest": FEWEST,
        "places": [(place, labels.player(place.program.owner)) for place in places],
        "waiting": [
            (one.duel, labels.player(one.players[0]))
            for one in with_seats(duels_waiting(rules.id, besides=request.visitor.player))
        ],
    }
    return render(request, "ladder/ladder.html", context)


@never_cache
@sensitive_post_parameters()
@require_http_methods(["GET", "HEAD", "POST"])
def programs(request: PlayRequest) -> HttpResponse:
    """A token is in the answer that makes it, and nowhere else."""
    owner = _owner(request)
    form, token = ProgramForm(request.POST or None), ""
    if request.method == "POST" and form.is_valid():
        try:
            check_nickname(request)
            _made, token = services.program_make(owner=owner, **form.cleaned_data)
        except Refused as refusal:
            form.add_error(None, refusal.message)
    status = 400 if form.errors else 200
    context = {
        "form": ProgramForm() if token else form,
        "token": token,
        "programs": programs_of(owner),
        "address": request.build_absolute_uri("/").rstrip("/"),
    }
    return render(request, "ladder/programs.html", context, status=status)


@require_POST
def revoke(request: PlayRequest, number: int) -> HttpResponse:
    services.program_revoke(owner=_owner(request), number=number)
    messages.success(request, _("Its token is worth nothing any more."))
    return redirect("ladder_programs")


def _owner(request: PlayRequest) -> Player:
    """An account, in no trial."""
    player = request.visitor.player
    check_not_blinded(player)
    if player is None or player.user_id is None:
        raise PermissionDenied(_("A program belongs to an account: sign in first."))
    return player
