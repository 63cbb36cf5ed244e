"""How a duel is answered: as a page, or as the fragments that have changed."""

from collections.abc import Collection

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from game.board.duel import DuelView
from game.models import Duel, Game
from game.services import AskFirst, Refused
from game.web.duels import looked_at
from game.web.visitors import PlayRequest


def duel_page(
    request: PlayRequest,
    token: str,
    *,
    held: Collection[int] | None = None,
    message: str = "",
    status: int = 200,
) -> HttpResponse:
    view = looked_at(token, request.visitor.player, held=held, message=message)
    context = {"view": view, "board": view.board, "message": message}
    return render(request, "duels/duel.html", context, status=status)


def _token_of(game: Game) -> str:
    return Duel.objects.values_list("token", flat=True).get(seats__game=game)


def moved(request: PlayRequest, game: Game) -> HttpResponse:
    token = _token_of(game)
    if not request.htmx or request.method == "GET":
        asked, address = request.GET.urlencode(), reverse("duel", args=[token])
        return redirect(f"{address}?{asked}" if asked else address)
    return _update(request, looked_at(token, request.visitor.player), 200)


def refused(request: PlayRequest, game: Game, refusal: Refused) -> HttpResponse:
    token, asks = _token_of(game), isinstance(refusal, AskFirst)
    confirm = refusal.action if isinstance(refusal, AskFirst) else None
    player = request.visitor.player
    view = looked_at(token, player, message=refusal.message, confirm=confirm)
    if request.htmx:
        return _update(request, view, refusal.status)
    context = {"view": view, "board": view.board, "message": "" if asks else refusal.message}
    return render(request, "duels/duel.html", context, status=refusal.status)


def _update(request: PlayRequest, view: DuelView, status: int) -> HttpResponse:
    context = {"view": view, "board": view.board}
    return render(request, "duels/_update.html", context, status=status)
