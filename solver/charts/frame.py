"""SVG as text, and the frame of a chart: its axes, their ticks, and where a value lies."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from math import ceil, floor, isfinite, log10

FONT = 12.0
# By meaning: one's own is ink, what it is held against ledger green, what tells less is grey. Files
# have these colours; pages draw the same series in those of their theme.
OWN, REFERENCE, ASIDE = 1, 2, 3
PALETTE = ("#17160f", "#1f6b45", "#77756a", "#44805d", "#56554a", "#8d8b7e")
TOTAL, CHANGE, LOSS = "#17160f", "#77756a", "#b3210c"
DASHES = (None, "6 3", "2 3")  # of lines, once as many were drawn as are told apart by colour
TOLD_APART = 3


def tag(name: str, *children: str, **attributes: str | float | None) -> str:
    """Return an element whose children are SVG already; ``class_`` and ``stroke_width`` as in
    Python."""
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
    """Return a coordinate: a tenth of a pixel is enough."""
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


NO_BREAK = "\u00a0"
ROUND_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)


@dataclass(frozen=True, slots=True)
class Axis:
    """Limits that are not given come from the layers; ``percent`` shows 0.25 as 25 %.

    What is counted is ``whole``: there is no decision 2.5. ``names`` stand at 0, 1, ... from the
    top of a y axis.
    """

    label: str = ""
    low: float | None = None
    high: float | None = None
    percent: bool = False
    whole: bool = False
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Span:
    """An interval of data, and whether bars stand in it, which must start at zero."""

    low: float
    high: float
    from_zero: bool = False


def joined(spans: Sequence[Span]) -> Span | None:
    """Return the smallest span around all of them."""
    if not spans:
        return None
    return Span(
        min(span.low for span in spans),
        max(span.high for span in spans),
        any(span.from_zero for span in spans),
    )


def limits(axis: Axis, span: Span | None) -> tuple[float, float]:
    """Return the axis' own limits, else those of the data; never empty."""
    low, high = (span.low, span.high) if span else (0.0, 1.0)
    if span and span.from_zero:
        low, high = min(low, 0.0), max(high, 0.0)
    low = low if axis.low is None else axis.low
    high = high if axis.high is None else axis.high
    if not (isfinite(low) and isfinite(high)):
        raise ValueError("a chart needs finite numbers")
    return (low, high) if high > low else (low - 0.5, low + 0.5)


def round_step(low: float, high: float, about: int, *, whole: bool = False) -> float:
    """Return the step of 1, 2, 2.5 or 5 times a power of ten that gives at most so many ticks."""
    rough = max((high - low) / max(1, about), 1.0 if whole else 0.0)
    power: float = 10.0 ** floor(log10(rough))
    steps = (step * power for step in ROUND_STEPS if step * power >= rough * (1 - 1e-9))
    return next(step for step in steps if not whole or step.is_integer())


def ticks(low: float, high: float, about: int, *, whole: bool = False) -> tuple[float, ...]:
    step = round_step(low, high, about, whole=whole)
    first, last = ceil(low / step - 1e-9), floor(high / step + 1e-9)
    return tuple(count * step for count in range(first, last + 1))


def roomy(low: float, high: float, axis: Axis, *, from_zero: bool) -> tuple[float, float]:
    """Return a little air above the data, and below it unless it stands on zero."""
    air = (high - low) / 20
    keep_low = axis.low is not None or (from_zero and low == 0)
    keep_high = axis.high is not None or (from_zero and high == 0)
    return (low if keep_low else low - air, high if keep_high else high + air)


def shown(value: float, step: float, *, percent: bool = False) -> str:
    """Return a tick's text: no more decimals than the step needs, a real minus sign."""
    scale = 100.0 if percent else 1.0
    value, step = value * scale, step * scale
    decimals = next(d for d in range(8) if d == 7 or abs(round(step, d) - step) < 1e-6 * step)
    written = f"{abs(value):,.{decimals}f}"
    sign = "−" if value < 0 and written.strip("0.,") else ""
    return f"{sign}{written}{NO_BREAK + '%' if percent else ''}"


@dataclass(frozen=True, slots=True)
class Frame:
    """The plot's rectangle in pixels, and what it shows. ``bands`` are the names along x."""

    left: float
    top: float
    right: float
    bottom: float
    x_limits: tuple[float, float]
    y_limits: tuple[float, float]
    bands: tuple[str, ...] = ()

    def x(self, value: float) -> float:
        low, high = self.x_limits
        return self.left + (value - low) / (high - low) * (self.right - self.left)

    def y(self, value: float) -> float:
        low, high = self.y_limits
        return self.bottom - (value - low) / (high - low) * (self.bottom - self.top)

    @property
    def band(self) -> float:
        """The width of one band; band n has its middle at x(n)."""
        return (self.right - self.left) / max(1, len(self.bands))
