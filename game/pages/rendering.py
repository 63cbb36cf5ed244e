"""Responses with a board: a page, a part of a page for htmx, or a redirect after a POST."""

from collections.abc import Callable, Mapping
from typing import Protocol, Unpack

from django.http import HttpResponse
from django.shortcuts import redirect, render

from game.core import access
from game.core.game_queries import Played, replay_game
from game.core.refusals import AskFirst, NotUnderstood, Refused
from game.models import Game
from game.pages.board.board import Board
from game.pages.board.showing import BoardNotes, make_played_board
from game.pages.presentation import load_pages
from game.pages.requests.visitors import PlayRequest


class ActionForm(Protocol):
    @property
    def action(self) -> Mapping[str, object]: ...
    def is_valid(self) -> bool: ...


def own_game(request: PlayRequest, game_id: str) -> Game:
    return access.find_own_game(game_id, request.visitor.player)


def own_board(
    request: PlayRequest,
    played: Played,
    *,
    hint: bool = False,
    coach_asks: bool = False,
    **said: Unpack[BoardNotes],
) -> Board:
    visitor = request.visitor
    return make_played_board(
        played,
        viewer=visitor.player,
        newcomer=visitor.newcomer,
        hint=hint,
        coach_asks=coach_asks,
        **said,
    )


def answer_page(request: PlayRequest, board: Board, status: int = 200) -> HttpResponse:
    return render(request, "pages/play.html", {"board": board}, status=status)


def answer(request: PlayRequest, board: Board, status: int = 200) -> HttpResponse:
    template = "pages/_update.html" if request.htmx else "pages/play.html"
    return render(request, template, {"board": board}, status=status)


def act(
    request: PlayRequest, game_id: str, form: ActionForm, service: Callable[..., Played]
) -> HttpResponse:
    """Carry out the form's action and show the board. If the action is refused, show the reason."""
    try:
        if not form.is_valid():
            raise NotUnderstood
        played = service(game_id=game_id, player=request.visitor.player, **form.action)
    except Refused as refusal:
        return refuse(request, game_id, refusal)
    elsewhere = load_pages(played.game.mode).elsewhere(request, played.game, None)
    if elsewhere is not None:
        return elsewhere
    if request.htmx:
        return answer(request, own_board(request, played))
    return redirect("game", played.game.pk)


def refuse(request: PlayRequest, game_id: str, refusal: Refused) -> HttpResponse:
    game = own_game(request, game_id)
    elsewhere = load_pages(game.mode).elsewhere(request, game, refusal)
    if elsewhere is not None:
        return elsewhere
    played = replay_game(game)
    board = own_board(
        request,
        played,
        message=refusal.message,
        doubted=refusal.action if isinstance(refusal, AskFirst) else None,
        coach_asks=isinstance(refusal, AskFirst) and refusal.coach,
        typed=request.POST.get("faces", "")[:20],
    )
    return answer(request, board, refusal.status)
