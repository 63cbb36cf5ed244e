"""Preview pictures of results. Other sites show them next to shared links."""

from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from html import escape

from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils.translation import gettext as _

from game.core.access import may_show_costs
from game.core.game_queries import replay_game
from game.core.words import labels
from game.core.words.equation import Equation
from game.core.words.opponent_words import SOMEBODY
from game.models import Game
from game.pages.board.sharing import LOST, format_game_squares
from game.pages.daily.daily_board import DayResult, make_day_result
from game.pages.requests.limits import TooMuch, check_rate
from solver.charts.png import render_png

WIDTH, HEIGHT, LEFT = 1200, 630, 80  # pixels: the size of a picture, and its left margin
SIDE, GAP, A_ROW = 52, 8, 10  # pixels of a square, and of the gap to the next; squares per row
FACE_LEFT = 780
# The colours of the site's pages: ink on ivory, and red for points lost.
GROUND, INK, FAINT, RED = "#efe9db", "#17160f", "#56554a", "#b3210c"
FELT, CARD, CLOTH = "#d5dfcd", "#fdfaf1", "#bfcdb8"
HEAVY = 9  # extra stroke width around digits, because the bundled font has no heavier weight
PIPS = ((30, 30), (70, 30), (50, 50), (30, 70), (70, 70))


def draw_result(result: DayResult) -> bytes:
    below = (result.place, result.better, format_luck_line(result.game, result.squares))
    return _render_png(
        result.title, result.name, result.game.final_score or 0, below, result.squares
    )


def draw_challenge(game: Game) -> bytes:
    """Return the picture of a challenge. It shows no dice, because the viewer may play them."""
    name = labels.format_nickname(game.player)
    moves = replay_game(game).moves if may_show_costs(game) else ()
    squares = format_game_squares(game, moves)
    below = (_("Beat that score."), format_luck_line(game, squares))
    title = labels.find_ruleset_name(game.rules)
    return _render_png(title, name, game.final_score or 0, below, squares)


def format_luck_line(game: Game, squares: str) -> str:
    """Format a game's luck and mistakes; "" if the picture has no squares, or without judgement."""
    score, luck, regret = game.final_score, game.luck, game.regret
    if not squares or None in (score, luck, regret):
        return ""
    sums = Equation.from_game(score or 0, luck or 0.0, regret or 0.0)
    facts = {"luck": sums.luck_words, "mistakes": sums.lost_words}
    return _("Luck %(luck)s, mistakes %(mistakes)s") % facts


@cache
def _draw_portraits() -> str:
    """Return the portraits as SVG, with fixed colours in place of CSS variables."""
    drawn: str = render_to_string("duels/_faces.html")
    for name, colour in (("ink", INK), ("skin", CARD), ("cloth", CLOTH)):
        drawn = drawn.replace(f"var(--face-{name})", colour)
    return drawn[drawn.index("<defs>") : drawn.rindex("</svg>")]


@lru_cache(maxsize=64)
def _render_png(title: str, name: str, score: int, below: Sequence[str], squares: str) -> bytes:
    """Return a PNG of a result: player, face, score, up to three lines, and squares."""
    lines = [line for line in below if line]
    pips = "".join(f'<circle cx="{cx}" cy="{cy}" r="9" fill="{GROUND}"/>' for cx, cy in PIPS)
    body = f'<rect width="100" height="100" rx="19" fill="{INK}"/>'
    turns = []
    for place, square in enumerate(squares):
        # Black without a loss, dashed if not judged, else filled with red to a height that grows
        # with the loss.
        x, y = LEFT + place % A_ROW * (SIDE + GAP), 500 + place // A_ROW * (SIDE + GAP)
        share = LOST[square]
        if share is None:
            turns.append(_draw_frame(x, y, FAINT, dashes="7 6"))
        elif not share:
            black = f'<rect x="{x}" y="{y}" width="{SIDE}" height="{SIDE}" rx="6" fill="{INK}"/>'
            turns.append(black)
        else:
            top, high = y + SIDE * (1 - share), SIDE * share
            size = f'width="{SIDE}" height="{high:g}"'
            turns.append(f'<rect x="{x}" y="{top:g}" {size} rx="4" fill="{RED}"/>')
            turns.append(_draw_frame(x, y, RED))
    svg = "".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}"'
            f' width="{WIDTH}" height="{HEIGHT}">{_draw_portraits()}',
            f'<rect width="{WIDTH}" height="{HEIGHT}" fill="{GROUND}"/>',
            f'<rect x="{FACE_LEFT}" width="{WIDTH - FACE_LEFT}" height="{HEIGHT}" fill="{FELT}"/>',
            f'<use href="#face-{SOMEBODY}" x="{FACE_LEFT + 10}" y="{HEIGHT - 407}"'
            ' width="400" height="407"/>',
            f'<rect width="{WIDTH}" height="16" fill="{INK}"/>',
            f'<g transform="translate({WIDTH - LEFT - 100} 70)">{body}{pips}</g>',
            _draw_text(title, 100, 40, FAINT),
            _draw_text(name, 155, 50, INK, bold=True),
            f'<text transform="translate({LEFT} 350) scale(.84 1)" font-family="Source Sans Pro"'
            f' font-size="230" font-weight="600" fill="{INK}" stroke="{INK}" stroke-width="{HEAVY}"'
            f' stroke-linejoin="round">{score}</text>',
            *(
                _draw_text(line, 398 + 42 * n, 36, FAINT if n else INK)
                for n, line in enumerate(lines)
            ),
            *turns,
            "</svg>",
        )
    )
    return render_png(svg, scale=1.0)


def _draw_text(words: str, y: int, size: int, colour: str, *, bold: bool = False) -> str:
    weight = 600 if bold else 400
    return (
        f'<text x="{LEFT}" y="{y}" font-family="Source Sans Pro" font-size="{size}"'
        f' font-weight="{weight}" fill="{colour}">{escape(words)}</text>'
    )


def _draw_frame(x: int, y: int, colour: str, dashes: str = "none") -> str:
    return (
        f'<rect x="{x + 2}" y="{y + 2}" width="{SIDE - 4}" height="{SIDE - 4}" rx="4" fill="none"'
        f' stroke="{colour}" stroke-width="4" stroke-dasharray="{dashes}"/>'
    )


def answer_picture(request: HttpRequest, game: Game) -> HttpResponse:
    return answer_with_picture(request, lambda: draw_result(make_day_result(game)))


def answer_with_picture(request: HttpRequest, draw: Callable[[], bytes]) -> HttpResponse:
    """Return the picture. Browsers may cache it only for an hour, because the rank changes."""
    try:
        check_rate(request, "picture")
    except TooMuch as refusal:
        return HttpResponse(refusal.message, "text/plain", status=refusal.status)
    response = HttpResponse(draw(), content_type="image/png")
    response["Cache-Control"] = "private, max-age=3600"
    return response
