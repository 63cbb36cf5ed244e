"""Charts, which have layers, a title, a legend and axes; and diagrams of stages in a cycle."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

import numpy as np

from solver.charts.frame import (
    FONT,
    OWN,
    REFERENCE,
    Axis,
    Frame,
    choose_colour,
    choose_step,
    draw_text,
    escape_text,
    estimate_width,
    find_limits,
    format_path,
    format_tick,
    join_spans,
    list_ticks,
    make_tag,
)
from solver.charts.layers import Layer, Line, Rule, place_points

MARGIN = 8.0
ROW = 18.0
KEY = 22.0  # pixels from the left end of a legend's sample to the start of its label
LABEL = 11.0  # font size of the label next to a line, in pixels
UP = LABEL + 2  # pixels from a point to the middle of the label above the point
Y_TICKS = 5
NARROW = 300.0  # width of a chart on a phone with 360 pixels
HEADROOM = 14.0  # pixels above the highest bar, where its value stands


@dataclass(frozen=True)
class Chart:
    """A chart. ``title`` is the question that it answers. ``description`` is for screen readers.

    Without ``show_title`` only screen readers get the title, because the page already shows it as a
    heading. A chart with links needs the role group, because the role img hides links from screen
    readers. With ``labels_at_lines`` the label of a line is next to it instead of in the legend.
    """

    title: str
    layers: Sequence[Layer]
    x: Axis = field(default_factory=Axis)
    y: Axis = field(default_factory=Axis)
    description: str = ""
    width: float = 640.0
    height: float = 320.0
    show_title: bool = True
    labels_at_lines: bool = False
    role: Literal["img", "group"] = "img"
    class_: str = "chart"

    def draw_for_page(self) -> str:
        """Return a wide and a narrow SVG drawing. The style sheet shows the one that fits."""
        narrow = replace(self, class_="chart chart--narrow", width=NARROW)
        return self.svg() + narrow.svg()

    def svg(self) -> str:
        look: dict[str, str | float | None] = {"class_": "chart-title", "font_size": 15}
        look["font_weight"] = "600"
        frame, grid = self.frame, list[str]()
        for value, written in self._list_y_texts():
            y = frame.y(value)
            weight = "0.45" if abs(value) < 1e-12 and not self.y.names else "0.12"
            grid.append(_draw_line("chart-grid", frame.left, frame.right, y, y, weight))
            grid.append(draw_text(written, frame.left - 6, y + 4, text_anchor="end", **TICK))
        return make_tag(
            "svg",
            make_tag("title", escape_text(self.title)),
            *([make_tag("desc", escape_text(self.description))] if self.description else []),
            draw_text(self.title, MARGIN, MARGIN + 14, **look) if self.show_title else "",
            self._draw_legend(),
            make_tag("g", *grid, class_="chart-y"),
            *(layer.draw(frame, n) for layer, n in zip(self.layers, self.series, strict=True)),
            self._draw_rule_labels(),
            *(self._draw_line_labels() if self.labels_at_lines else ()),
            self._draw_x_axis(),
            xmlns="http://www.w3.org/2000/svg",
            class_=self.class_,
            role=self.role,
            viewBox=f"0 0 {self.width:g} {self.height:g}",
            font_family="system-ui, sans-serif",
            font_size=FONT,
            fill="currentColor",
        )

    @cached_property
    def series(self) -> list[int]:
        """The colour number of each layer. A reference line (``Rule``) without a number has 0."""
        numbers: list[int] = []
        for layer in self.layers:
            number = layer.series or (0 if isinstance(layer, Rule) else max(numbers, default=0) + 1)
            numbers.append(number)
        return numbers

    @cached_property
    def bands(self) -> tuple[str, ...]:
        return max((layer.bands for layer in self.layers), key=len, default=())

    @cached_property
    def frame(self) -> Frame:
        labels = [written for _value, written in self._list_y_texts()]
        rows = max((row + 1 for *_, row in self._legend_entries), default=1 if self.y.label else 0)
        rows += max((row + 1 for _, row in self._vertical_rules), default=0)
        gap = (6.0 if self._legend_entries else 10.0) + (HEADROOM if self.bands else 0.0)
        return Frame(
            left=MARGIN + max(map(estimate_width, labels), default=0.0) + 6,
            top=self._below_title + ROW * rows + gap,
            right=self.width - MARGIN - 4,
            bottom=self.height - MARGIN - ROW * (2 if self.x.label else 1),
            x_limits=self._x_limits,
            y_limits=self._y_limits,
            bands=self.bands,
        )

    @cached_property
    def _x_limits(self) -> tuple[float, float]:
        if self.bands:
            return (-0.5, len(self.bands) - 0.5)
        spans = [layer.find_x_span() for layer in self.layers]
        return find_limits(self.x, join_spans([span for span in spans if span]))

    @cached_property
    def _y_limits(self) -> tuple[float, float]:
        if self.y.names:
            return (len(self.y.names) - 0.5, -0.5)
        spans = [layer.find_y_span() for layer in self.layers]
        span = join_spans([span for span in spans if span])
        low, high = find_limits(self.y, span)
        # Leave 5 % free above the data and, unless bars start at zero, below.
        margin = (high - low) / 20
        from_zero = span is not None and span.from_zero
        keep_low = self.y.low is not None or (from_zero and low == 0)
        keep_high = self.y.high is not None or (from_zero and high == 0)
        return (low if keep_low else low - margin, high if keep_high else high + margin)

    def _list_y_texts(self) -> list[tuple[float, str]]:
        if self.y.names:
            return list(enumerate(self.y.names))
        return self._list_marks(self._y_limits, Y_TICKS, self.y)

    @staticmethod
    def _list_marks(limits: tuple[float, float], about: int, axis: Axis) -> list[tuple[float, str]]:
        """Return up to ``about`` ticks between the limits, each with its label."""
        step = choose_step(*limits, about, whole=axis.whole)
        marks = list_ticks(*limits, about, whole=axis.whole)
        return [(value, format_tick(value, step, percent=axis.percent)) for value in marks]

    # Rows above the plot, from the top: the title; the legend, with the label of the y axis to its
    # left; the labels of vertical reference lines.

    @property
    def _below_title(self) -> float:
        return MARGIN + (26.0 if self.show_title else 0.0)

    @cached_property
    def _legend_entries(self) -> list[tuple[int, float, int]]:
        """The legend's entries: (index of the layer, left edge in pixels, row of the legend)."""
        start = estimate_width(self.y.label) + 2 * MARGIN if self.y.label else 0.0
        right, row, keys = start, 0, []
        for at, layer in enumerate(self.layers):
            at_line = self.labels_at_lines and isinstance(layer, Line)
            if at_line or isinstance(layer, Rule) or not layer.label:
                continue
            wide = KEY + estimate_width(layer.label) + 14
            if right > start and right + wide > self.width - 2 * MARGIN:
                right, row = start, row + 1
            keys.append((at, right, row))
            right += wide
        return keys

    def _draw_legend(self) -> str:
        middle = self._below_title + ROW / 2
        drawn = []
        if self.y.label:
            drawn.append(draw_text(self.y.label, MARGIN, middle + 4, class_="chart-label", **FAINT))
        for at, right, row in self._legend_entries:
            layer, y = self.layers[at], middle + ROW * row
            drawn.append(layer.draw_key(MARGIN + right, y, self.series[at]))
            drawn.append(draw_text(layer.label, MARGIN + right + KEY, y + 4, class_="chart-key"))
        return make_tag("g", *drawn, class_="chart-legend") if drawn else ""

    @cached_property
    def _vertical_rules(self) -> list[tuple[Rule, int]]:
        """The vertical reference lines from left to right, each with the row of its label."""
        upright = [r for r in self.layers if isinstance(r, Rule) and r.x is not None and r.label]
        ends: list[float] = []
        rules = []
        low, high = self._x_limits
        scale = (self.width - 6 * MARGIN) / (high - low)
        for rule in sorted(upright, key=lambda rule: rule.x or 0.0):
            half = estimate_width(rule.label, 11) / 2 + 4
            x = ((rule.x or 0.0) - low) * scale
            row = next((n for n, end in enumerate(ends) if end <= x - half), len(ends))
            ends[row : row + 1] = [x + half]
            rules.append((rule, row))
        return rules

    def _draw_rule_labels(self) -> str:
        frame = self.frame
        drawn = []
        for rule, row in self._vertical_rules:
            half = estimate_width(rule.label, 11) / 2
            x = min(max(frame.x(rule.x or 0.0), MARGIN + half), self.width - MARGIN - half)
            y = frame.top - 5 - ROW * row * 0.8
            drawn.append(_draw_rule_text(rule, x, y, "middle"))
        drawn += [
            _draw_rule_text(layer, frame.right, frame.y(layer.y) - 4, "end")
            for layer in self.layers
            if isinstance(layer, Rule) and layer.y is not None and layer.label
        ]
        return "".join(drawn)

    def _draw_line_labels(self) -> Iterator[str]:
        """Yield the label of each line as SVG, near its line, high up, and with little overlap."""
        frame = self.frame
        lines = {
            at: np.array(place_points(frame, layer.xs, layer.ys))
            for at, layer in enumerate(self.layers)
            if isinstance(layer, Line)
        }
        halfway = [(points[1:] + points[:-1]) / 2 for points in lines.values()]
        covered = np.concatenate([*lines.values(), *halfway])
        for at, points in lines.items():
            label, ink = self.layers[at].label, self.series[at]
            wide = estimate_width(label, LABEL)
            # Left end and middle of a label in three places: above the point, to its right, to its
            # left.
            sides = [(-wide / 2, -UP), (LABEL, -2.0), (-LABEL - wide, -2.0)]
            shifts = np.array([*sides, (-wide, -UP), (0.0, -UP)])
            few = points[:: 1 + len(points) // 80]
            starts = (few[:, None] + shifts).reshape(-1, 2)
            right, down = (covered[:, axis] - starts[:, axis, None] for axis in (0, 1))
            hits = ((right > -4) & (right < wide + 4) & (abs(down) < LABEL)).sum(axis=1)
            left, middle = starts.T
            outside = (left < frame.left + 4) | (left + wide > frame.right)
            hits[outside | (middle < MARGIN) | (middle > frame.bottom - LABEL)] = len(covered)
            x, y = starts[np.argmin(middle + 8 * hits)]  # avoiding overlap matters more than height
            covered = np.vstack([covered, [(x + step, y) for step in np.arange(0, wide, LABEL)]])
            look = {"class_": f"chart-rule-label series-{ink}", "fill": choose_colour(ink)}
            yield draw_text(label, x, y + 4, font_size=LABEL, **look)

    def _draw_x_axis(self) -> str:
        frame = self.frame
        base = frame.bottom + 16
        drawn = [
            _draw_line("chart-axis", frame.left, frame.right, frame.bottom, frame.bottom, "0.45")
        ]
        if self.bands:
            # Shorten the names of bands, as if every letter were wide. Tooltips show the full name.
            letters = int(frame.band / (0.92 * estimate_width("x", 11)))
            texts: list[tuple[float, str]] = [
                (n, name if len(name) <= letters else f"{name[: max(1, letters - 1)]}…")
                for n, name in enumerate(self.bands)
            ]
        else:
            about = int((frame.right - frame.left) / 60)
            texts = self._list_marks(self._x_limits, about, self.x)
        for at, written in texts:
            x = min(
                frame.x(at), self.width - estimate_width(written, 11) / 2
            )  # leaves room for the last label
            drawn.append(draw_text(written, x, base, text_anchor="middle", **TICK))
        if self.x.label:
            middle = (frame.left + frame.right) / 2
            drawn.append(
                draw_text(
                    self.x.label,
                    middle,
                    base + ROW - 2,
                    text_anchor="middle",
                    class_="chart-label",
                    **FAINT,
                )
            )
        return make_tag("g", *drawn, class_="chart-x")


FAINT: dict[str, str | float | None] = {"fill_opacity": "0.7"}
TICK: dict[str, str | float | None] = {
    "class_": "chart-tick",
    "font_size": 11.0,
    "fill_opacity": "0.75",
}


def _draw_line(name: str, x1: float, x2: float, y1: float, y2: float, opacity: str) -> str:
    return make_tag(
        "line",
        class_=name,
        x1=x1,
        x2=x2,
        y1=y1,
        y2=y2,
        stroke="currentColor",
        stroke_opacity=opacity,
    )


def _draw_rule_text(rule: Rule, x: float, y: float, anchor: str) -> str:
    return draw_text(
        rule.label,
        x,
        y,
        class_=f"chart-rule-label{rule.classes}",
        text_anchor=anchor,
        font_size=11,
        fill=rule.ink,
    )


SPINE, BACK = 20.0, 8.0  # x positions in pixels of the arrows down, and of the arrow back up
BARS = 36.0
TALL = 44.0  # pixels per stage
THICK = 12.0
HEAD = 4.0  # length of an arrow's head in pixels


@dataclass(frozen=True, slots=True)
class Stage:
    name: str
    written: str
    size: float
    part: float


@dataclass(frozen=True)
class Stages:
    """A diagram of stages in a cycle. Each stage has a size, part of which is marked."""

    title: str
    description: str
    keys: tuple[str, str]  # legend texts for the size and for its marked part
    stages: Sequence[Stage]
    width: float = 480.0
    class_: str = "chart stages"

    def draw_for_page(self) -> str:
        narrow = replace(self, class_="chart chart--narrow", width=NARROW)
        return self.svg() + narrow.svg()

    def svg(self) -> str:
        middles = [MARGIN + ROW * len(self.keys) + TALL * n + 36 for n in range(len(self.stages))]
        first, last = middles[0], middles[-1]
        back = [(SPINE, last), (BACK, last), (BACK, first), (SPINE - 5, first)]
        heads = [[(SPINE - HEAD, y - 11), (SPINE, y - 5), (SPINE + HEAD, y - 11)] for y in middles]
        head_back = [(SPINE - 11, first - HEAD), back[-1], (SPINE - 11, first + HEAD)]
        ways = (back, [(SPINE, first), (SPINE, last)])
        arrows = [make_tag("path", d=format_path(way), **LINE) for way in ways]
        arrows += [make_tag("path", d=format_path(head)) for head in (*heads[1:], head_back)]
        scale = (self.width - MARGIN - BARS) / max(row.size for row in self.stages)
        end = {"text_anchor": "end", "class_": "chart-value"}
        drawn = [
            make_tag(
                "g",
                draw_text(stage.name, BARS, y - 12, class_="chart-key"),
                draw_text(stage.written, self.width - MARGIN, y - 12, **end),
                _draw_size(BARS, y - THICK / 2, stage.size * scale),
                _draw_part(BARS, y - THICK / 2, stage.part * scale),
                make_tag("circle", cx=SPINE, cy=y, r=4),
            )
            for y, stage in zip(middles, self.stages, strict=True)
        ]
        return make_tag(
            "svg",
            make_tag("title", escape_text(self.title)),
            make_tag("desc", escape_text(self.description)),
            *self._draw_legend(),
            *arrows,
            *drawn,
            xmlns="http://www.w3.org/2000/svg",
            class_=self.class_,
            role="img",
            viewBox=f"0 0 {self.width:g} {last + THICK / 2 + MARGIN:g}",
            font_family="system-ui, sans-serif",
            font_size=FONT,
            fill="currentColor",
        )

    def _draw_legend(self) -> list[str]:
        drawn = []
        for at, (label, draw) in enumerate(zip(self.keys, (_draw_size, _draw_part), strict=True)):
            y = MARGIN + ROW * at
            drawn.append(draw(MARGIN, y, 14.0))
            drawn.append(draw_text(label, MARGIN + KEY, y + 10, class_="chart-key"))
        return drawn


LINE: dict[str, str | float | None] = {"fill": "none", "stroke": "currentColor"}


def _draw_size(x: float, y: float, width: float) -> str:
    ink = choose_colour(REFERENCE)
    look = {"class_": f"chart-histogram series-{REFERENCE}", "fill": ink}
    look |= {"fill_opacity": "0.16", "stroke": ink}
    return make_tag("rect", x=x, y=y, width=max(width, 1.0), height=THICK, **look)


def _draw_part(x: float, y: float, width: float) -> str:
    look = {"class_": f"chart-bar series-{OWN}", "fill": choose_colour(OWN)}
    return make_tag("rect", x=x, y=y, width=max(width, 1.0), height=THICK, **look)
