"""The coach's answers during a game: a hint, a chance, and the progress of its tables."""

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from game.coach.position_addresses import sign_hint
from game.core.game_queries import replay_game
from game.core.judging import judge_if_finished
from game.core.playing import count_hint
from game.core.refusals import Refused
from game.pages.board.target import make_target_line
from game.pages.rendering import answer, own_board, own_game, refuse
from game.pages.requests.forms import HeldSlotsForm
from game.pages.requests.visitors import PlayRequest


@never_cache
@require_POST
def hint(request: PlayRequest, game_id: str) -> HttpResponse:
    try:
        played = count_hint(game_id=game_id, player=request.visitor.player)
    except Refused as refusal:
        return refuse(request, game_id, refusal)
    held = HeldSlotsForm(request.POST).slots
    if not request.htmx:
        slots = ",".join(map(str, sorted(held)))
        return redirect(f"{reverse('game', args=[game_id])}?hint={sign_hint(played)}&held={slots}")
    board = own_board(request, played, held=held, hint=True)
    return answer(request, board)


@never_cache
@require_safe
def chance(request: PlayRequest, game_id: str) -> HttpResponse:
    played = replay_game(own_game(request, game_id))
    line = make_target_line(played, at_once=False)
    return render(request, "pages/_target.html", {"target": line})


@never_cache
@require_safe
def panel(request: PlayRequest, game_id: str) -> HttpResponse:
    """Return the progress of missing tables, or the board with its coach if they are ready. The
    request sends the held dice, because a new board would release them."""
    held = HeldSlotsForm(request.GET).slots
    played = judge_if_finished(replay_game(own_game(request, game_id)))
    board = own_board(request, played, held=held)
    if board.waiting is None:
        response = answer(request, board)
        response["HX-Retarget"] = "#board"
        return response
    context = {"board": board, "waiting": board.waiting}
    return render(request, "coach/_talk_waiting.html", context)
