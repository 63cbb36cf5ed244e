"""Charts as pictures."""

import struct
import zlib

from solver.charts import Axis, Bars, Chart
from solver.charts.png import SCALE, render_png

MISSING = "\U0001f004"  # a tile of mah-jong
CHART = Chart("Points of three boxes", [Bars(("ones", "twos"), [1.0, 2.0])], y=Axis("points"))


def size(picture: bytes) -> tuple[int, int]:
    assert picture.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", picture[16:24])
    return width, height


def pixels(picture: bytes) -> bytes:
    at, data = 8, b""
    while at < len(picture):
        (length,) = struct.unpack(">I", picture[at : at + 4])
        if picture[at + 4 : at + 8] == b"IDAT":
            data += picture[at + 8 : at + 8 + length]
        at += 12 + length
    return zlib.decompress(data)


def test_a_chart_becomes_a_picture_three_times_its_size() -> None:
    assert size(render_png(CHART.svg())) == (SCALE * 640, SCALE * 320)


def test_words_are_drawn_on_a_machine_without_fonts() -> None:
    """The title differs, and nothing else: where no letter is drawn, the pictures are the same."""
    other = Chart("Quite another title", CHART.layers, y=CHART.y)
    assert pixels(render_png(CHART.svg())) != pixels(render_png(other.svg()))


def test_every_letter_of_our_languages_is_in_the_font() -> None:
    """A letter that is missing is drawn as a box, so two of them look alike."""
    letters = "åäöæøÅÄÖÆØéü−–…“”≥±×ΣЖΩŁš"
    drawn = {letter: pixels(render_png(_written(letter))) for letter in (*letters, MISSING)}
    missing = drawn.pop(MISSING)
    assert missing not in drawn.values()
    assert len(set(drawn.values())) == len(letters)


def _written(letter: str) -> str:
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 30 30" '
        f'font-family="system-ui, sans-serif"><text x="5" y="20">{letter}</text></svg>'
    )
