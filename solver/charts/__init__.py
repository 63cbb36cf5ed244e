"""Charts as SVG text, without a dependency, a script or an inline style.

Every shape has a class for the page's style sheet. Every shape also has presentation attributes,
which a style sheet overrides, so the same SVG works as a file. Text and axis lines have the colour
``currentColor``, so dark pages need no second version.

    Chart("Scores of a million games", [Line(xs, ys, label="perfect play")]).svg()
"""

from solver.charts.chart import Chart
from solver.charts.frame import ASIDE, OWN, REFERENCE, Axis
from solver.charts.layers import (
    RARE,
    Bars,
    Columns,
    Here,
    Histogram,
    Layer,
    Line,
    Mark,
    Marks,
    Points,
    Rule,
    Waterfall,
    WaterfallBar,
    make_histograms,
    pad_to_longest,
)

__all__ = [
    "ASIDE",
    "OWN",
    "RARE",
    "REFERENCE",
    "Axis",
    "Bars",
    "Chart",
    "Columns",
    "Here",
    "Histogram",
    "Layer",
    "Line",
    "Mark",
    "Marks",
    "Points",
    "Rule",
    "Waterfall",
    "WaterfallBar",
    "make_histograms",
    "pad_to_longest",
]
