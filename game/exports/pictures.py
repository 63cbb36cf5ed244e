"""Our own charts as PNG, with a font that comes along: a server often has none.

And a finished daily game as the picture that other programs show beside a link to it.
"""

from functools import lru_cache
from html import escape

from game.board.daily import DayResult
from game.judgement.squares import COLOURS

FONT = "Source Sans Pro"
SCALE = 3.0  # pixels a unit of the drawing: sharp in print
WIDTH, HEIGHT, LEFT = 1200, 630, 80  # of a result
SIDE, GAP = 58, 10  # of a square


def png(svg: str, scale: float = SCALE) -> bytes:
    from font_source_sans_pro import font_files_ttf as files
    from resvg_py import svg_to_bytes

    return svg_to_bytes(
        svg_string=svg,
        background="white",
        zoom=scale,
        skip_system_fonts=True,
        font_files=[files["SourceSansPro"], files["SourceSansProSemibold"]],
        font_family=FONT,
        sans_serif_family=FONT,
    )


def result_picture(result: DayResult) -> bytes:
    facts = (str(result.game.final_score), result.place, result.better)
    return _png(_svg(result.title, *facts, result.squares))


@lru_cache(maxsize=64)
def _png(svg: str) -> bytes:
    return png(svg, scale=1.0)


def _svg(title: str, score: str, place: str, better: str, squares: str) -> str:
    return "".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}"'
            f' width="{WIDTH}" height="{HEIGHT}">',
            f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#f4f6f7"/>',
            f'<rect width="{WIDTH}" height="14" fill="#125e78"/>',
            _text(title, 110, 44, "#55626e"),
            _text(score, 300, 190, "#17212b", bold=True),
            _text(place, 375, 48, "#17212b"),
            _text(better, 435, 40, "#55626e"),
            *(_square(place, one) for place, one in enumerate(squares)),
            "</svg>",
        )
    )


def _text(words: str, y: int, size: int, colour: str, *, bold: bool = False) -> str:
    weight = 600 if bold else 400
    return (
        f'<text x="{LEFT}" y="{y}" font-family="Source Sans Pro" font-size="{size}"'
        f' font-weight="{weight}" fill="{colour}">{escape(words)}</text>'
    )


def _square(place: int, one: str) -> str:
    x = LEFT + place * (SIDE + GAP)
    return f'<rect x="{x}" y="490" width="{SIDE}" height="{SIDE}" rx="10" fill="{COLOURS[one]}"/>'
