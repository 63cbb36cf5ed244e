"""Layers of a chart: lines, points, reference lines, histograms, bars, waterfalls, linked marks."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import numpy.typing as npt

from solver.charts.frame import (
    CHANGE,
    LOSS,
    TOTAL,
    Frame,
    Span,
    choose_colour,
    choose_dash,
    draw_text,
    escape_text,
    format_number,
    format_path,
    make_tag,
)

Floats = npt.NDArray[np.float64]
RARE = 2e-5  # share of games; rarer scores at both ends are cut off


class Layer(ABC):
    """A layer of a chart. ``series`` is the number of its colour; 0 means the next free one."""

    __slots__ = ()

    label: str
    series: int

    @property
    def bands(self) -> tuple[str, ...]:
        """The names of the bands along x, or () if the x axis shows numbers."""
        return ()

    def find_x_span(self) -> Span | None:
        """Return the span that the layer needs on the x axis, or None."""
        return None

    def find_y_span(self) -> Span | None:
        return None

    @abstractmethod
    def draw(self, frame: Frame, series: int) -> str: ...

    def draw_key(self, x: float, y: float, series: int) -> str:
        """Return the layer's sample for the legend; its left edge has its middle at ``x, y``."""
        return ""


@dataclass(frozen=True, slots=True)
class Line(Layer):
    """A line. ``band`` has the heights of two more lines, with a tinted area between them. ``area``
    tints the area between the line and zero. With ``bands``, x is the index of a band."""

    xs: Sequence[float]
    ys: Sequence[float]
    label: str = ""
    band: tuple[Sequence[float], Sequence[float]] | None = None
    area: bool = False
    dashed: bool = False
    series: int = 0
    bands: tuple[str, ...] = ()

    def find_x_span(self) -> Span | None:
        return find_span(self.xs)

    def find_y_span(self) -> Span | None:
        heights = [*self.ys]
        for edge in self.band or ():
            heights += edge
        return find_span(heights, from_zero=self.area)

    def draw(self, frame: Frame, series: int) -> str:
        if not len(self.xs):
            return ""
        zeros: Sequence[float] = [0.0] * len(self.ys)
        edges = ([(self.ys, zeros)] if self.area else []) + ([self.band] if self.band else [])
        drawn = []
        for high, low in edges:
            outline = place_points(frame, self.xs, high) + place_points(frame, self.xs, low)[::-1]
            drawn.append(
                make_tag(
                    "path",
                    class_=f"chart-band series-{series}",
                    d=format_path(outline) + "Z",
                    fill=choose_colour(series),
                    fill_opacity="0.16",
                )
            )
        line = make_tag(
            "path",
            class_=f"chart-line series-{series}",
            d=format_path(place_points(frame, self.xs, self.ys)),
            fill="none",
            stroke=choose_colour(series),
            stroke_width=1.8,
            stroke_linejoin="round",
            stroke_dasharray="5 4" if self.dashed else choose_dash(series),
        )
        return "".join(drawn) + line

    def draw_key(self, x: float, y: float, series: int) -> str:
        return make_tag(
            "line",
            class_=f"chart-line series-{series}",
            x1=x,
            x2=x + 16,
            y1=y,
            y2=y,
            stroke=choose_colour(series),
            stroke_width=2,
            stroke_dasharray="5 4" if self.dashed else choose_dash(series),
        )


@dataclass(frozen=True, slots=True)
class Points(Layer):
    """Dots with tooltips. ``titles`` are the tooltips."""

    xs: Sequence[float]
    ys: Sequence[float]
    label: str = ""
    titles: Sequence[str] = ()
    series: int = 0
    bands: tuple[str, ...] = ()

    def find_x_span(self) -> Span | None:
        return find_span(self.xs)

    def find_y_span(self) -> Span | None:
        return find_span(self.ys)

    def draw(self, frame: Frame, series: int) -> str:
        titles = [*self.titles] + [""] * (len(self.xs) - len(self.titles))
        places = place_points(frame, self.xs, self.ys)
        return "".join(
            self._draw_dot(x, y, series, title)
            for (x, y), title in zip(places, titles, strict=True)
        )

    def _draw_dot(self, x: float, y: float, series: int, title: str = "") -> str:
        return make_tag(
            "circle",
            *([make_tag("title", escape_text(title))] if title else []),
            class_=f"chart-point series-{series}",
            cx=x,
            cy=y,
            r=3.5,
            fill=choose_colour(series),
        )

    def draw_key(self, x: float, y: float, series: int) -> str:
        return self._draw_dot(x + 8, y, series)


