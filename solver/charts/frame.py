"""SVG as text, and the frame of a chart: axes, ticks, and where values lie in pixels."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from math import ceil, floor, isfinite, log10

FONT = 12.0
# Colour numbers by meaning: the player (ink), the reference (ledger green), the context (grey). SVG
# files use the colours of ``PALETTE``. A page draws them in the colours of its theme.
OWN, REFERENCE, ASIDE = 1, 2, 3
PALETTE = ("#17160f", "#1f6b45", "#77756a", "#44805d", "#56554a", "#8d8b7e")
TOTAL, CHANGE, LOSS = "#17160f", "#77756a", "#b3210c"
# Dash patterns of lines. Lines of ``TOLD_APART`` share a pattern, because their colours differ
# enough.
DASHES = (None, "6 3", "2 3")
TOLD_APART = 3


def make_tag(name: str, *children: str, **attributes: str | float | None) -> str:
    """Return an SVG element. An attribute ``class_`` becomes class, ``font_size`` font-size."""
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{_format_value(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    return f"<{name}{written}>{''.join(children)}</{name}>" if children else f"<{name}{written}/>"


def escape_text(text: str) -> str:
    return escape("".join(sign for sign in text if sign >= " " or sign in "\t\n"), quote=False)


def draw_text(content: str, x: float, y: float, **attributes: str | float | None) -> str:
    return make_tag("text", escape_text(content), x=x, y=y, **attributes)


def format_number(value: float) -> str:
    """Format a coordinate, rounded to a tenth of a pixel."""
    return f"{value:.1f}".removesuffix(".0")


def format_path(points: list[tuple[float, float]]) -> str:
    return "M" + "L".join(f"{format_number(x)},{format_number(y)}" for x, y in points)


def estimate_width(content: str, size: float = FONT) -> float:
    """Return an upper estimate of a text's width in pixels. The reader's font is unknown."""
    return len(content) * size * 0.56


def choose_colour(series: int) -> str:
    return PALETTE[(series - 1) % len(PALETTE)]


def choose_dash(series: int) -> str | None:
    return DASHES[min((series - 1) // TOLD_APART, len(DASHES) - 1)]


def _format_value(value: str | float) -> str:
    return escape(value) if isinstance(value, str) else format_number(value)


NO_BREAK = "\u00a0"
ROUND_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)


@dataclass(frozen=True, slots=True)
class Axis:
    """An axis. Missing limits come from the data of the layers. ``percent`` shows 0.25 as 25 %.

    ``whole`` is for counts, such as decisions, whose ticks must be whole numbers. ``names`` are the
    labels at y = 0, 1 and so on, from the top.
    """

    label: str = ""
    low: float | None = None
    high: float | None = None
    percent: bool = False
    whole: bool = False
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Span:
    """The range of a layer's data. ``from_zero`` is set for bars, whose axis must start at zero."""

    low: float
    high: float
    from_zero: bool = False


def join_spans(spans: Sequence[Span]) -> Span | None:
    """Return the smallest span that contains all spans, or None if there are no spans."""
    if not spans:
        return None
    return Span(
        min(span.low for span in spans),
        max(span.high for span in spans),
        any(span.from_zero for span in spans),
    )


def find_limits(axis: Axis, span: Span | None) -> tuple[float, float]:
    """Return two different limits of an axis, the lower and the upper: those of the axis itself or,
    if it has none, those of the data."""
    low, high = (span.low, span.high) if span else (0.0, 1.0)
    if span and span.from_zero:
        low, high = min(low, 0.0), max(high, 0.0)
    low = low if axis.low is None else axis.low
    high = high if axis.high is None else axis.high
    if not (isfinite(low) and isfinite(high)):
        raise ValueError("a chart needs finite numbers")
    return (low, high) if high > low else (low - 0.5, low + 0.5)


def choose_step(low: float, high: float, about: int, *, whole: bool = False) -> float:
    """Return the distance of ticks (1, 2, 2.5 or 5 times 10^n), for at most ``about`` ticks."""
    rough = max((high - low) / max(1, about), 1.0 if whole else 0.0)
    power: float = 10.0 ** floor(log10(rough))
    steps = (step * power for step in ROUND_STEPS if step * power >= rough * (1 - 1e-9))
    return next(step for step in steps if not whole or step.is_integer())


def list_ticks(low: float, high: float, about: int, *, whole: bool = False) -> tuple[float, ...]:
    step = choose_step(low, high, about, whole=whole)
    first, last = ceil(low / step - 1e-9), floor(high / step + 1e-9)
    return tuple(count * step for count in range(first, last + 1))


def format_tick(value: float, step: float, *, percent: bool = False) -> str:
    """Format a tick's value. Use as many decimals as the step needs, and a real minus sign."""
    scale = 100.0 if percent else 1.0
    value, step = value * scale, step * scale
    decimals = next(d for d in range(8) if d == 7 or abs(round(step, d) - step) < 1e-6 * step)
    written = f"{abs(value):,.{decimals}f}"
    sign = "−" if value < 0 and written.strip("0.,") else ""
    return f"{sign}{written}{NO_BREAK + '%' if percent else ''}"


@dataclass(frozen=True, slots=True)
class Frame:
    """The rectangle of the plot in pixels, the limits of its axes, and the bands along x."""

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
        """The width of a band in pixels. The middle of band n is at x(n)."""
        return (self.right - self.left) / max(1, len(self.bands))
