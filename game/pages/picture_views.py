"""Pictures of results, for the programs that show where a link leads."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

from game.models import Game
from game.pages.daily.daily_board import day_result
from game.pages.picture_drawing import result_picture
from game.pages.requests.limits import TooMuch, check_picture


def answer_picture(request: HttpRequest, game: Game) -> HttpResponse:
    return picture_answer(request, lambda: result_picture(day_result(game)))


def picture_answer(request: HttpRequest, draw: Callable[[], bytes]) -> HttpResponse:
    """Kept for an hour only: a place in the day changes."""
    try:
        check_picture(request)
    except TooMuch as refusal:
        return HttpResponse(refusal.message, "text/plain", status=refusal.status)
    response = HttpResponse(draw(), content_type="image/png")
    response["Cache-Control"] = "private, max-age=3600"
    return response