@dataclass(frozen=True, slots=True)
class Rule(Layer):
    """A reference line with a label: vertical at ``x``, or horizontal at ``y``. Without ``series``
    it has the colour of text. The label of a horizontal line is at its right end."""

    x: float | None = None
    y: float | None = None
    label: str = ""
    series: int = 0

    def find_x_span(self) -> Span | None:
        return None if self.x is None else Span(self.x, self.x)

    def find_y_span(self) -> Span | None:
        return None if self.y is None else Span(self.y, self.y)

    @property
    def ink(self) -> str:
        return choose_colour(self.series) if self.series else "currentColor"

    @property
    def classes(self) -> str:
        return f" series-{self.series}" if self.series else ""

    def draw(self, frame: Frame, series: int) -> str:
        ends = {"x1": frame.left, "x2": frame.right, "y1": frame.top, "y2": frame.bottom}
        if self.x is not None:
            ends["x1"] = ends["x2"] = frame.x(self.x)
        if self.y is not None:
            ends["y1"] = ends["y2"] = frame.y(self.y)
        return make_tag(
            "line",
            class_=f"chart-rule{self.classes}",
            **ends,
            stroke=self.ink,
            stroke_width=1.2,
            stroke_dasharray="3 3",
        )


def find_span(values: Sequence[float], *, from_zero: bool = False) -> Span | None:
    if not len(values):
        return None
    return Span(float(min(values)), float(max(values)), from_zero)


def place_points(
    frame: Frame, xs: Sequence[float], ys: Sequence[float]
) -> list[tuple[float, float]]:
    return [(frame.x(x), frame.y(y)) for x, y in zip(xs, ys, strict=True)]


FILLED = 0.72  # share of a band's width that bars fill


@dataclass(frozen=True, slots=True)
class Histogram(Layer):
    """Heights between edges, drawn as a single outline, so that histograms may overlap. ``tinted``
    fills the outline. ``columns`` draws separate columns, for a chart with a single histogram."""

    edges: Sequence[float]
    heights: Sequence[float]
    label: str = ""
    tinted: bool = True
    columns: bool = False
    series: int = 0

    def find_x_span(self) -> Span | None:
        return find_span(self.edges)

    def find_y_span(self) -> Span | None:
        return find_span(self.heights, from_zero=True)

    def draw(self, frame: Frame, series: int) -> str:
        if not len(self.heights):
            return ""
        spans = list(zip(self.edges, self.edges[1:], self.heights, strict=False))
        if self.columns:
            return "".join(
                draw_bar(frame, frame.x(low) + 0.5, frame.x(high) - 0.5, 0.0, height, series)
                for low, high, height in spans
            )
        steps = [(frame.x(self.edges[0]), frame.y(0.0))]
        for low, high, height in spans:
            steps += [(frame.x(low), frame.y(height)), (frame.x(high), frame.y(height))]
        steps.append((frame.x(self.edges[-1]), frame.y(0.0)))
        return make_tag(
            "path",
            class_=f"chart-histogram series-{series}",
            d=format_path(steps),
            fill=choose_colour(series) if self.tinted else "none",
            fill_opacity="0.16",
            stroke=choose_colour(series),
            stroke_width=1.5,
            stroke_linejoin="round",
        )

    def draw_key(self, x: float, y: float, series: int) -> str:
        return _draw_sample(x, y, series, solid=self.columns)


@dataclass(frozen=True, slots=True)
class Bars(Layer):
    """One bar per name, but none if its height is None. Several such layers may share the bands."""

    bands: tuple[str, ...] = field()  # required in this layer, but optional in other layers
    heights: Sequence[float | None]
    label: str = ""
    place: int = 0  # index of this layer among the layers that share the bands
    layers: int = 1  # number of layers that share the bands
    values: Sequence[str] = ()  # texts that stand above the bars
    series: int = 0

    def find_y_span(self) -> Span | None:
        heights = [height for height in self.heights if height is not None]
        return find_span(heights, from_zero=True)

    def draw(self, frame: Frame, series: int) -> str:
        width = frame.band * FILLED / self.layers
        drawn = []
        for at, height in enumerate(self.heights):
            if height is None:
                continue
            left = frame.x(at) - frame.band * FILLED / 2 + width * self.place
            title = f"{self.bands[at]}: {height:,.4g}"
            drawn.append(draw_bar(frame, left, left + width - 1, 0.0, height, series, title))
            if len(self.values) > at:
                drawn.append(draw_above(frame, left + width / 2, height, self.values[at]))
        return "".join(drawn)

    def draw_key(self, x: float, y: float, series: int) -> str:
        return _draw_sample(x, y, series, solid=True)


