"""Stages that follow on each other and lead back to the first: how large each is, and which part of
it counts."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from solver.charts.chart import KEY, MARGIN, NARROW, ROW
from solver.charts.svg import FONT, OWN, REFERENCE, colour, path, tag, text, words

SPINE, BACK = 20.0, 8.0  # where the way down is drawn, and the way back
BARS = 36.0
TALL = 44.0  # a stage
THICK = 12.0
HEAD = 4.0  # of an arrow


@dataclass(frozen=True, slots=True)
class Stage:
    name: str
    written: str
    size: float
    part: float


@dataclass(frozen=True)
class Stages:
    """``keys`` name the size and the part."""

    title: str
    description: str
    keys: tuple[str, str]
    stages: Sequence[Stage]
    width: float = 480.0
    class_: str = "chart stages"

    def for_page(self) -> str:
        """Drawn twice, as ``Chart`` is."""
        narrow = replace(self, class_="chart chart--narrow", width=NARROW)
        return self.svg() + narrow.svg()

    def svg(self) -> str:
        height = self._middle(len(self.stages) - 1) + THICK / 2 + MARGIN
        return tag(
            "svg",
            tag("title", words(self.title)),
            tag("desc", words(self.description)),
            *self._legend(),
            *self._ways(),
            *(self._stage(at, stage) for at, stage in enumerate(self.stages)),
            xmlns="http://www.w3.org/2000/svg",
            class_=self.class_,
            role="img",
            viewBox=f"0 0 {self.width:g} {height:g}",
            font_family="system-ui, sans-serif",
            font_size=FONT,
            fill="currentColor",
        )

    def _legend(self) -> list[str]:
        drawn = []
        for at, (label, draw) in enumerate(zip(self.keys, (_size, _part), strict=True)):
            y = MARGIN + ROW * at
            drawn.append(draw(MARGIN, y, 14.0))
            drawn.append(text(label, MARGIN + KEY, y + 10, class_="chart-key"))
        return drawn

    def _middle(self, at: int) -> float:
        """Of a stage's bar."""
        return MARGIN + ROW * len(self.keys) + TALL * at + 36

    def _stage(self, at: int, stage: Stage) -> str:
        y = self._middle(at)
        scale = (self.width - MARGIN - BARS) / max(one.size for one in self.stages)
        end = {"text_anchor": "end", "class_": "chart-value"}
        return tag(
            "g",
            text(stage.name, BARS, y - 12, class_="chart-key"),
            text(stage.written, self.width - MARGIN, y - 12, **end),
            _size(BARS, y - THICK / 2, stage.size * scale),
            _part(BARS, y - THICK / 2, stage.part * scale),
            tag("circle", cx=SPINE, cy=y, r=4),
        )

    def _ways(self) -> list[str]:
        """Down from each to the next, and from the last one back."""
        first, last = self._middle(0), self._middle(len(self.stages) - 1)
        back = [(SPINE, last), (BACK, last), (BACK, first), (SPINE - 5, first)]
        ends = [(SPINE, self._middle(at) - 5) for at in range(1, len(self.stages))]
        return [
            tag("path", d=path(back), **LINE),
            tag("path", d=path([(SPINE, first), (SPINE, last)]), **LINE),
            *(tag("path", d=path([(x - HEAD, y - 6), (x, y), (x + HEAD, y - 6)])) for x, y in ends),
            tag("path", d=path([(SPINE - 11, first - HEAD), back[-1], (SPINE - 11, first + HEAD)])),
        ]


LINE: dict[str, str | float | None] = {"fill": "none", "stroke": "currentColor"}


def _size(x: float, y: float, width: float) -> str:
    ink = colour(REFERENCE)
    shape = {"fill": ink, "fill_opacity": "0.16", "stroke": ink}
    return _bar(x, y, width, class_=f"chart-histogram series-{REFERENCE}", **shape)


def _part(x: float, y: float, width: float) -> str:
    return _bar(x, y, width, class_=f"chart-bar series-{OWN}", fill=colour(OWN))


def _bar(x: float, y: float, width: float, **look: str | float | None) -> str:
    return tag("rect", x=x, y=y, width=max(width, 1.0), height=THICK, **look)
