"""Pictures of results for links that are shared."""

from collections.abc import Callable
from functools import lru_cache
from html import escape

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from game.core.words import labels
from game.models import Game
from game.pages.board.sharing import LOST
from game.pages.daily.daily_board import DayResult, day_result
from game.pages.requests.limits import TooMuch, check_picture
from solver.charts.png import png

WIDTH, HEIGHT, LEFT = 1200, 630, 80  # of a result
SIDE, GAP = 58, 10  # of a square
# As the pages are printed: ink on ivory, and red for points that a move gave away.
GROUND, INK, FAINT, RED = "#efe9db", "#17160f", "#56554a", "#b3210c"
HEAVY = 9  # of a stroke around figures: the font that comes along has no heavier weight
PIPS = ((30, 30), (70, 30), (50, 50), (30, 70), (70, 70))


def result_picture(result: DayResult) -> bytes:
    facts = (str(result.game.final_score), result.place, result.better)
    return _png(_svg(result.title, *facts, result.squares))


def challenge_picture(game: Game) -> bytes:
    """Nothing of how it was played: anyone who follows the link has the same dice before them."""
    claim = _("%(name)s made this. Beat it.") % {"name": labels.nickname(game.player)}
    same = _("The same dice for you, and then both games turn by turn.")
    return _png(_svg(labels.ruleset_name(game.rules), str(game.final_score), claim, same, ""))


@lru_cache(maxsize=64)
def _png(svg: str) -> bytes:
    return png(svg, scale=1.0)


def _svg(title: str, score: str, place: str, better: str, squares: str) -> str:
    return "".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}"'
            f' width="{WIDTH}" height="{HEIGHT}">',
            f'<rect width="{WIDTH}" height="{HEIGHT}" fill="{GROUND}"/>',
            f'<rect width="{WIDTH}" height="16" fill="{INK}"/>',
            _die(WIDTH - LEFT - 100, 70),
            _text(title, 120, 44, FAINT),
            _figure(score),
            _text(place, 400, 48, INK, bold=True),
            _text(better, 455, 38, FAINT),
            *(_square(place, square) for place, square in enumerate(squares)),
            "</svg>",
        )
    )


def _text(words: str, y: int, size: int, colour: str, *, bold: bool = False) -> str:
    weight = 600 if bold else 400
    return (
        f'<text x="{LEFT}" y="{y}" font-family="Source Sans Pro" font-size="{size}"'
        f' font-weight="{weight}" fill="{colour}">{escape(words)}</text>'
    )


def _figure(score: str) -> str:
    return (
        f'<text transform="translate({LEFT} 335) scale(.84 1)" font-family="Source Sans Pro"'
        f' font-size="260" font-weight="600" fill="{INK}" stroke="{INK}" stroke-width="{HEAVY}"'
        f' stroke-linejoin="round">{escape(score)}</text>'
    )


def _die(x: int, y: int) -> str:
    """Return the sign of the house, 100 units wide."""
    pips = "".join(f'<circle cx="{cx}" cy="{cy}" r="9" fill="{GROUND}"/>' for cx, cy in PIPS)
    body = f'<rect width="100" height="100" rx="19" fill="{INK}"/>'
    return f'<g transform="translate({x} {y})">{body}{pips}</g>'


def _square(place: int, square: str) -> str:
    """Draw a turn: inked if it lost nothing, otherwise red as far up as it lost."""
    x, y, share = LEFT + place * (SIDE + GAP), 510, LOST[square]
    if share is None:
        return _frame(x, y, FAINT, dashes="7 6")
    if not share:
        return f'<rect x="{x}" y="{y}" width="{SIDE}" height="{SIDE}" rx="6" fill="{INK}"/>'
    top, high = y + SIDE * (1 - share), SIDE * share
    red = f'<rect x="{x}" y="{top:g}" width="{SIDE}" height="{high:g}" rx="4" fill="{RED}"/>'
    return red + _frame(x, y, RED)


def _frame(x: int, y: int, colour: str, dashes: str = "none") -> str:
    return (
        f'<rect x="{x + 2}" y="{y + 2}" width="{SIDE - 4}" height="{SIDE - 4}" rx="4" fill="none"'
        f' stroke="{colour}" stroke-width="4" stroke-dasharray="{dashes}"/>'
    )


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
