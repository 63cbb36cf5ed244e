"""Marks that lead somewhere: ticks on a line, the columns around them, and where one stands."""

from collections.abc import Sequence
from dataclasses import dataclass

from solver.charts.frame import Frame, Span
from solver.charts.layers import Layer, span_of
from solver.charts.svg import colour, number, tag, words

REACH = 9.0  # around a mark that takes a click
WIDE = 5.0  # a tick
RING = 7.0


@dataclass(frozen=True, slots=True)
class Mark:
    """A tick that hangs from its point, so long; ``name`` is for a style sheet, ``title`` for who
    points at it or hears it."""

    x: float
    y: float
    length: float
    name: str
    title: str
    href: str


@dataclass(frozen=True, slots=True)
class Marks(Layer):
    marks: Sequence[Mark]
    label: str = ""
    series: int = 0

    def x_span(self) -> Span | None:
        return span_of([mark.x for mark in self.marks])

    def y_span(self) -> Span | None:
        return span_of([mark.y for mark in self.marks])

    def draw(self, frame: Frame, series: int) -> str:
        return "".join(self._mark(frame, mark, series) for mark in self.marks)

    def _mark(self, frame: Frame, mark: Mark, series: int) -> str:
        x, y = frame.x(mark.x), frame.y(mark.y)
        return tag(
            "a",
            tag("title", words(mark.title)),
            tag("circle", cx=x, cy=y, r=REACH, fill="transparent"),
            tag("path", d=tick(x, y, mark.length), fill=colour(series)),
            class_=f"chart-mark {mark.name}",
            href=mark.href,
            data_at=mark.x,
        )

    def key(self, x: float, y: float, series: int) -> str:
        return tag("path", d=tick(x + 8, y - WIDE, 2 * WIDE), fill=colour(series))


@dataclass(frozen=True, slots=True)
class Columns(Layer):
    """A link over the whole height around every x: wherever one clicks, the nearest is meant.

    For pointers alone: the marks, and whatever else leads there, are for the keyboard.
    """

    xs: Sequence[float]
    ys: Sequence[float]
    hrefs: Sequence[str]
    label: str = ""
    series: int = 0

    def x_span(self) -> Span | None:
        return span_of(self.xs)

    def draw(self, frame: Frame, series: int) -> str:
        places = zip(self.xs, self.ys, self.hrefs, strict=True)
        return "".join(self._column(frame, *place) for place in places)

    def _column(self, frame: Frame, x: float, y: float, href: str) -> str:
        left, right = frame.x(x - 0.5), frame.x(x + 0.5)
        area = tag(
            "rect",
            x=left,
            y=frame.top,
            width=right - left,
            height=frame.bottom - frame.top,
            fill="transparent",
        )
        return tag(
            "a",
            area,
            class_="chart-column",
            href=href,
            tabindex="-1",
            aria_hidden="true",
            data_at=x,
            data_x=frame.x(x),
            data_y=frame.y(y),
        )


@dataclass(frozen=True, slots=True)
class Here(Layer):
    """Where one stands: an upright line with a ring."""

    x: float
    y: float
    label: str = ""
    series: int = 0

    def draw(self, frame: Frame, series: int) -> str:
        x, y = frame.x(self.x), frame.y(self.y)
        line = tag("line", x1=x, x2=x, y1=frame.top, y2=frame.bottom, stroke="currentColor")
        ring = tag("circle", cx=x, cy=y, r=RING, fill="none", stroke="currentColor")
        return tag("g", line, ring, class_="chart-here")


def tick(x: float, y: float, length: float) -> str:
    return f"M{number(x - WIDE / 2)},{number(y)}h{WIDE:g}v{length:g}h{-WIDE:g}Z"
