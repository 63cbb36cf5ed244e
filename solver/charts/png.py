"""SVG to PNG, with our own font because servers often have none; and PNG to pixels."""

from pathlib import Path
from struct import unpack_from
from zlib import decompress

import numpy as np
import numpy.typing as npt

FONT = "Source Sans Pro"  # the font and its licence are in solver/charts/font
FILES = sorted((Path(__file__).parent / "font").glob("*.ttf"))
SCALE = 3.0  # pixels per unit of the drawing, enough to print it
CHANNELS = 4
# The filters of PNG. A line stores each byte as its difference from the pixel to the left, the
# pixel above, their mean, or whichever of three neighbours is nearest.
LEFT, ABOVE, MEAN, NEAREST = 1, 2, 3, 4

Bytes = npt.NDArray[np.uint8]


def render_png(svg: str, scale: float = SCALE) -> bytes:
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


def read_pixels(picture: bytes) -> Bytes:
    """Return an array [line, column, channel] of an 8-bit RGBA PNG, without the alpha channel."""
    width, height = unpack_from(">II", picture, 16)
    packed, at = b"", 8
    while at < len(picture):
        size, kind = unpack_from(">I4s", picture, at)
        packed += picture[at + 8 : at + 8 + size] if kind == b"IDAT" else b""
        at += size + 12
    lines = np.frombuffer(decompress(packed), np.uint8).reshape(height, 1 + CHANNELS * width)
    # Neighbours outside the picture count as 0.
    shown = np.zeros((height + 1, width + 1, CHANNELS), np.uint8)
    for n, kind_of_line in enumerate(lines[:, 0].tolist()):
        line, above = lines[n, 1:].reshape(width, CHANNELS), shown[n]
        if kind_of_line == LEFT:
            line = np.cumsum(line, axis=0, dtype=np.uint8)
        elif kind_of_line == ABOVE:
            line = line + above[1:]
        elif kind_of_line in (MEAN, NEAREST):
            guess = _calculate_mean if kind_of_line == MEAN else _find_nearest
            over, now = above.ravel().tolist(), [0] * CHANNELS
            for at, byte in enumerate(line.ravel().tolist()):
                now.append((byte + guess(now[at], over[at + CHANNELS], over[at])) % 256)
            line = np.array(now[CHANNELS:], np.uint8).reshape(line.shape)
        shown[n + 1, 1:] = line
    return shown[1:, 1:, :3].copy()


def _calculate_mean(left: int, above: int, corner: int) -> int:
    return (left + above) // 2


def _find_nearest(left: int, above: int, corner: int) -> int:
    """Return the neighbour that is closest to left + above - corner. This is PNG's Paeth filter."""
    return min((left, above, corner), key=lambda side: abs(left + above - corner - side))
