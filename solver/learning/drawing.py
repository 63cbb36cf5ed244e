"""Drawings of a game, as text or as a picture: the card, the dice, and the rolls that are left."""

from collections.abc import Callable
from typing import NamedTuple

from solver.charts.frame import CHANGE, TOTAL, draw_text, make_tag
from solver.charts.png import Bytes, read_pixels, render_png
from solver.rules import State

GROUND, DIE = "#efe9db", "#fffdf6"
WIDTH, ROW, EDGE, SIDE = 240, 20, 12, 36  # pixels; SIDE is the side of a die
PIPS = (
    "4",
    "26",
    "246",
    "0268",
    "02468",
    "023568",
)  # per face: places of the pips, numbered 0 to 8 row by row


class DrawnLine(NamedTuple):
    """A line of the drawn card: a box or a sum. In an open box, brackets show the dice's points."""

    name: str
    points: str
    taken: bool = True


def list_lines(state: State) -> list[DrawnLine]:
    card = [_make_box_line(state, number) for number in range(len(state.boxes))]
    return [*card, DrawnLine("bonus", str(state.bonus)), DrawnLine("total", str(state.total))]


def _make_box_line(state: State, number: int) -> DrawnLine:
    box, name = state.boxes[number], state.rules.categories[number].id
    if box is not None:
        return DrawnLine(name, str(box.points))
    offer = state.offers.get(number)
    return DrawnLine(name, "" if offer is None else f"({offer})", taken=False)


def draw_ansi(state: State) -> str:
    width = max(len(category.id) for category in state.rules.categories)
    shown = [
        f"{name:{width}}" + (points and f" {points:>{4 if taken else 5}}")
        for name, points, taken in list_lines(state)
    ]
    if state.dice:
        faces = " ".join(map(str, state.dice))
        shown += ["", f"dice {faces}   throws left {state.throws_left}"]
    return "\n".join(shown)


def draw_rgb_array(state: State) -> Bytes:
    return read_pixels(render_png(_draw_svg(state), scale=1.0))


def _draw_svg(state: State) -> str:
    """Draw the game as SVG. The picture has the same size with and without dice."""
    lines = list_lines(state)
    foot = len(lines) * ROW + 2 * EDGE
    height = foot + SIDE + ROW + EDGE
    drawn = [make_tag("rect", width=WIDTH, height=height, fill=GROUND)]
    for row, line in enumerate(lines, 1):
        ink = TOTAL if line.taken else CHANGE
        drawn.append(draw_text(line.name.replace("_", " "), EDGE, row * ROW, fill=ink))
        drawn.append(draw_text(line.points, WIDTH - EDGE, row * ROW, fill=ink, text_anchor="end"))
    drawn += [_draw_die(face, EDGE + n * (SIDE + 8), foot) for n, face in enumerate(state.dice)]
    if state.dice:
        left = f"throws left {state.throws_left}"
        drawn.append(draw_text(left, EDGE, foot + SIDE + ROW, fill=TOTAL))
    xmlns = "http://www.w3.org/2000/svg"
    return make_tag("svg", *drawn, xmlns=xmlns, width=WIDTH, height=height, font_size=14)


def _draw_die(face: int, x: float, y: float) -> str:
    quarter = SIDE / 4
    pips = [
        make_tag(
            "circle", cx=x + (at % 3 + 1) * quarter, cy=y + (at // 3 + 1) * quarter, r=3, fill=TOTAL
        )
        for at in map(int, PIPS[face - 1])
    ]
    body = make_tag("rect", x=x, y=y, width=SIDE, height=SIDE, rx=7, fill=DIE, stroke=TOTAL)
    return body + "".join(pips)


DRAWN: dict[str, Callable[[State], str | Bytes]] = {"ansi": draw_ansi, "rgb_array": draw_rgb_array}
