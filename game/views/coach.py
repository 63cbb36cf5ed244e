"""The coach's answers: a hint beside the game, and the review of a finished one."""

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from game import services
from game.board.showing import board_played
from game.coach import charts
from game.coach.addresses import hint_proof
from game.coach.blinding import check_review
from game.coach.review import Review, review
from game.coach.waiting import waiting
from game.fair.source import dice_of
from game.judgement.severity import GRADES, SEVERITIES
from game.judgement.tables import advisor
from game.models import Game
from game.selectors.games import game_played, games
from game.services import NoSuchGame, Refused
from game.views.rendering import answer, own_game, refuse
from game.views.waiting import silent
from game.web.forms import HeldSlotsForm
from game.web.visitors import PlayRequest
from solver.making import EXPLAIN


@never_cache
@require_POST
def hint(request: PlayRequest, game_id: str) -> HttpResponse:
    try:
        played = services.game_hint(game_id=game_id, player=request.visitor.player)
    except Refused as refusal:
        return refuse(request, game_id, refusal)
    held = HeldSlotsForm(request.POST).slots
    if not request.htmx:
        slots = ",".join(map(str, sorted(held)))
        return redirect(f"{reverse('game', args=[game_id])}?hint={hint_proof(played)}&held={slots}")
    board = board_played(played, viewer=request.visitor.player, held=held, hint=True)
    return answer(request, board)


@never_cache
@require_safe
def panel(request: PlayRequest, game_id: str) -> HttpResponse:
    """For a board that waits for its coach: how far the tables are, then the board with the coach.

    The dice that are held come along, since a board that is sent anew would let go of them.
    """
    held = HeldSlotsForm(request.GET).slots
    played = game_played(own_game(request, game_id))
    board = board_played(played, viewer=request.visitor.player, held=held)
    if board.coach is None or board.coach.available:
        response = answer(request, board)
        response["HX-Retarget"] = "#board"
        return response
    context = {"board": board, "coach": board.coach}
    return render(request, "coach/_talk_waiting.html", context)


@never_cache
@require_safe
def game_review(request: PlayRequest, game_id: str) -> HttpResponse:
    return _review_page(request, own_game(request, game_id), reverse("review", args=[game_id]))


@never_cache
@require_safe
def review_shared(request: PlayRequest, share_token: str) -> HttpResponse:
    game = games().filter(share_token=share_token).first()
    if game is None:
        raise NoSuchGame
    return _review_page(request, game, reverse("review_shared", args=[share_token]))


def _review_page(request: PlayRequest, game: Game, here: str) -> HttpResponse:
    check_review(game, request.visitor.player)
    coach = advisor(game.rules)
    if coach is None:
        return silent(request, game.rules)
    services.game_judge(game=game)
    found = review(coach, dice_of(game), game_played(game).actions)
    number = _step_number(request, found)
    context = {
        "game": game,
        "review": found,
        "step": found.steps[number - 1],
        "previous": number - 1 if number > 1 else None,
        "next": number + 1 if number < len(found.steps) else None,
        "here": here,
        "waiting": None if coach.explain else waiting(game.rules, EXPLAIN),
        "shared": request.build_absolute_uri(reverse("review_shared", args=[game.share_token])),
    }
    if request.htmx:
        return render(request, "coach/_step.html", context)
    context |= {
        "course": charts.course(found),
        "ledger": charts.ledger(found),
        "severities": SEVERITIES,
        "grades": GRADES[:-1],
    }
    return render(request, "coach/review.html", context)


def _step_number(request: PlayRequest, found: Review) -> int:
    """The step that the address names, else the costliest one."""
    asked = request.GET.get("step", "")
    if asked.isdecimal() and len(asked) < 5 and 1 <= int(asked) <= len(found.steps):
        return int(asked)
    return found.mistakes[0].number if found.mistakes else 1
