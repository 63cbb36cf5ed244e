"""SVG as PNG, with a font that comes along (a server often has none), and PNG as pixels."""

from collections.abc import Callable
from pathlib import Path
from struct import unpack_from
from zlib import decompress

import numpy as np
import numpy.typing as npt

FONT = "Source Sans Pro"  # solver/charts/font, with its licence
FILES = sorted((Path(__file__).parent / "font").glob("*.ttf"))
SCALE = 3.0  # pixels a unit of the drawing: sharp in print
CHANNELS = 4
LEFT, ABOVE, MEAN, NEAREST = 1, 2, 3, 4  # what a line is told as the difference from

Bytes = npt.NDArray[np.uint8]


def png(svg: str, scale: float = SCALE) -> bytes:
    from resvg_py import svg_to_bytes

    return svg_to_bytes(
        svg_string=svg,
        background="white",
        zoom=scale,
        skip_system_fonts=True,
        font_files=[str(path) for path in FILES],
        font_family=FONT,
        sans_serif_family=FONT,
    )


def pixels(picture: bytes) -> Bytes:
    """[line, column, red green blue] of what ``png`` makes: eight bits, four channels."""
    width, height = unpack_from(">II", picture, 16)
    packed, at = b"", 8
    while at < len(picture):
        size, kind = unpack_from(">I4s", picture, at)
        packed += picture[at + 8 : at + 8 + size] if kind == b"IDAT" else b""
        at += size + 12
    lines = np.frombuffer(decompress(packed), np.uint8).reshape(height, 1 + CHANNELS * width)
    shown = np.zeros((height + 1, width + 1, CHANNELS), np.uint8)  # beyond the edges is nothing
    for n, line in enumerate(lines):
        shown[n + 1, 1:] = _line(line[0], line[1:].reshape(width, CHANNELS), shown[n])
    return shown[1:, 1:, :3].copy()


def _line(filter_of_line: int, line: Bytes, above: Bytes) -> Bytes:
    """Return a line of a picture, which is told as the difference from its neighbours."""
    if filter_of_line == LEFT:
        return np.cumsum(line, axis=0, dtype=np.uint8)
    if filter_of_line in (MEAN, NEAREST):
        return _by_both(line, above, _mean if filter_of_line == MEAN else _nearest)
    return line + above[1:] if filter_of_line == ABOVE else line


def _by_both(line: Bytes, above: Bytes, guess: Callable[[int, int, int], int]) -> Bytes:
    """Left and above: byte by byte, for each is needed for the next."""
    over, now = above.ravel().tolist(), [0] * CHANNELS
    for n, byte in enumerate(line.ravel().tolist()):
        now.append((byte + guess(now[n], over[n + CHANNELS], over[n])) % 256)
    return np.array(now[CHANNELS:], np.uint8).reshape(line.shape)


def _mean(left: int, above: int, corner: int) -> int:
    return (left + above) // 2


def _nearest(left: int, above: int, corner: int) -> int:
    """Return the neighbour that is nearest to left + above - corner: PNG's rule after Paeth."""
    return min((left, above, corner), key=lambda side: abs(left + above - corner - side))
