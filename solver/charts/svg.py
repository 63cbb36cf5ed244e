"""SVG as text: elements, escaped; numbers, short; text, roughly measured."""

from html import escape

FONT = 12.0
PALETTE = ("#2b6cb0", "#c2572b", "#2f855a", "#805ad5", "#b7791f", "#4a5568")
UP, DOWN, TOTAL = "#2f855a", "#c2572b", "#4a5568"


def tag(name: str, *children: str, **attributes: str | float | None) -> str:
    """An element whose children are SVG already; ``class_`` and ``stroke_width`` as in Python."""
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{_value(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    return f"<{name}{written}>{''.join(children)}</{name}>" if children else f"<{name}{written}/>"


def words(text: str) -> str:
    """Text as it may stand in an element: escaped, and without what XML forbids."""
    return escape("".join(sign for sign in text if sign >= " " or sign in "\t\n"), quote=False)


def text(content: str, x: float, y: float, **attributes: str | float | None) -> str:
    return tag("text", words(content), x=x, y=y, **attributes)


def number(value: float) -> str:
    """A coordinate: a tenth of a pixel is enough."""
    return f"{value:.1f}".removesuffix(".0")


def path(points: list[tuple[float, float]]) -> str:
    return "M" + "L".join(f"{number(x)},{number(y)}" for x, y in points)


def width_of(content: str, size: float = FONT) -> float:
    """About how wide a text becomes: no font is known here, so rather too wide."""
    return len(content) * size * 0.56


def colour(series: int) -> str:
    return PALETTE[(series - 1) % len(PALETTE)]


def _value(value: str | float) -> str:
    return escape(value) if isinstance(value, str) else number(value)
