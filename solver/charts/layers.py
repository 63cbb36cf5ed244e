"""Lines, points and rules; what every layer of a chart can do."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

from solver.charts.frame import Frame, Span
from solver.charts.svg import colour, dash, path, tag, words


class Layer(ABC):
    """``series`` numbers the colour; 0 lets the chart count."""

    __slots__ = ()

    label: str
    series: int

    @property
    def bands(self) -> tuple[str, ...]:
        """Names along x, where it stands on such."""
        return ()

    def x_span(self) -> Span | None:
        """What it needs of the axis; None where it goes by the others."""
        return None

    def y_span(self) -> Span | None:
        return None

    @abstractmethod
    def draw(self, frame: Frame, series: int) -> str: ...

    def key(self, x: float, y: float, series: int) -> str:
        """The sample before the label in the legend; ``x, y`` is its left end, its middle."""
        return ""


@dataclass(frozen=True, slots=True)
class Line(Layer):
    """A line; ``band`` is two more rows of heights, and what lies between them is tinted.

    ``area`` tints down to zero. A line may stand on bands: then x counts them from 0.
    """

    xs: Sequence[float]
    ys: Sequence[float]
    label: str = ""
    band: tuple[Sequence[float], Sequence[float]] | None = None
    area: bool = False
    dashed: bool = False
    series: int = 0
    bands: tuple[str, ...] = ()

    def x_span(self) -> Span | None:
        return span_of(self.xs)

    def y_span(self) -> Span | None:
        heights = [*self.ys]
        for edge in self.band or ():
            heights += edge
        return span_of(heights, from_zero=self.area)

    def draw(self, frame: Frame, series: int) -> str:
        if not len(self.xs):
            return ""
        tinted = [self._tint(frame, *edges, series) for edges in self._edges()]
        line = tag(
            "path",
            class_=f"chart-line series-{series}",
            d=path(placed(frame, self.xs, self.ys)),
            fill="none",
            stroke=colour(series),
            stroke_width=1.8,
            stroke_linejoin="round",
            stroke_dasharray="5 4" if self.dashed else dash(series),
        )
        return "".join(tinted) + line

    def _edges(self) -> list[tuple[Sequence[float], Sequence[float]]]:
        edges = [(self.ys, [0.0] * len(self.ys))] if self.area else []
        return edges + ([self.band] if self.band else [])

    def _tint(self, frame: Frame, high: Sequence[float], low: Sequence[float], series: int) -> str:
        outline = placed(frame, self.xs, high) + placed(frame, self.xs, low)[::-1]
        return tag(
            "path",
            class_=f"chart-band series-{series}",
            d=path(outline) + "Z",
            fill=colour(series),
            fill_opacity="0.16",
        )

    def key(self, x: float, y: float, series: int) -> str:
        return tag(
            "line",
            class_=f"chart-line series-{series}",
            x1=x,
            x2=x + 16,
            y1=y,
            y2=y,
            stroke=colour(series),
            stroke_width=2,
            stroke_dasharray="5 4" if self.dashed else dash(series),
        )


@dataclass(frozen=True, slots=True)
class Points(Layer):
    """Dots; ``titles`` appear when a dot is pointed at."""

    xs: Sequence[float]
    ys: Sequence[float]
    label: str = ""
    titles: Sequence[str] = ()
    series: int = 0
    bands: tuple[str, ...] = ()

    def x_span(self) -> Span | None:
        return span_of(self.xs)

    def y_span(self) -> Span | None:
        return span_of(self.ys)

    def draw(self, frame: Frame, series: int) -> str:
        titles = [*self.titles] + [""] * (len(self.xs) - len(self.titles))
        places = placed(frame, self.xs, self.ys)
        return "".join(
            self._dot(x, y, series, title) for (x, y), title in zip(places, titles, strict=True)
        )

    def _dot(self, x: float, y: float, series: int, title: str = "") -> str:
        return tag(
            "circle",
            *([tag("title", words(title))] if title else []),
            class_=f"chart-point series-{series}",
            cx=x,
            cy=y,
            r=3.5,
            fill=colour(series),
        )

    def key(self, x: float, y: float, series: int) -> str:
        return self._dot(x + 8, y, series)


@dataclass(frozen=True, slots=True)
class Rule(Layer):
    """A line right across the plot at one x or one y; its label stands beside it.

    It takes the colour of ``series`` where one is given, and that of the text otherwise. The label
    of a y stands at the right, or ``at_start`` where lines come down to it there.
    """

    x: float | None = None
    y: float | None = None
    label: str = ""
    series: int = 0
    at_start: bool = False

    def x_span(self) -> Span | None:
        return None if self.x is None else Span(self.x, self.x)

    def y_span(self) -> Span | None:
        return None if self.y is None else Span(self.y, self.y)

    @property
    def ink(self) -> str:
        return colour(self.series) if self.series else "currentColor"

    @property
    def classes(self) -> str:
        return f" series-{self.series}" if self.series else ""

    def draw(self, frame: Frame, series: int) -> str:
        ends = {"x1": frame.left, "x2": frame.right, "y1": frame.top, "y2": frame.bottom}
        if self.x is not None:
            ends["x1"] = ends["x2"] = frame.x(self.x)
        if self.y is not None:
            ends["y1"] = ends["y2"] = frame.y(self.y)
        return tag(
            "line",
            class_=f"chart-rule{self.classes}",
            **ends,
            stroke=self.ink,
            stroke_width=1.2,
            stroke_dasharray="3 3",
        )


def span_of(values: Sequence[float], *, from_zero: bool = False) -> Span | None:
    if not len(values):
        return None
    return Span(float(min(values)), float(max(values)), from_zero)


def placed(frame: Frame, xs: Sequence[float], ys: Sequence[float]) -> list[tuple[float, float]]:
    return [(frame.x(x), frame.y(y)) for x, y in zip(xs, ys, strict=True)]
