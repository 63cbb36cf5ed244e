"""Histograms, bars and waterfalls."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from solver.charts.frame import Frame, Span
from solver.charts.layers import Layer, span_of
from solver.charts.svg import CHANGE, LOSS, TOTAL, colour, path, tag, text, words

FILLED = 0.72  # of its band that a bar takes


@dataclass(frozen=True, slots=True)
class Histogram(Layer):
    """Heights between edges, as one outline; several of them may lie over each other.

    ``tinted`` fills the outline; as separate columns that is for one histogram alone.
    """

    edges: Sequence[float]
    heights: Sequence[float]
    label: str = ""
    tinted: bool = True
    columns: bool = False
    series: int = 0

    def x_span(self) -> Span | None:
        return span_of(self.edges)

    def y_span(self) -> Span | None:
        return span_of(self.heights, from_zero=True)

    def draw(self, frame: Frame, series: int) -> str:
        if not len(self.heights):
            return ""
        return self._columns(frame, series) if self.columns else self._outline(frame, series)

    def _columns(self, frame: Frame, series: int) -> str:
        spans = zip(self.edges, self.edges[1:], self.heights, strict=False)
        return "".join(
            bar(frame, frame.x(low) + 0.5, frame.x(high) - 0.5, 0.0, height, series)
            for low, high, height in spans
        )

    def _outline(self, frame: Frame, series: int) -> str:
        steps = [(frame.x(self.edges[0]), frame.y(0.0))]
        for low, high, height in zip(self.edges, self.edges[1:], self.heights, strict=False):
            steps += [(frame.x(low), frame.y(height)), (frame.x(high), frame.y(height))]
        steps.append((frame.x(self.edges[-1]), frame.y(0.0)))
        return tag(
            "path",
            class_=f"chart-histogram series-{series}",
            d=path(steps),
            fill=colour(series) if self.tinted else "none",
            fill_opacity="0.16",
            stroke=colour(series),
            stroke_width=1.5,
            stroke_linejoin="round",
        )

    def key(self, x: float, y: float, series: int) -> str:
        return _sample(x, y, series, solid=self.columns)


@dataclass(frozen=True, slots=True)
class Bars(Layer):
    """One bar a name, none where the height is None; several layers stand side by side.

    ``place`` and ``of`` say which of how many this layer is.
    """

    bands: tuple[str, ...] = field()  # no default, though other layers have one
    heights: Sequence[float | None]
    label: str = ""
    place: int = 0
    of: int = 1
    values: Sequence[str] = ()  # written over the bars
    series: int = 0

    def y_span(self) -> Span | None:
        return span_of([height for _, height in self._drawn()], from_zero=True)

    def _drawn(self) -> Iterator[tuple[int, float]]:
        return ((at, height) for at, height in enumerate(self.heights) if height is not None)

    def draw(self, frame: Frame, series: int) -> str:
        width = frame.band * FILLED / self.of
        drawn = []
        for at, height in self._drawn():
            left = frame.x(at) - frame.band * FILLED / 2 + width * self.place
            title = f"{self.bands[at]}: {height:,.4g}"
            drawn.append(bar(frame, left, left + width - 1, 0.0, height, series, title))
            if len(self.values) > at:
                drawn.append(over(frame, left + width / 2, height, self.values[at]))
        return "".join(drawn)

    def key(self, x: float, y: float, series: int) -> str:
        return _sample(x, y, series, solid=True)


@dataclass(frozen=True, slots=True)
class WaterfallBar:
    """A change of the running total, one that somebody lost by, or the total itself up to here.

    ``written`` stands over it, where that is not simply its value.
    """

    label: str
    value: float
    kind: Literal["change", "loss", "total"] = "change"
    written: str = ""


@dataclass(frozen=True, slots=True)
class Waterfall(Layer):
    """How changes lead from one total to another; a total stands on zero, a change hangs."""

    steps: tuple[WaterfallBar, ...]
    label: str = ""
    series: int = 0

    @property
    def bands(self) -> tuple[str, ...]:
        return tuple(step.label for step in self.steps)

    def spans(self) -> list[tuple[float, float]]:
        """From where to where each step leads."""
        spans, running = [], 0.0
        for step in self.steps:
            before = 0.0 if step.kind == "total" else running
            running = before + step.value
            spans.append((before, running))
        return spans

    def y_span(self) -> Span | None:
        return span_of([end for span in self.spans() for end in span], from_zero=True)

    def draw(self, frame: Frame, series: int) -> str:
        spans = self.spans()
        half = frame.band * FILLED / 2
        drawn = [self._joint(frame, at, end, half) for at, (_, end) in enumerate(spans[:-1])]
        for at, (step, (start, end)) in enumerate(zip(self.steps, spans, strict=True)):
            x = frame.x(at)
            drawn.append(_step(frame, x - half, x + half, step, start, end))
            drawn.append(over(frame, x, max(start, end), signed(step)))
        return "".join(drawn)

    def _joint(self, frame: Frame, at: int, height: float, half: float) -> str:
        y = frame.y(height)
        return tag(
            "line",
            class_="chart-joint",
            x1=frame.x(at) + half,
            x2=frame.x(at + 1) - half,
            y1=y,
            y2=y,
            stroke="currentColor",
            stroke_opacity="0.4",
        )


def signed(step: WaterfallBar) -> str:
    """What rounds to nothing has no sign."""
    if step.written:
        return step.written
    size = f"{abs(step.value):.1f}"
    return (
        size
        if step.kind == "total" or not float(size)
        else f"{'+' if step.value > 0 else '−'}{size}"
    )


def _step(
    frame: Frame, left: float, right: float, step: WaterfallBar, start: float, end: float
) -> str:
    ink = {"total": TOTAL, "change": CHANGE, "loss": LOSS}[step.kind]
    top, bottom = sorted((frame.y(start), frame.y(end)))
    return tag(
        "rect",
        tag("title", words(f"{step.label}: {signed(step)}")),
        class_=f"chart-bar chart-{step.kind}",
        x=left,
        width=right - left,
        y=top,
        height=max(1.0, bottom - top),
        fill=ink,
    )


def bar(
    frame: Frame,
    left: float,
    right: float,
    start: float,
    end: float,
    series: int,
    title: str = "",
) -> str:
    top, bottom = sorted((frame.y(start), frame.y(end)))
    return tag(
        "rect",
        *([tag("title", words(title))] if title else []),
        class_=f"chart-bar series-{series}",
        x=left,
        width=max(0.5, right - left),
        y=top,
        height=bottom - top,
        fill=colour(series),
        fill_opacity="0.85",
    )


def over(frame: Frame, x: float, height: float, written: str) -> str:
    """A value over its bar."""
    return text(
        written,
        x,
        frame.y(max(0.0, height)) - 4,
        class_="chart-value",
        text_anchor="middle",
        font_size=11,
        fill="currentColor",
    )


def _sample(x: float, y: float, series: int, *, solid: bool) -> str:
    return tag(
        "rect",
        class_=f"chart-{'bar' if solid else 'histogram'} series-{series}",
        x=x + 2,
        y=y - 5,
        width=12,
        height=10,
        fill=colour(series),
        fill_opacity="0.85" if solid else "0.16",
        stroke=None if solid else colour(series),
    )
