"""Duels: the list of challenges, and a table of its own for each."""

from collections.abc import Callable

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from game import services
from game.board.opponents import ladder
from game.board.records import player_standing
from game.coach.blinding import closed_by
from game.models import Player
from game.selectors.duels.lobby import Challenge, open_challenges, own_duels
from game.selectors.duels.opponents import opponents, own_level
from game.selectors.studies import studies
from game.services import InTrial, NotUnderstood, Refused
from game.views.duel_pages import duel_page
from game.web.duel_forms import FRIEND, DuelForm, asked_rules
from game.web.forms import AddedForm, HeldForm
from game.web.limits import check_start
from game.web.push import public_key
from game.web.rulesets import rules_asked, rules_links
from game.web.visitors import PlayRequest
from game.words import duels as words
from game.words import labels
from game.words import opponents as characters
from solver.rules import Ruleset


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def lobby(request: PlayRequest) -> HttpResponse:
    player = request.visitor.player
    _check_may_play(player)
    rules = rules_asked(request)
    if request.method != "POST":
        return _lobby(request, rules)
    rules = asked_rules(request.POST, rules)
    form = DuelForm(rules, request.POST)
    if not form.is_valid():
        return _lobby(request, rules, form, status=400)
    try:
        check_start(request, player)
        duel, owner = services.duel_create(player=player, **form.setting)
    except Refused as refusal:
        form.add_error(None, refusal.message)
        return _lobby(request, rules, form, status=refusal.status)
    request.visitor.become(owner)
    return redirect("duel", duel.token)


def _check_may_play(player: Player | None) -> None:
    if player is not None and studies().include(player):
        raise InTrial


def _lobby(
    request: PlayRequest, rules: Ruleset, form: DuelForm | None = None, status: int = 200
) -> HttpResponse:
    player = request.visitor.player
    level = None if closed_by() else own_level(player, rules)
    programs = opponents(rules)
    found = ladder(programs, level, request.GET.get("opponent", "")) if programs else None
    awaited = request.visitor.awaited
    own = [_row(one) | {"mine": one.duel.token in awaited} for one in own_duels(player)]
    own.sort(key=lambda row: not row["mine"])
    context = {
        "form": form or DuelForm(rules, opponent=found.first.id if found else FRIEND),
        "ladder": found,
        "choices": rules_links(rules),
        "challenges": list(map(_row, open_challenges(player, timezone.now()))),
        "under_way": [row for row in own if row["state"] != "finished"],
        "standing": player_standing(player, rules, judged=not closed_by()) if player else None,
        "over": [row for row in own if row["state"] == "finished"],
        "push_key": public_key(),
    }
    return render(request, "duels/lobby.html", context, status=status)


def _row(challenge: Challenge) -> dict[str, object]:
    duel = challenge.duel
    return {
        "token": duel.token,
        "state": duel.state,
        "created": duel.created_at,
        "game_name": labels.ruleset_name(duel.rules),
        "players": ", ".join(map(labels.player, challenge.players)),
        "faces": [characters.face_of_player(one) for one in challenge.players],
        "free": challenge.free,
        "clock": words.setting(duel, challenge.people),
    }


@never_cache
@require_safe
def duel(request: PlayRequest, token: str) -> HttpResponse:
    return duel_page(request, token, held=HeldForm(request.GET).slots)


@never_cache
@require_POST
def join(request: PlayRequest, token: str) -> HttpResponse:
    player = request.visitor.player
    try:
        check_start(request, player)
        _, owner = services.duel_join(token=token, player=player, added=_added(request))
    except Refused as refusal:
        return duel_page(request, token, message=refusal.message, status=refusal.status)
    request.visitor.become(owner)
    return redirect("duel", token)


def _added(request: PlayRequest) -> str:
    form = AddedForm(request.POST)
    if not form.is_valid():
        raise NotUnderstood
    return str(form.cleaned_data["added"])


@never_cache
@require_POST
def leave(request: PlayRequest, token: str) -> HttpResponse:
    try:
        found = services.duel_leave(token=token, player=request.visitor.player)
    except Refused as refusal:
        return duel_page(request, token, message=refusal.message, status=refusal.status)
    return redirect("duels") if found.state == "withdrawn" else redirect("duel", token)


@never_cache
@require_POST
def claim(request: PlayRequest, token: str) -> HttpResponse:
    return _ended(request, token, services.duel_claim)


@never_cache
@require_POST
def call_off(request: PlayRequest, token: str) -> HttpResponse:
    return _ended(request, token, services.duel_call_off)


def _ended(request: PlayRequest, token: str, end: Callable[..., object]) -> HttpResponse:
    """For the others too; the page of the duel says what came of it."""
    try:
        end(token=token, player=request.visitor.player)
    except Refused as refusal:
        return duel_page(request, token, message=refusal.message, status=refusal.status)
    return redirect("duel", token)


@never_cache
@require_POST
def rematch(request: PlayRequest, token: str) -> HttpResponse:
    try:
        check_start(request, request.visitor.player)
        again = services.duel_rematch(
            token=token, player=request.visitor.player, added=_added(request)
        )
    except Refused as refusal:
        return duel_page(request, token, message=refusal.message, status=refusal.status)
    return redirect("duel", again.token)
