"""SVG as text: elements, escaped; numbers, short; text, roughly measured."""

from html import escape

FONT = 12.0
# By meaning: one's own is ink, what it is held against ledger green, what tells less is grey. Files
# have these colours; pages draw the same series in those of their theme.
OWN, REFERENCE, ASIDE = 1, 2, 3
PALETTE = ("#17160f", "#1f6b45", "#77756a", "#5d9a76", "#56554a", "#8d8b7e")
TOTAL, CHANGE, LOSS = "#17160f", "#77756a", "#b3210c"
DASHES = (None, "6 3", "2 3")  # of lines, once as many were drawn as are told apart by colour
TOLD_APART = 3
MOST_LINES = TOLD_APART * len(DASHES)


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


def dash(series: int) -> str | None:
    return DASHES[min((series - 1) // TOLD_APART, len(DASHES) - 1)]


def _value(value: str | float) -> str:
    return escape(value) if isinstance(value, str) else number(value)