@dataclass(frozen=True, slots=True)
class WaterfallBar:
    label: str
    value: float
    kind: Literal["change", "loss", "total"] = "change"
    written: str = ""  # text above the bar; "" means that the value is shown


@dataclass(frozen=True, slots=True)
class Waterfall(Layer):
    """Bars of totals and changes. A total starts at zero, a change where the previous bar ends."""

    steps: tuple[WaterfallBar, ...]
    label: str = ""
    series: int = 0

    @property
    def bands(self) -> tuple[str, ...]:
        return tuple(step.label for step in self.steps)

    def list_spans(self) -> list[tuple[float, float]]:
        spans, running = [], 0.0
        for step in self.steps:
            before = 0.0 if step.kind == "total" else running
            running = before + step.value
            spans.append((before, running))
        return spans

    def find_y_span(self) -> Span | None:
        return find_span([end for span in self.list_spans() for end in span], from_zero=True)

    def draw(self, frame: Frame, series: int) -> str:
        spans = self.list_spans()
        half, drawn = frame.band * FILLED / 2, []
        for at, (_, end) in enumerate(spans[:-1]):
            joint = {"x1": frame.x(at) + half, "x2": frame.x(at + 1) - half}
            joint |= {"y1": frame.y(end), "y2": frame.y(end)}
            look = {"stroke": "currentColor", "stroke_opacity": "0.4"}
            drawn.append(make_tag("line", class_="chart-joint", **joint, **look))
        for at, (step, (start, end)) in enumerate(zip(self.steps, spans, strict=True)):
            x = frame.x(at)
            left = x - half
            ink = {"total": TOTAL, "change": CHANGE, "loss": LOSS}[step.kind]
            top, bottom = sorted((frame.y(start), frame.y(end)))
            drawn.append(
                make_tag(
                    "rect",
                    make_tag("title", escape_text(f"{step.label}: {format_step(step)}")),
                    class_=f"chart-bar chart-{step.kind}",
                    x=left,
                    width=(x + half) - left,
                    y=top,
                    height=max(1.0, bottom - top),
                    fill=ink,
                )
            )
            drawn.append(draw_above(frame, x, max(start, end), format_step(step)))
        return "".join(drawn)


def format_step(step: WaterfallBar) -> str:
    """Return a bar's text: ``written`` or else the value. A change other than 0 has a sign."""
    if step.written:
        return step.written
    size = f"{abs(step.value):.1f}"
    return (
        size
        if step.kind == "total" or not float(size)
        else f"{'+' if step.value > 0 else '−'}{size}"
    )


def draw_bar(
    frame: Frame, left: float, right: float, start: float, end: float, series: int, title: str = ""
) -> str:
    top, bottom = sorted((frame.y(start), frame.y(end)))
    return make_tag(
        "rect",
        *([make_tag("title", escape_text(title))] if title else []),
        class_=f"chart-bar series-{series}",
        x=left,
        width=max(0.5, right - left),
        y=top,
        height=bottom - top,
        fill=choose_colour(series),
        fill_opacity="0.85",
    )


def draw_above(frame: Frame, x: float, height: float, written: str) -> str:
    return draw_text(
        written,
        x,
        frame.y(max(0.0, height)) - 4,
        class_="chart-value",
        text_anchor="middle",
        font_size=11,
        fill="currentColor",
    )


def _draw_sample(x: float, y: float, series: int, *, solid: bool) -> str:
    return make_tag(
        "rect",
        class_=f"chart-{'bar' if solid else 'histogram'} series-{series}",
        x=x + 2,
        y=y - 5,
        width=12,
        height=10,
        fill=choose_colour(series),
        fill_opacity="0.85" if solid else "0.16",
        stroke=None if solid else choose_colour(series),
    )


REACH = 9.0  # radius of the circle around a mark that reacts to clicks, in pixels
WIDE = 5.0  # stroke width of a tick, in pixels
RING = 7.0


@dataclass(frozen=True, slots=True)
class Mark:
    """A tick with a link, drawn downwards from a point. ``length`` is in pixels."""

    x: float
    y: float
    length: float
    name: str  # CSS class of the mark
    title: str
    href: str


@dataclass(frozen=True, slots=True)
class Marks(Layer):
    marks: Sequence[Mark]
    label: str = ""
    series: int = 0

    def find_x_span(self) -> Span | None:
        return find_span([mark.x for mark in self.marks])

    def find_y_span(self) -> Span | None:
        return find_span([mark.y for mark in self.marks])

    def draw(self, frame: Frame, series: int) -> str:
        drawn = []
        for mark in self.marks:
            x, y = frame.x(mark.x), frame.y(mark.y)
            drawn.append(
                make_tag(
                    "a",
                    make_tag("title", escape_text(mark.title)),
                    make_tag("circle", cx=x, cy=y, r=REACH, fill="transparent"),
                    make_tag("path", d=draw_tick(x, y, mark.length), fill=choose_colour(series)),
                    class_=f"chart-mark {mark.name}",
                    href=mark.href,
                    data_at=mark.x,
                )
            )
        return "".join(drawn)

    def draw_key(self, x: float, y: float, series: int) -> str:
        return make_tag("path", d=draw_tick(x + 8, y - WIDE, 2 * WIDE), fill=choose_colour(series))


@dataclass(frozen=True, slots=True)
class Columns(Layer):
    """Invisible links, one per x value and as high as the plot, so that a click opens the nearest
    link. They are only for the pointer; marks and other links are for the keyboard."""

    xs: Sequence[float]
    ys: Sequence[float]
    hrefs: Sequence[str]
    label: str = ""
    series: int = 0

    def find_x_span(self) -> Span | None:
        return find_span(self.xs)

    def draw(self, frame: Frame, series: int) -> str:
        drawn, height = [], frame.bottom - frame.top
        for x, y, href in zip(self.xs, self.ys, self.hrefs, strict=True):
            left, right = frame.x(x - 0.5), frame.x(x + 0.5)
            place = {"x": left, "y": frame.top, "width": right - left, "height": height}
            drawn.append(
                make_tag(
                    "a",
                    make_tag("rect", **place, fill="transparent"),
                    class_="chart-column",
                    href=href,
                    tabindex="-1",
                    aria_hidden="true",
                    data_at=x,
                    data_x=frame.x(x),
                    data_y=frame.y(y),
                )
            )
        return "".join(drawn)


@dataclass(frozen=True, slots=True)
class Here(Layer):
    """A marker of the current position: a vertical line with a ring."""

    x: float
    y: float
    label: str = ""
    series: int = 0

    def draw(self, frame: Frame, series: int) -> str:
        x, y = frame.x(self.x), frame.y(self.y)
        line = make_tag("line", x1=x, x2=x, y1=frame.top, y2=frame.bottom, stroke="currentColor")
        ring = make_tag("circle", cx=x, cy=y, r=RING, fill="none", stroke="currentColor")
        return make_tag("g", line, ring, class_="chart-here")


def draw_tick(x: float, y: float, length: float) -> str:
    return f"M{format_number(x - WIDE / 2)},{format_number(y)}h{WIDE:g}v{length:g}h{-WIDE:g}Z"


def pad_to_longest(*shares: Floats) -> list[Floats]:
    most = max(map(len, shares), default=0)
    return [np.pad(tens, (0, most - len(tens))) for tens in shares]


def make_histograms(named: Sequence[tuple[str, Floats]]) -> list[Layer]:
    """Return a histogram per label. Cut off scores at both ends that are rare for every label."""
    labels, rows = (
        [label for label, _tens in named],
        pad_to_longest(*(tens for _label, tens in named)),
    )
    drawn = np.flatnonzero(np.max(rows, axis=0) > RARE)
    first, last = int(drawn[0]), int(drawn[-1]) + 1
    edges = [10 * n for n in range(first, last + 1)]
    return [
        Histogram(edges, tens[first:last].tolist(), label)
        for label, tens in zip(labels, rows, strict=True)
    ]
